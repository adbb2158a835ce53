// Whether the user works with a list right now. Rows that move or change then would take a click or a choice away.

/** After the last pointer movement or key over the rows. */
const RESTS_MS = 1_000;
/** A pointer whose release was missed, or a field that keeps the focus, must not stop a list for good. */
const LONGEST_MS = 30_000;

const FIELD = "tbody :is(input, select)";

let pressedMs = Number.NEGATIVE_INFINITY;
let rowsUsedMs = Number.NEGATIVE_INFINITY;
let fieldUsedMs = Number.NEGATIVE_INFINITY;

/** True while a pointer is down, a dialog or a menu is open, a field of a list has the focus, or rows were used a moment ago. */
export function isListInUse(): boolean {
  const nowMs = performance.now();
  return (
    nowMs - pressedMs < LONGEST_MS ||
    nowMs - rowsUsedMs < RESTS_MS ||
    (nowMs - fieldUsedMs < LONGEST_MS && document.activeElement?.matches(FIELD) === true) ||
    document.querySelector("dialog[open], :popover-open") !== null
  );
}

for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel", "keydown", "focusin"])
  addEventListener(type, noteUse, { capture: true, passive: true });

function noteUse(event: Event): void {
  const nowMs = performance.now();
  if (event.type === "pointerdown") pressedMs = nowMs;
  else if (event instanceof PointerEvent && event.buttons === 0) pressedMs = Number.NEGATIVE_INFINITY;
  if (!(event.target instanceof Element)) return;
  if (event.type !== "focusin" && event.target.closest("tbody")) rowsUsedMs = nowMs;
  if (event.target.matches(FIELD)) fieldUsedMs = nowMs;
}
