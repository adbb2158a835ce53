// Whether a key that is not in memory may be looked up: what strangers on one address can cost the database is bounded.

import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Clock } from "../clock.ts";
import type { Gate } from "./gate.ts";
import type { Admission } from "./limits.ts";

/**
 * Look-ups beyond the budget of an address, for valid keys that this node has never seen: they cannot be told from
 * strangers' keys without one.
 */
const RESERVE_MAX = 20;
const RESERVE_EVERY_MS = 1_000;
/** As many as there are budgets of addresses. */
const RESERVES_MAX = 10_000;

/** One request that may have to look its key up. */
export interface LookUp {
  /**
   * Resolves to whether it may. Waits while look-ups of the same address are running that may spend what is left;
   * `isSeen` is asked again after each wait. Rejects when the store has failed meanwhile.
   */
  allow(isSeen: () => boolean): Promise<boolean>;
  /** Why `allow` has resolved to false. Asking the gate again could give another answer: the minute may have ended. */
  refusal(): Admission | undefined;
  /** To be called when the outcome has been charged; `failure` is why there is none. */
  close(failure?: unknown): void;
}

interface Running {
  count: number;
  waiting: Array<{ resolve: () => void; reject: (failure: unknown) => void }>;
}

export function createLookUps(gate: Pick<Gate, "peekAnonymous">, clock: Clock): (address: string) => LookUp {
  const addresses = new Map<string, Running>();
  const reserves = createBoundedMap<string, { left: number; atMs: number }>(RESERVES_MAX);

  function takeReserve(address: string): boolean {
    const nowMs = clock.nowMs();
    const { left, atMs } = reserves.get(address) ?? { left: RESERVE_MAX, atMs: nowMs };
    // A clock that was set back must not stop the growth.
    const sinceMs = Math.min(atMs, nowMs);
    const grown = Math.floor((nowMs - sinceMs) / RESERVE_EVERY_MS);
    const available = Math.min(RESERVE_MAX, left + grown);
    reserves.set(address, { left: Math.max(0, available - 1), atMs: grown > 0 ? nowMs : sinceMs });
    return available > 0;
  }

  function end(address: string, running: Running, failure: unknown): void {
    running.count -= 1;
    if (running.count === 0) addresses.delete(address);
    const { waiting } = running;
    running.waiting = [];
    for (const { resolve, reject } of waiting) failure === undefined ? resolve() : reject(failure);
  }

  return (address) => {
    let charged: Running | undefined;
    let refusal: Admission | undefined;
    return {
      async allow(isSeen) {
        while (!isSeen()) {
          const running = addresses.get(address) ?? { count: 0, waiting: [] };
          const budget = gate.peekAnonymous(address);
          const left = budget.windows[0]?.remaining ?? 0;
          if (left > running.count) {
            running.count += 1;
            addresses.set(address, running);
            charged = running;
            return true;
          }
          if (running.count === 0) {
            if (takeReserve(address)) return true;
            refusal = { ...budget, verdict: "minute" };
            return false;
          }
          await new Promise<void>((resolve, reject) => running.waiting.push({ resolve, reject }));
        }
        return true;
      },
      refusal: () => refusal,
      close(failure) {
        if (charged !== undefined) end(address, charged, failure);
        charged = undefined;
      },
    };
  };
}
