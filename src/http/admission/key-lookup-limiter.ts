// Bounds the key look-ups that anonymous callers on one address cause.

import type { Clock } from "../../domain/basics/clock.ts";
import type { Admission } from "../../domain/keys/admission.ts";
import type { Gate } from "../../domain/keys/gate.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";

/**
 * Look-ups beyond the budget of an address, for valid keys that this node has not seen yet: without a look-up it cannot
 * distinguish them from invalid ones.
 */
const RESERVE_MAX = 20;
const RESERVE_EVERY_MS = 1_000;
/** As many as there are budgets of addresses. */
const RESERVES_MAX = 10_000;

interface LookUp {
  /**
   * Resolves to whether the look-up is allowed. Waits while running look-ups of the same address may use up its budget,
   * and calls `isSeen` again after each wait. Rejects if one of those look-ups fails.
   */
  allow(isSeen: () => boolean): Promise<boolean>;
  /** Why `allow` has resolved to false. The gate could answer differently now, as the minute may have ended. */
  refusal(): Admission | undefined;
  /** Called after the outcome has been charged; `failure` if the look-up failed. */
  close(failure?: unknown): void;
}

interface Running {
  count: number;
  waiting: Array<{ resolve: () => void; reject: (failure: unknown) => void }>;
}

export function createLookUps(gate: Pick<Gate, "peekAnonymous">, clock: Clock): (address: string) => LookUp {
  const addresses = new Map<string, Running>();
  const takeReserve = createReserves(clock);

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

/** The returned function returns false where the reserve of the address is used up. */
function createReserves(clock: Clock): (address: string) => boolean {
  const reserves = createBoundedMap<string, { left: number; atMs: number }>(RESERVES_MAX);
  return (address) => {
    const nowMs = clock.nowMs();
    const { left, atMs } = reserves.get(address) ?? { left: RESERVE_MAX, atMs: nowMs };
    // A clock that was set back must not stop the refill.
    const sinceMs = Math.min(atMs, nowMs);
    const grown = Math.floor((nowMs - sinceMs) / RESERVE_EVERY_MS);
    const available = Math.min(RESERVE_MAX, left + grown);
    reserves.set(address, { left: Math.max(0, available - 1), atMs: grown > 0 ? nowMs : sinceMs });
    return available > 0;
  };
}
