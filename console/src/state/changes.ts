// A counter of changes made outside a view. Lists that use it as an input load again when it rises.

import { signal } from "@preact/signals";

export const changes = signal(0);

export function markChanged(): void {
  changes.value += 1;
}
