// Asks before the page is left, or a dialog is closed by mistake, while something would be lost.

import { t } from "../texts/language.ts";

interface WatchOptions {
  /** Asked before the page is left. If absent, about unsaved changes. */
  question?: string;
  /** Closing it loses the same as leaving the page. */
  dialog?: Element;
}

interface Watch extends WatchOptions {
  /** Whether something would be lost, such as unsaved changes. */
  isChanged: () => boolean;
}

/** A page and the dialog over it may watch at the same time. */
const watches = new Set<Watch>();

/** Returns the function that ends the watch. */
export function watchChanges(isChanged: () => boolean, options: WatchOptions = {}): () => void {
  const watch = { isChanged, ...options };
  watches.add(watch);
  return () => watches.delete(watch);
}

addEventListener("beforeunload", (event) => {
  if (findChanged() !== undefined) event.preventDefault();
});

// A link inside the console changes only the fragment, so the browser would not ask. Back and forward ask in place.ts.
document.addEventListener(
  "click",
  (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    if (link !== null && !mayLeave()) event.preventDefault();
  },
  { capture: true },
);

/** Asks if something would be lost. Whoever agrees is not asked again. */
export function mayLeave(): boolean {
  const changed = findChanged();
  if (changed === undefined) return true;
  if (!confirm(changed.question ?? t().form.leaveUnsaved)) return false;
  watches.clear();
  return true;
}

/** Escape and ✕ are easily pressed by mistake. Cancel is not: it asks nothing. */
export function mayClose(dialog: Element | null): boolean {
  const isChanged = [...watches].some((watch) => watch.dialog === dialog && watch.isChanged());
  return !isChanged || confirm(t().form.closeUnsaved);
}

/** Goes to another page after a deletion: what was typed has lost its subject. */
export function leaveFor(href: string): void {
  watches.clear();
  location.hash = href;
}

/** Of several, the newest: it is on top. */
function findChanged(): Watch | undefined {
  return [...watches].findLast(({ isChanged }) => isChanged());
}
