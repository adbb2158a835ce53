// Keeps the keyboard focus in the page when the focused element is removed.

export function focusMain(): void {
  document.querySelector("main")?.focus({ preventScroll: true });
}

/** Whether a button was pressed without a pointer. */
export function isByKeyboard({ detail }: MouseEvent): boolean {
  return detail === 0;
}
