// The keyboard focus: where a dialog starts, and where it goes when the focused element is removed.

export function focusMain(): void {
  document.querySelector("main")?.focus({ preventScroll: true });
}

/** Whether nothing has it that can be pressed. A dialog that was just closed still has it. */
export function isFocusLost(): boolean {
  return document.activeElement?.matches("body, main, dialog:not([open]) *") !== false;
}

/** The result moves the focus, if its element was removed: into the same row or section, or to the start of the page. */
export function rememberFocus(): () => void {
  const element = document.activeElement;
  const part = element?.closest("tr, section");
  return () => {
    if (element?.isConnected || !isFocusLost()) return;
    const next = [".buttons button", "a, button, select"]
      .map((selector) => (part?.isConnected ? part.querySelector<HTMLElement>(selector) : null))
      .find((found) => found !== null);
    if (next === undefined) focusMain();
    else next.focus({ preventScroll: true });
  };
}

/** Focuses the field with autofocus, the first field, the first button of the footer, or the title. */
export function focusFirst(container: HTMLElement): void {
  const first = ["[autofocus]", ":is(input, select, textarea):enabled", "footer button", "h2"]
    .map((selector) => container.querySelector<HTMLElement>(selector))
    .find((element) => element !== null);
  first?.focus();
}

export function isInField(): boolean {
  return document.activeElement?.matches("input, select, textarea") === true;
}

/** Whether a button was pressed without a pointer. */
export function isByKeyboard({ detail }: MouseEvent): boolean {
  return detail === 0;
}

/** Call the result when the page has changed: it scrolls the focused field back to its place in the window. */
export function keepFieldInPlace(): () => void {
  const field = isInField() ? document.activeElement : null;
  const topOf = () => field?.getBoundingClientRect().top ?? 0;
  const before = topOf();
  return () => {
    if (field?.isConnected) scrollBy(0, topOf() - before);
  };
}
