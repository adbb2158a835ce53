// Where each entry of the browser's history was scrolled to, so that "back" shows a list where it was left. The browser
// itself would restore it before the rows have arrived.

import { signal } from "@preact/signals";

/** A list that takes longer stays at its top. */
const WAIT_MS = 5_000;
/** Whoever moves before that stays where they are. */
const MOVES = ["wheel", "touchmove", "keydown"];

interface EntryState {
  entry?: string;
  /** For a reload, which forgets what the script knows. */
  top?: number;
}

const tops = new Map<string, number>();
let current = nameEntry();

/** Where the shown entry was left: another object for each step, undefined for a new entry, or one left at its top. */
export const leftAt = signal(findTop());

history.scrollRestoration = "manual";
addEventListener("scroll", () => tops.set(current, scrollY), { passive: true });
addEventListener("scrollend", () => history.replaceState({ ...history.state, top: scrollY }, ""));

/** Called when the address has changed, before the page does. */
export function noteStep(): void {
  const before = current;
  current = nameEntry();
  if (current !== before) leftAt.value = findTop();
}

/** Scrolls there once the page is long enough. Returns what gives up. */
export function scrollWhenLongEnough(top: number): () => void {
  const sizes = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight - innerHeight < top) return;
    giveUp();
    scrollTo({ top, behavior: "instant" });
  });
  const timer = setTimeout(giveUp, WAIT_MS);
  for (const type of MOVES) addEventListener(type, giveUp, { passive: true });
  sizes.observe(document.body);
  return giveUp;

  function giveUp(): void {
    sizes.disconnect();
    clearTimeout(timer);
    for (const type of MOVES) removeEventListener(type, giveUp);
  }
}

/** A new entry has no name yet. */
function nameEntry(): string {
  const { entry, top } = (history.state ?? {}) as EntryState;
  if (entry !== undefined) {
    if (top !== undefined && !tops.has(entry)) tops.set(entry, top);
    return entry;
  }
  const made = `${performance.timeOrigin + performance.now()}`;
  history.replaceState({ ...history.state, entry: made }, "");
  return made;
}

function findTop(): { top: number } | undefined {
  const top = tops.get(current) ?? 0;
  return top > 0 ? { top } : undefined;
}
