// A row of a table that leads where its link leads: a click anywhere on it is a click on the link.

/** What has an action of its own. */
const OWN = "a, button, input, select, label, [role='menu']";

/** For the row of a table. The link opens as if it was clicked itself, also in another tab. */
export const rowLink = {
  onClick: (event: MouseEvent) => follow(event),
  // The middle button opens another tab.
  onAuxClick: (event: MouseEvent) => {
    if (event.button === 1) follow(event);
  },
  onMouseDown: (event: MouseEvent) => {
    // The browser would begin to scroll.
    if (event.button === 1 && isFree(event)) event.preventDefault();
  },
};

function follow(event: MouseEvent): void {
  // The second click of a double-click may hit a row that was not there before the first.
  if (event.detail > 1 || !isFree(event) || hasSelection()) return;
  const row = event.currentTarget as HTMLElement;
  const isOther = event.button === 1;
  const init = {
    bubbles: true,
    cancelable: true,
    ctrlKey: event.ctrlKey || isOther,
    metaKey: event.metaKey || isOther,
    shiftKey: event.shiftKey,
  };
  row.querySelector("th a")?.dispatchEvent(new MouseEvent("click", init));
}

function isFree({ target }: Event): boolean {
  return target instanceof Element && target.closest(OWN) === null;
}

/** Someone who marks a text, perhaps to copy it, does not want to leave the page. */
function hasSelection(): boolean {
  return getSelection()?.isCollapsed === false;
}
