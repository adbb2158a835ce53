// The versions that this node knows: from Redis, and from the database at the start and four times a second, so that a
// change that was never published to Redis is noticed too.

import type { StoredVersions, VersionStore } from "../../domain/basics/versions.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import { repeat } from "../../tools/repeat.ts";

const EVERY_MS = 250;
const KEYS_PER_STEP = 1_000;
/** More than the key cache holds. */
const CHANGED_KEYS_MAX = 20_000;

export interface VersionWatch {
  readonly epoch: string;
  /** Never falls within an epoch. */
  readonly pets: number;
  /** See Gate.generation. */
  readonly generation: number;
  notePetsVersion(version: number): void;
  /** The newest known version; 0 for a key without a recent change. */
  versionOfKey(id: bigint): number;
  noteKeyVersion(id: bigint, version: number): void;
  /** Records a key version from Redis, of the current epoch. */
  hearKeyVersion(version: number): void;
  /** Invalidates everything that was read before. */
  beginGeneration(): void;
  close(): Promise<void>;
}

interface WatchOptions {
  store: VersionStore;
  /** A command reads once, at its start. */
  isRepeated: boolean;
  onError: (error: unknown) => void;
}

export async function startVersionWatch({ store, isRepeated, onError }: WatchOptions): Promise<VersionWatch> {
  let { epoch, pets, keys }: StoredVersions = await store.read();
  let generation = 0;
  /** The highest key version seen in Redis. The counter in the database had reached it before. */
  let heardKeys = 0;
  let changedKeys = createBoundedMap<bigint, number>(CHANGED_KEYS_MAX);

  function adopt(stored: StoredVersions): void {
    // Keeps the sum of generation and version rising, whatever the new version is.
    generation += pets + 1;
    ({ epoch, pets, keys } = stored);
    heardKeys = 0;
    changedKeys = createBoundedMap(CHANGED_KEYS_MAX);
  }

  async function read(): Promise<void> {
    const petsBefore = pets;
    const keysBefore = Math.max(keys, heardKeys);
    const stored = await store.read();
    if (stored.epoch !== epoch) return adopt(stored);
    // All known versions were once in the database. Lower ones mean that it was set back, as by a restored dump or a
    // lagging replica: it will assign the same numbers again to other states.
    if (stored.pets < petsBefore || stored.keys < keysBefore) {
      await store.renewEpoch(epoch);
      return adopt(await store.read());
    }
    pets = Math.max(pets, stored.pets);
    if (stored.keys > keys) await readChangedKeys();
  }

  async function readChangedKeys(): Promise<void> {
    for (;;) {
      const changed = await store.listChangedKeys(keys, KEYS_PER_STEP);
      for (const { id, version } of changed) {
        noteKeyVersion(id, version);
        keys = version;
      }
      if (changed.length < KEYS_PER_STEP) return;
    }
  }

  function noteKeyVersion(id: bigint, version: number): void {
    if (version > (changedKeys.get(id) ?? 0)) changedKeys.set(id, version);
  }

  const reads = isRepeated ? repeat(EVERY_MS, read, onError) : undefined;

  return {
    get epoch() {
      return epoch;
    },
    get pets() {
      return pets;
    },
    get generation() {
      return generation;
    },
    notePetsVersion(version) {
      pets = Math.max(pets, version);
    },
    versionOfKey: (id) => changedKeys.get(id) ?? 0,
    noteKeyVersion,
    hearKeyVersion(version) {
      heardKeys = Math.max(heardKeys, version);
    },
    beginGeneration() {
      generation += 1;
    },
    close: async () => reads?.stop(),
  };
}
