// Cache of keys; the gate reports when one of them has changed.

import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Clock } from "../basics/clock.ts";
import type { ApiKey, KeyStore } from "./api-key.ts";

/** Bounds how long a change that the gate does not report stays unnoticed. */
const MAX_AGE_MS = 5_000;
const ENTRIES_MAX = 10_000;

interface Entry {
  key: ApiKey;
  /** By the monotonic clock. */
  readAtMs: number;
  generation: number;
}

/** Keys are found by the `digestSecret` of a secret. */
export interface KeyCache {
  /** From memory; undefined if the key is not cached or no longer valid. */
  recall(digest: string): ApiKey | undefined;
  /** From memory or from the store, like KeyStore.findBySecret. */
  find(digest: string): Promise<ApiKey | undefined>;
  /** After a change by this node: takes effect with its next request, even if the gate fails. */
  forget(id: bigint): void;
  /** The key now has this version: a cached key with a lower one is read again. */
  renew(id: bigint, version: number): void;
}

export function createKeyCache(options: {
  keys: KeyStore;
  clock: Clock;
  /** As Gate.generation. */
  generation: () => number;
}): KeyCache {
  const { keys, clock, generation } = options;
  const entries = createBoundedMap<string, Entry>(ENTRIES_MAX);
  const reported = createReportedVersions(generation);
  let changes = 0;

  function isGood({ key, readAtMs, generation: readIn }: Entry): boolean {
    if (readIn !== generation() || (key.version ?? 0) < reported.of(key.id)) return false;
    if (clock.monotonicMs() - readAtMs >= MAX_AGE_MS) return false;
    return clock.nowMs() < Math.min(key.expiresAtMs ?? Infinity, key.secretEndsAtMs ?? Infinity);
  }

  function recall(digest: string): ApiKey | undefined {
    const entry = entries.get(digest);
    return entry !== undefined && isGood(entry) ? entry.key : undefined;
  }

  return {
    recall,
    async find(digest) {
      const good = recall(digest);
      if (good !== undefined) return good;
      const entry = entries.get(digest);
      // Taken before the look-up, so that a change during the look-up is noticed.
      const version = entry === undefined ? 0 : reported.of(entry.key.id);
      const read = { readAtMs: clock.monotonicMs(), generation: generation() };
      const changesBefore = changes;
      const found = await keys.findBySecret(Buffer.from(digest, "latin1"), clock.nowMs());
      if (found === undefined) {
        entries.delete(digest);
        return undefined;
      }
      // The key was read after the gate reported this version. If the database has been set back, its version is lower,
      // and without the maximum the gate would report the key as stale forever.
      const key: ApiKey = { ...found, version: Math.max(found.version ?? 0, version) };
      // A key that changed during the look-up is not cached.
      if (changes === changesBefore) entries.set(digest, { key, ...read });
      return key;
    },
    forget(id) {
      changes += 1;
      for (const [digest, { key }] of entries.entries()) if (key.id === id) entries.delete(digest);
    },
    renew: reported.note,
  };
}

/** Versions of keys that the gate has reported. They are valid within a generation only. */
function createReportedVersions(generation: () => number) {
  const newest = createBoundedMap<bigint, { version: number; generation: number }>(ENTRIES_MAX);
  return {
    note: (id: bigint, version: number) => newest.set(id, { version, generation: generation() }),
    /** 0 if the gate has reported none. */
    of(id: bigint): number {
      const found = newest.get(id);
      return found !== undefined && found.generation === generation() ? found.version : 0;
    },
  };
}
