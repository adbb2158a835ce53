// The gate of a single node: counts in memory, kept in storage every few seconds and at the end.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApiKey } from "../domain/api-key.ts";
import type { Clock } from "../domain/clock.ts";
import { type CountStore, type Gate, policyOf } from "../domain/gate.ts";
import { type Admission, admit, isForgettable, NO_COUNTS, peek, type Versions } from "../domain/limits.ts";
import { PLANS } from "../domain/plan.ts";
import { createCountTable } from "./count-table.ts";
import { createStrangerBudgets } from "./stranger-budgets.ts";

/** A kill loses the counts since the last flush, a flush included: well under 5 s. */
const FLUSH_EVERY_MS = 2_000;
/** Stored in steps, so that requests do not wait long for one. */
const SAVED_PER_STEP = 250;
/** Spent counts are looked for a few at a time, so that a million keys never cost one long pause. */
const SWEEP_PER_FLUSH = 5_000;

export interface InProcessGate extends Gate {
  flush(): Promise<void>;
}

export async function createInProcessGate(options: {
  clock: Clock;
  store: CountStore;
  /** Counts what other processes have changed in the database; absent where nobody can tell. */
  foreignChanges?: (() => number) | undefined;
  /** Told when a flush fails; the counts stay in memory and go with the next one. */
  onFlushError: (error: unknown) => void;
}): Promise<InProcessGate> {
  const { clock, store, foreignChanges, onFlushError } = options;
  const counts = createCountTable();
  for (const [id, each] of await store.loadAll(clock.nowMs())) counts.set(id, each);
  const strangers = createStrangerBudgets(PLANS.free.perMinute);
  let unsaved = new Set<bigint>();
  let sweep = counts.ids();
  let petChanges = 0;
  const keyChanges = new Map<bigint, number>();

  async function flush(): Promise<void> {
    forgetSpent();
    const saving = unsaved;
    unsaved = new Set();
    while (saving.size > 0) {
      const step = [...saving.keys().take(SAVED_PER_STEP)];
      try {
        await store.save(new Map(step.map((id) => [id, counts.get(id) ?? NO_COUNTS])));
      } catch (error) {
        unsaved = new Set([...saving, ...unsaved]);
        throw error;
      }
      for (const id of step) saving.delete(id);
      await nextTurn();
    }
  }

  function forgetSpent(): void {
    const nowMs = clock.nowMs();
    for (let i = 0; i < SWEEP_PER_FLUSH; i++) {
      const { done, value: id } = sweep.next();
      if (done) {
        sweep = counts.ids();
        return;
      }
      if (isForgettable(counts.get(id) ?? NO_COUNTS, nowMs)) counts.delete(id);
    }
  }

  /** What other processes have changed may be anything: all that is kept in memory grows old by it. */
  function versionsFor(key: ApiKey): Versions | undefined {
    if (foreignChanges === undefined) return undefined;
    const foreign = foreignChanges();
    return { pets: foreign + petChanges, key: foreign + (keyChanges.get(key.id) ?? 0) };
  }

  function decide(key: ApiKey, isCharged: boolean): Admission {
    const versions = versionsFor(key);
    const before = counts.get(key.id) ?? NO_COUNTS;
    const isStale = versions !== undefined && key.version !== undefined && key.version !== versions.key;
    if (isStale || !isCharged) {
      const admission = peek(before, policyOf(key), clock.nowMs());
      return { ...admission, ...(isStale && { verdict: "stale" }), ...(versions && { versions }) };
    }
    const { counts: after, admission } = admit(before, policyOf(key), clock.nowMs());
    counts.set(key.id, after);
    unsaved.add(key.id);
    if (versions !== undefined) admission.versions = versions;
    return admission;
  }

  const timer = setInterval(() => flush().catch(onFlushError), FLUSH_EVERY_MS).unref();

  return {
    hasVersions: foreignChanges !== undefined,
    admit: (key) => decide(key, true),
    peek: (key) => decide(key, false),
    admitStranger: (address) => strangers.admit(address, clock.nowMs()),
    peekStranger: (address) => strangers.peek(address, clock.nowMs()),
    async raisePets() {
      petChanges += 1;
    },
    async raiseKey(id) {
      keyChanges.set(id, (keyChanges.get(id) ?? 0) + 1);
    },
    faults: () => [],
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
