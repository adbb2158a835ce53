// The current time, updated every second, for countdowns.

import { signal } from "@preact/signals";

export const nowMs = signal(Date.now());

setInterval(() => {
  nowMs.value = Date.now();
}, 1_000);
