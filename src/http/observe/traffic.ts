// Counts this node's responses by status, minute by minute for the last hour.

import type { Clock } from "../../domain/clock.ts";

const MINUTE_MS = 60_000;
export const TRAFFIC_MINUTES = 60;
const STATUSES = 600;

export interface Traffic {
  count(status: number): void;
  /** The oldest minute first, the current one last; minutes without responses included. */
  read(): Array<{ at: Date; answers: Array<{ status: number; count: number }> }>;
}

/** One array for all: 144 kB, and an increment per response. */
export function createTraffic(clock: Clock): Traffic {
  const counts = new Uint32Array(TRAFFIC_MINUTES * STATUSES);
  let newest = minuteOf(clock);

  /** Clears the minutes that have begun since the last call. */
  function catchUp(): void {
    const minute = minuteOf(clock);
    // After a clock was set back, counting continues in the newest minute.
    if (minute <= newest) return;
    for (let each = Math.max(newest, minute - TRAFFIC_MINUTES) + 1; each <= minute; each += 1) {
      const start = slotOf(each);
      counts.fill(0, start, start + STATUSES);
    }
    newest = minute;
  }

  return {
    count(status) {
      catchUp();
      counts[slotOf(newest) + status] = (counts[slotOf(newest) + status] ?? 0) + 1;
    },
    read() {
      catchUp();
      return Array.from({ length: TRAFFIC_MINUTES }, (_, index) => {
        const minute = newest - TRAFFIC_MINUTES + 1 + index;
        const start = slotOf(minute);
        const answers = [...counts.subarray(start, start + STATUSES).entries()]
          .filter(([, count]) => count > 0)
          .map(([status, count]) => ({ status, count }));
        return { at: new Date(minute * MINUTE_MS), answers };
      });
    },
  };
}

function minuteOf(clock: Clock): number {
  return Math.floor(clock.nowMs() / MINUTE_MS);
}

function slotOf(minute: number): number {
  return (minute % TRAFFIC_MINUTES) * STATUSES;
}
