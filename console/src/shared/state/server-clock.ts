// The time of the service, because the clock of this computer may be wrong.

import { computed } from "@preact/signals";
import { nowMs } from "./now.ts";
import { rate } from "./session.ts";

/** How far the clock of this computer is ahead. The headers give the reset twice: as a time and in seconds from now. */
const aheadMs = computed(() => {
  if (rate.value === undefined) return 0;
  const { limit, remaining, resetAt, windows } = rate.value;
  const binding = windows.filter((window) => window.limit === limit && window.remaining === remaining);
  const differences = binding.map((window) => window.resetAt.getTime() - resetAt.getTime());
  return differences.sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? 0;
});

export function serviceNowMs(): number {
  return nowMs.value - aheadMs.value;
}
