// Where the keyboard goes on when what had the focus is gone.

export function focusPlace(): void {
  document.querySelector("main")?.focus({ preventScroll: true });
}
