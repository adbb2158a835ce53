// The gate of a single node: counts in memory, stored every few seconds and at the stop.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Clock } from "../domain/basics/clock.ts";
import { createAddressBudgets } from "../domain/keys/address-budgets.ts";
import {
  type Admission,
  admit,
  isForgettable,
  type KeyCounts,
  NO_COUNTS,
  peek,
} from "../domain/keys/admission.ts";
import type { ApiKey } from "../domain/keys/api-key.ts";
import type { CountStore, Gate } from "../domain/keys/gate.ts";
import { PLANS, policyOf } from "../domain/keys/plan.ts";

/** A kill loses the counts since the last complete flush: well under 5 s. */
const FLUSH_EVERY_MS = 2_000;
/** Counts per transaction, so that requests do not wait long for one. */
const SAVED_PER_STEP = 250;
/** Counts checked per flush, so that a million keys do not block the event loop. */
const SWEEP_PER_FLUSH = 5_000;
export interface InProcessGate extends Gate {
  admit(key: ApiKey): Admission;
  peek(key: ApiKey): Admission;
  flush(): Promise<void>;
}

interface InProcessGateOptions {
  clock: Clock;
  store: Pick<CountStore, "loadAll" | "save">;
  /** Rises when another process changes the database; absent if the engine cannot say. */
  foreignChanges?: (() => number) | undefined;
  /** Called when a flush fails; the next one stores the counts again. */
  onFlushError: (error: unknown) => void;
}

export async function createInProcessGate(options: InProcessGateOptions): Promise<InProcessGate> {
  const { clock, foreignChanges, onFlushError } = options;
  const counts = await loadCounts(options);
  const addresses = createAddressBudgets(PLANS.free.perMinute);
  let petsVersion = 0;

  /** Other processes may have changed anything, so each of their changes begins a generation. */
  function generation(): number {
    try {
      return foreignChanges?.() ?? 0;
    } catch {
      // NaN never equals itself: nothing is served from a cache, and the next read reports the error.
      return Number.NaN;
    }
  }

  /** The sum identifies a state, because neither number ever falls. */
  function withVersions(key: ApiKey, admission: Admission): Admission {
    if (foreignChanges !== undefined)
      admission.versions = { pets: generation() + petsVersion, key: key.version ?? 0 };
    return admission;
  }

  const timer = setInterval(() => counts.flush().catch(onFlushError), FLUSH_EVERY_MS).unref();

  return {
    hasVersions: foreignChanges !== undefined,
    admit(key) {
      const { counts: after, admission } = admit(counts.get(key.id), policyOf(key), clock.nowMs());
      counts.set(key.id, after);
      return withVersions(key, admission);
    },
    peek: (key) => withVersions(key, peek(counts.get(key.id), policyOf(key), clock.nowMs())),
    admitAnonymous: (address) => addresses.admit(address, clock.nowMs()),
    peekAnonymous: (address) => addresses.peek(address, clock.nowMs()),
    async publishPetsVersion(version) {
      petsVersion = Math.max(petsVersion, version);
    },
    // There is no other node, and this one drops a key that it changes from its cache.
    async publishKeyVersion() {},
    generation,
    faults: () => [],
    flush: counts.flush,
    async close() {
      clearInterval(timer);
      await counts.flush();
    },
  };
}

/** The counts of all keys in memory. `flush` stores those that have changed, and forgets some that have ended. */
async function loadCounts({ store, clock }: InProcessGateOptions) {
  const counts = await store.loadAll(clock.nowMs());
  let unsaved = new Set<bigint>();
  let sweep = counts.keys();
  const get = (id: bigint) => counts.get(id) ?? NO_COUNTS;

  function forgetEnded(): void {
    const nowMs = clock.nowMs();
    for (let i = 0; i < SWEEP_PER_FLUSH; i++) {
      const { done, value: id } = sweep.next();
      if (done) {
        sweep = counts.keys();
        return;
      }
      if (isForgettable(get(id), nowMs)) counts.delete(id);
    }
  }

  return {
    get,
    set(id: bigint, changed: KeyCounts): void {
      counts.set(id, changed);
      unsaved.add(id);
    },
    async flush(): Promise<void> {
      forgetEnded();
      const saving = unsaved;
      unsaved = new Set();
      while (saving.size > 0) {
        const step = [...saving.keys().take(SAVED_PER_STEP)];
        try {
          await store.save(new Map(step.map((id) => [id, get(id)])));
        } catch (error) {
          unsaved = new Set([...saving, ...unsaved]);
          throw error;
        }
        for (const id of step) saving.delete(id);
        await yieldToEventLoop();
      }
    },
  };
}
