// Changes made outside a view. Lists that use the last one as an input load again when there is another.

import { signal } from "@preact/signals";

/** Unlike other inputs, another one asks for the same rows: those that are shown stay when they cannot be loaded. */
export class Change {}

export const changes = signal(new Change());

export function markChanged(): void {
  changes.value = new Change();
}
