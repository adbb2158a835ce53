// Asks before the page is left while something would be lost.

import { t } from "../texts/language.ts";

/** Whether something would be lost, such as unsaved changes; undefined while nothing watches. */
let hasChanges: (() => boolean) | undefined;
let question = "";

/** Returns the function that ends the watch. One view at a time. */
export function watchChanges(isChanged: () => boolean, asked = t().form.leaveUnsaved): () => void {
  hasChanges = isChanged;
  question = asked;
  return () => {
    if (hasChanges === isChanged) hasChanges = undefined;
  };
}

addEventListener("beforeunload", (event) => {
  if (hasChanges?.()) event.preventDefault();
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
  if (!hasChanges?.()) return true;
  if (!confirm(question)) return false;
  hasChanges = undefined;
  return true;
}

/** Goes to another page after a deletion: what was typed has lost its subject. */
export function leaveFor(href: string): void {
  hasChanges = undefined;
  location.hash = href;
}
