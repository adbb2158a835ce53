// The code of an invitation, from the fragment of the address: `#join/CODE`. It is taken out of the address and of the
// history of the tab at once, and never stored. Imported first: other parts must not read the address with it.

import { signal } from "@preact/signals";

const PREFIX = "#join/";

/** Undefined while no invitation is open. */
export const joinCode = signal(takeCode());

for (const type of ["popstate", "hashchange"])
  addEventListener(type, () => {
    joinCode.value = takeCode() ?? joinCode.value;
  });

function takeCode(): string | undefined {
  const code = findCode(location.hash);
  if (code !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** The code in a link; undefined for any other text. */
export function findCode(link: string): string | undefined {
  const start = link.indexOf(PREFIX);
  return start === -1 ? undefined : link.slice(start + PREFIX.length).trim();
}
