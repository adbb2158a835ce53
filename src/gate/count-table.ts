// The counts of many keys in little memory: numbers in typed arrays, found by the id of the key.

import type { KeyCounts } from "../domain/keys/limits.ts";

const FIELDS = 10;
/** Memory is allocated for this many keys at a time; doubling would leave up to half of it unused. */
const KEYS_PER_BLOCK = 4_096;

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

  function takeSlot(): number {
    const slot = free.pop();
    if (slot !== undefined) return slot;
    const first = blocks.length * KEYS_PER_BLOCK;
    blocks.push(new Float64Array(KEYS_PER_BLOCK * FIELDS));
    free = Array.from({ length: KEYS_PER_BLOCK - 1 }, (_, index) => first + KEYS_PER_BLOCK - 1 - index);
    return first;
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
      let slot = slots.get(id);
      if (slot === undefined) {
        slot = takeSlot();
        slots.set(id, slot);
      }
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
