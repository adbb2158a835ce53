// How the limits of the key stand now, by what the last answer has said.

import type { RateWindow } from "../../../client/src/client.ts";
import { nowMs } from "./now.ts";
import { rate } from "./session.ts";

interface WindowNow {
  limit: number;
  remaining: number;
  leftMs: number;
}

/** Of the window with the least left; undefined before the first answer. */
export function findBindingWindow(): WindowNow | undefined {
  return rate.value?.windows.map(settle).sort((a, b) => a.remaining - b.remaining)[0];
}

/** A window that has ended since is full again; the other one may still bind. */
function settle({ limit, remaining, resetAt }: RateWindow): WindowNow {
  const leftMs = resetAt.getTime() - nowMs.value;
  return { limit, remaining: leftMs > 0 ? remaining : limit, leftMs };
}
