// The gate of a single node: counts in memory, stored every few seconds and at the stop.

import { setImmediate as nextEventLoopTick } from "node:timers/promises";
import type { Clock } from "../domain/basics/clock.ts";
import { createAddressBudgets } from "../domain/keys/address-budgets.ts";
import type { ApiKey } from "../domain/keys/api-key.ts";
import type { CountStore, Gate } from "../domain/keys/gate.ts";
import {
  type Admission,
  admit,
  isForgettable,
  type KeyCounts,
  NO_COUNTS,
  peek,
} from "../domain/keys/limits.ts";
import { PLANS, policyOf } from "../domain/keys/plan.ts";

/** A kill loses the counts since the last complete flush: well under 5 s. */
const FLUSH_EVERY_MS = 2_000;
/** Counts per transaction, so that requests do not wait long for one. */
const SAVED_PER_STEP = 250;
/** Counts checked per flush, so that a million keys do not block the event loop. */
const SWEEP_PER_FLUSH = 5_000;
/** Numbers per key in the table of counts. */
const FIELDS = 10;
/** Memory is allocated for this many keys at a time; doubling would leave up to half of it unused. */
const KEYS_PER_BLOCK = 4_096;

export interface InProcessGate extends Gate {
  admit(key: ApiKey): Admission;
  peek(key: ApiKey): Admission;
  flush(): Promise<void>;
}

export async function createInProcessGate(options: {
  clock: Clock;
  store: CountStore;
  /** Rises when another process changes the database; absent if the engine cannot tell. */
  foreignChanges?: (() => number) | undefined;
  /** Called when a flush fails; the next one stores the counts again. */
  onFlushError: (error: unknown) => void;
}): Promise<InProcessGate> {
  const { clock, store, foreignChanges, onFlushError } = options;
  const counts = createCountTable();
  for (const [id, each] of await store.loadAll(clock.nowMs())) counts.set(id, each);
  const addresses = createAddressBudgets(PLANS.free.perMinute);
  let unsaved = new Set<bigint>();
  let sweep = counts.ids();
  let petsVersion = 0;

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
      await nextEventLoopTick();
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

  /** Other processes may have changed anything, so each of their changes begins a generation. */
  function generation(): number {
    try {
      return foreignChanges?.() ?? 0;
    } catch {
      // NaN never equals itself: nothing is served from a cache, and the next read reports the error.
      return Number.NaN;
    }
  }

  function decide(key: ApiKey, isCharged: boolean): Admission {
    const before = counts.get(key.id) ?? NO_COUNTS;
    const admission = isCharged ? charge(key, before) : peek(before, policyOf(key), clock.nowMs());
    // Neither number ever falls, so their sum identifies a state.
    if (foreignChanges !== undefined)
      admission.versions = { pets: generation() + petsVersion, key: key.version ?? 0 };
    return admission;
  }

  function charge(key: ApiKey, before: KeyCounts): Admission {
    const { counts: after, admission } = admit(before, policyOf(key), clock.nowMs());
    counts.set(key.id, after);
    unsaved.add(key.id);
    return admission;
  }

  const timer = setInterval(() => flush().catch(onFlushError), FLUSH_EVERY_MS).unref();

  return {
    hasVersions: foreignChanges !== undefined,
    admit: (key) => decide(key, true),
    peek: (key) => decide(key, false),
    admitAnonymous: (address) => addresses.admit(address, clock.nowMs()),
    peekAnonymous: (address) => addresses.peek(address, clock.nowMs()),
    async publishPetsVersion(version) {
      petsVersion = Math.max(petsVersion, version);
    },
    // There is no other node, and this one drops a key that it changes from its cache.
    async publishKeyVersion() {},
    generation,
    faults: () => [],
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** The counts of many keys in little memory: numbers in typed arrays, found by the id of the key. */
export interface CountTable {
  get(id: bigint): KeyCounts | undefined;
  set(id: bigint, counts: KeyCounts): void;
  delete(id: bigint): void;
  ids(): IterableIterator<bigint>;
}

export function createCountTable(): CountTable {
  const slots = new Map<bigint, number>();
  const blocks: Float64Array[] = [];
  let free: number[] = [];

  function takeSlot(id: bigint): number {
    if (free.length === 0) {
      const last = (blocks.length + 1) * KEYS_PER_BLOCK - 1;
      blocks.push(new Float64Array(KEYS_PER_BLOCK * FIELDS));
      free = Array.from({ length: KEYS_PER_BLOCK }, (_, index) => last - index);
    }
    const slot = free.pop() as number;
    slots.set(id, slot);
    return slot;
  }

  function blockOf(slot: number): Float64Array {
    return blocks[Math.floor(slot / KEYS_PER_BLOCK)] as Float64Array;
  }

  return {
    get(id) {
      const slot = slots.get(id);
      return slot === undefined ? undefined : read(blockOf(slot), slot);
    },
    set(id, counts) {
      const slot = slots.get(id) ?? takeSlot(id);
      write(blockOf(slot), slot, counts);
    },
    delete(id) {
      const slot = slots.get(id);
      if (slot === undefined) return;
      slots.delete(id);
      free.push(slot);
    },
    ids: () => slots.keys(),
  };
}

function read(block: Float64Array, slot: number): KeyCounts {
  const at = (slot % KEYS_PER_BLOCK) * FIELDS;
  const field = (index: number) => block[at + index] as number;
  return {
    minute: { startMs: field(0), used: field(1) },
    day: { startMs: field(2), used: field(3) },
    refusals: { startMs: field(4), used: field(5) },
    ban: { startMs: field(6), endMs: field(7), number: field(8) },
    refusedSinceMs: field(9),
  };
}

function write(block: Float64Array, slot: number, counts: KeyCounts): void {
  const { minute, day, refusals, ban, refusedSinceMs } = counts;
  const at = (slot % KEYS_PER_BLOCK) * FIELDS;
  block[at] = minute.startMs;
  block[at + 1] = minute.used;
  block[at + 2] = day.startMs;
  block[at + 3] = day.used;
  block[at + 4] = refusals.startMs;
  block[at + 5] = refusals.used;
  block[at + 6] = ban.startMs;
  block[at + 7] = ban.endMs;
  block[at + 8] = ban.number;
  block[at + 9] = refusedSinceMs;
}
