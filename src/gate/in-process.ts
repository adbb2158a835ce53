// The gate of a single node: counts in memory, kept in storage every few seconds and at the end.

import type { Clock } from "../domain/clock.ts";
import { type CountStore, type Gate, policyOf } from "../domain/gate.ts";
import { admit, isForgettable, type KeyCounts, NO_COUNTS, peek } from "../domain/limits.ts";
import { PLANS } from "../domain/plan.ts";
import { createStrangerBudgets } from "./stranger-budgets.ts";

/** A kill loses the counts since the last flush, a flush included: well under 5 s. */
const FLUSH_EVERY_MS = 2_000;
/** Spent counts are looked for a few at a time, so that a million keys never cost one long pause. */
const SWEEP_PER_FLUSH = 5_000;

export interface InProcessGate extends Gate {
  flush(): Promise<void>;
}

export async function createInProcessGate(options: {
  clock: Clock;
  store: CountStore;
  /** Told when a flush fails; the counts stay in memory and go with the next one. */
  onFlushError: (error: unknown) => void;
}): Promise<InProcessGate> {
  const { clock, store, onFlushError } = options;
  const countsByKey = await store.loadAll(clock.nowMs());
  const strangers = createStrangerBudgets(PLANS.free.perMinute);
  let unsaved = new Map<bigint, KeyCounts>();
  let sweep = countsByKey.entries();

  async function flush(): Promise<void> {
    forgetSpent();
    if (unsaved.size === 0) return;
    const saving = unsaved;
    unsaved = new Map();
    try {
      await store.save(saving);
    } catch (error) {
      unsaved = new Map([...saving, ...unsaved]);
      throw error;
    }
  }

  function forgetSpent(): void {
    const nowMs = clock.nowMs();
    for (let i = 0; i < SWEEP_PER_FLUSH; i++) {
      const { done, value } = sweep.next();
      if (done) {
        sweep = countsByKey.entries();
        return;
      }
      const [id, counts] = value;
      if (isForgettable(counts, nowMs)) countsByKey.delete(id);
    }
  }

  const timer = setInterval(() => flush().catch(onFlushError), FLUSH_EVERY_MS).unref();

  return {
    admit(key) {
      const { counts, admission } = admit(countsByKey.get(key.id) ?? NO_COUNTS, policyOf(key), clock.nowMs());
      countsByKey.set(key.id, counts);
      unsaved.set(key.id, counts);
      return admission;
    },
    peek: (key) => peek(countsByKey.get(key.id) ?? NO_COUNTS, policyOf(key), clock.nowMs()),
    admitStranger: (address) => strangers.admit(address, clock.nowMs()),
    peekStranger: (address) => strangers.peek(address, clock.nowMs()),
    // Alone there is nobody to tell, and nothing is kept that could grow stale.
    raisePets: async () => {},
    raiseKey: async () => {},
    faults: () => [],
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
