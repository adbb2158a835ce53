// What this node knows of the versions: read from the database at the start and four times a second, told by Redis in
// between. A change that Redis has not heard of, or that came from a command without Redis, is noticed all the same.

import type { StoredVersions, VersionStore } from "../../domain/versions.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import { repeat } from "./repeat.ts";

const EVERY_MS = 250;
const KEYS_PER_STEP = 1_000;
/** More than a node keeps in memory. */
const CHANGED_KEYS_MAX = 20_000;

export interface VersionWatch {
  readonly epoch: string;
  /** Never falls within an epoch. */
  readonly pets: number;
  /** See Gate.generation. */
  readonly generation: number;
  notePetsVersion(version: number): void;
  /** The newest version heard of; 0 for a key that has not changed lately. */
  versionOfKey(id: bigint): number;
  noteKeyVersion(id: bigint, version: number): void;
  /** Redis has told this version of some key, in the current epoch. */
  hearKeyVersion(version: number): void;
  /** Nothing that was read before is kept. */
  beginGeneration(): void;
  close(): Promise<void>;
}

interface WatchOptions {
  store: VersionStore;
  /** A command looks once, at its start. */
  isRepeated: boolean;
  onError: (error: unknown) => void;
}

export async function startVersionWatch({ store, isRepeated, onError }: WatchOptions): Promise<VersionWatch> {
  let { epoch, pets, keys }: StoredVersions = await store.read();
  let generation = 0;
  /** The highest version of a key in Redis. The counter in the database was there before. */
  let heardKeys = 0;
  let changedKeys = createBoundedMap<bigint, number>(CHANGED_KEYS_MAX);

  function adopt(stored: StoredVersions): void {
    // The sum of generation and version rises, whatever the new version is.
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
    // Everything known was in the database before. It has gone back in time, as by a dump or a replica that lagged:
    // its next numbers were given out before and mean something else.
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
