// The limits of the key now, computed from the last response.

import type { RateWindow } from "../../../../client/src/client.ts";
import { nowMs } from "./now.ts";
import { rate } from "./session.ts";

const RESERVED = 10;

interface WindowNow {
  limit: number;
  remaining: number;
  leftMs: number;
}

/** The window with the fewest requests left; undefined before the first response. */
export function findBindingWindow(): WindowNow | undefined {
  return rate.value?.windows.map(rollWindow).sort((a, b) => a.remaining - b.remaining)[0];
}

/**
 * Whether requests that the user has not asked for may be sent. They leave a quarter of each limit, and at least ten
 * requests, to the user.
 */
export function hasSpareRequests(): boolean {
  const window = findBindingWindow();
  return window === undefined || window.remaining > Math.max(window.limit / 4, RESERVED);
}

/** A window that has ended since then is full again. */
function rollWindow({ limit, remaining, resetAt }: RateWindow): WindowNow {
  const leftMs = resetAt.getTime() - nowMs.value;
  return { limit, remaining: leftMs > 0 ? remaining : limit, leftMs };
}
