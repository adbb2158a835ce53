// Keys that were read a moment ago: the gate tells when one has changed since.

import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Clock } from "../clock.ts";
import type { ApiKey, KeyStore } from "./api-key.ts";

/** Bounds the harm of a change that the gate has not heard of, or cannot tell. */
const MAX_AGE_MS = 5_000;
const ENTRIES_MAX = 10_000;

interface Entry {
  key: ApiKey;
  /** By the monotonic clock. */
  readAtMs: number;
  generation: number;
}

/** Secrets go by `digestSecret`. */
export interface KeyCache {
  /** What is in memory and still good. */
  recall(name: string): ApiKey | undefined;
  /** As KeyStore.findBySecret. */
  find(name: string): Promise<ApiKey | undefined>;
  /** A change that this node has made itself: in force for its next request, whatever becomes of the gate. */
  forget(id: bigint): void;
  /** The key has this version now: what was read under a lower one is read anew. */
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
  /** The versions that the gate has told. In another generation they may mean something else. */
  const newest = createBoundedMap<bigint, { version: number; generation: number }>(ENTRIES_MAX);

  let changes = 0;

  /** 0 where nothing was told. */
  function toldVersion(id: bigint): number {
    const told = newest.get(id);
    return told !== undefined && told.generation === generation() ? told.version : 0;
  }

  function isGood({ key, readAtMs, generation: readIn }: Entry, nowMs: number): boolean {
    if (readIn !== generation() || (key.version ?? 0) < toldVersion(key.id)) return false;
    if (clock.monotonicMs() - readAtMs >= MAX_AGE_MS) return false;
    return nowMs < Math.min(key.expiresAtMs ?? Infinity, key.secretEndsAtMs ?? Infinity);
  }

  function recall(name: string, nowMs: number): ApiKey | undefined {
    const entry = entries.get(name);
    return entry !== undefined && isGood(entry, nowMs) ? entry.key : undefined;
  }

  return {
    recall: (name) => recall(name, clock.nowMs()),

    async find(name) {
      const nowMs = clock.nowMs();
      const good = recall(name, nowMs);
      if (good !== undefined) return good;
      const entry = entries.get(name);
      // All of it as it is before the look-up: a change that falls between the two is then noticed.
      const told = entry === undefined ? 0 : toldVersion(entry.key.id);
      const read = { readAtMs: clock.monotonicMs(), generation: generation() };
      const changesBefore = changes;
      const found = await keys.findBySecret(Buffer.from(name, "latin1"), nowMs);
      if (found === undefined) {
        entries.delete(name);
        return undefined;
      }
      // Read after the gate has told a version, it is at least of that one, even where the database has gone back in time:
      // otherwise the gate would call it stale for ever.
      const key: ApiKey = { ...found, version: Math.max(found.version ?? 0, told) };
      // What was forgotten while it was being read is not remembered again.
      if (changes === changesBefore) entries.set(name, { key, ...read });
      return key;
    },
    forget(id) {
      changes += 1;
      for (const [name, { key }] of entries.entries()) if (key.id === id) entries.delete(name);
    },
    renew: (id, version) => newest.set(id, { version, generation: generation() }),
  };
}
