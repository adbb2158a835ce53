// Where the keyboard goes on when what had the focus is gone.

export function focusPlace(): void {
  document.querySelector("main")?.focus({ preventScroll: true });
}

/** Whether a button was pressed without a pointer. */
export function isByKeyboard({ detail }: MouseEvent): boolean {
  return detail === 0;
}
