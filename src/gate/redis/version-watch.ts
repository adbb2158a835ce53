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
  noteRedisKeyVersion(version: number): void;
  /** Begins a new epoch. */
  adopt(versions: StoredVersions): void;
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
  const { keys, ...first } = await store.read();
  const changes = createChangedKeys(store, keys);
  const watch = {
    ...first,
    generation: 0,
    notePetsVersion(version: number): void {
      watch.pets = Math.max(watch.pets, version);
    },
    versionOfKey: changes.versionOf,
    noteKeyVersion: changes.note,
    noteRedisKeyVersion: changes.noteRedis,
    adopt,
    beginGeneration(): void {
      watch.generation += 1;
    },
    close: async () => reads?.stop(),
  };

  function adopt({ keys: newestKey, epoch, pets }: StoredVersions): void {
    // Keeps the sum of generation and version rising, whatever the new version is.
    watch.generation += watch.pets + 1;
    watch.epoch = epoch;
    watch.pets = pets;
    changes.restart(newestKey);
  }

  async function read(): Promise<void> {
    const { epoch, pets } = watch;
    const keysBefore = changes.newest();
    const stored = await store.read();
    if (stored.epoch !== epoch) return adopt(stored);
    // All known versions were once in the database. Lower ones mean that it was set back, as by a restored dump or a
    // lagging replica: it will assign the same numbers again to other states.
    if (stored.pets < pets || stored.keys < keysBefore) {
      await store.renewEpoch(epoch);
      return adopt(await store.read());
    }
    watch.notePetsVersion(stored.pets);
    await changes.readUntil(stored.keys);
  }

  const reads = isRepeated ? repeat(EVERY_MS, read, onError) : undefined;
  return watch;
}

/** The keys that have changed after version `first`. */
function createChangedKeys(store: VersionStore, first: number) {
  /** The newest version that was read from the database. */
  let read = first;
  /** The highest key version seen in Redis. The counter in the database had reached it before. */
  let newestInRedis = 0;
  let versions = createBoundedMap<bigint, number>(CHANGED_KEYS_MAX);

  function note(id: bigint, version: number): void {
    if (version > (versions.get(id) ?? 0)) versions.set(id, version);
  }

  return {
    note,
    versionOf: (id: bigint) => versions.get(id) ?? 0,
    noteRedis(version: number): void {
      newestInRedis = Math.max(newestInRedis, version);
    },
    newest: () => Math.max(read, newestInRedis),
    restart(version: number): void {
      read = version;
      newestInRedis = 0;
      versions = createBoundedMap(CHANGED_KEYS_MAX);
    },
    async readUntil(version: number): Promise<void> {
      for (let isFull = version > read; isFull; ) {
        const changed = await store.listChangedKeys(read, KEYS_PER_STEP);
        for (const { id, version: each } of changed) {
          note(id, each);
          read = each;
        }
        isFull = changed.length === KEYS_PER_STEP;
      }
    },
  };
}
