// Asks before the page is left while something was typed and not saved.

import { t } from "../texts/language.ts";

/** Whether a form has unsaved changes; undefined while no form watches. */
let hasChanges: (() => boolean) | undefined;

/** Returns the function that ends the watch. One form at a time. */
export function watchChanges(isChanged: () => boolean): () => void {
  hasChanges = isChanged;
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
    if (confirm(t().form.leaveUnsaved)) hasChanges = undefined;
    else event.preventDefault();
  },
  { capture: true },
);
