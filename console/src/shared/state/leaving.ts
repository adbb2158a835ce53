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

// A link inside the console changes only the fragment, so the browser would not ask.
document.addEventListener(
  "click",
  (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    if (link === null || !hasChanges?.()) return;
    if (confirm(question)) hasChanges = undefined;
    else event.preventDefault();
  },
  { capture: true },
);
