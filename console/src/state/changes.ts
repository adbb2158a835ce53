// How often something was changed from outside a view: lists that count it among their inputs are then read anew.

import { signal } from "@preact/signals";

export const changes = signal(0);

export function markChanged(): void {
  changes.value += 1;
}
