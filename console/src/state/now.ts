// The time, by the second, for what counts down.

import { signal } from "@preact/signals";

export const nowMs = signal(Date.now());

setInterval(() => {
  nowMs.value = Date.now();
}, 1_000);
