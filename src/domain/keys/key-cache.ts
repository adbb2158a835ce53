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
  /** Versions reported by the gate. They are valid within a generation only. */
  const newest = createBoundedMap<bigint, { version: number; generation: number }>(ENTRIES_MAX);

  let changes = 0;

  /** 0 if the gate has reported none. */
  function reportedVersion(id: bigint): number {
    const reported = newest.get(id);
    return reported !== undefined && reported.generation === generation() ? reported.version : 0;
  }

  function isGood({ key, readAtMs, generation: readIn }: Entry): boolean {
    if (readIn !== generation() || (key.version ?? 0) < reportedVersion(key.id)) return false;
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
      const reported = entry === undefined ? 0 : reportedVersion(entry.key.id);
      const read = { readAtMs: clock.monotonicMs(), generation: generation() };
      const changesBefore = changes;
      const found = await keys.findBySecret(Buffer.from(digest, "latin1"), clock.nowMs());
      if (found === undefined) {
        entries.delete(digest);
        return undefined;
      }
      // The key was read after the gate reported this version. If the database has been set back, its version is lower,
      // and without the maximum the gate would report the key as stale forever.
      const key: ApiKey = { ...found, version: Math.max(found.version ?? 0, reported) };
      // A key that changed during the look-up is not cached.
      if (changes === changesBefore) entries.set(digest, { key, ...read });
      return key;
    },
    forget(id) {
      changes += 1;
      for (const [digest, { key }] of entries.entries()) if (key.id === id) entries.delete(digest);
    },
    renew: (id, version) => newest.set(id, { version, generation: generation() }),
  };
}
