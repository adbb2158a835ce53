// Keys that were read a moment ago: the gate tells when one has changed since.

import type { ApiKey, KeyStore } from "./api-key.ts";
import { createBoundedMap } from "./bounded-map.ts";
import type { Clock } from "./clock.ts";

/** Bounds the harm of a change that the gate has not heard of, or cannot tell. */
const MAX_AGE_MS = 5_000;
const ENTRIES_MAX = 10_000;
/** No state of a key is called this: the gate will say what it is called. */
const UNKNOWN_VERSION = -1;

interface Entry {
  key: ApiKey;
  readAtMs: number;
}

/** Secrets go by `nameSecret`. */
export interface KeyCache {
  /** What is in memory and still good. */
  recall(name: string): ApiKey | undefined;
  /** As KeyStore.findBySecret; the key carries the version that it was read under. */
  find(name: string): Promise<ApiKey | undefined>;
  /** A change that this node has made itself: in force for its next request, whatever becomes of the gate. */
  forget(id: bigint): void;
  /** The key is to be read anew, under the version that the gate has told. */
  renew(id: bigint, version: number): void;
}

export function createKeyCache({ keys, clock }: { keys: KeyStore; clock: Clock }): KeyCache {
  const entries = createBoundedMap<string, Entry>(ENTRIES_MAX);
  const versions = createBoundedMap<bigint, number>(ENTRIES_MAX);

  let changes = 0;

  function isGood({ key, readAtMs }: Entry, nowMs: number): boolean {
    if (key.version !== (versions.get(key.id) ?? UNKNOWN_VERSION)) return false;
    return (
      nowMs < Math.min(key.expiresAtMs ?? Infinity, key.secretEndsAtMs ?? Infinity, readAtMs + MAX_AGE_MS)
    );
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
      // As it was before the look-up: a change that falls between the two is then noticed by the gate.
      const known = entry && versions.get(entry.key.id);
      const changesBefore = changes;
      const found = await keys.findBySecret(Buffer.from(name, "latin1"), nowMs);
      if (found === undefined) {
        entries.delete(name);
        return undefined;
      }
      const key: ApiKey = { ...found, version: known ?? UNKNOWN_VERSION };
      // What was forgotten while it was being read is not remembered again.
      if (changes === changesBefore) entries.set(name, { key, readAtMs: nowMs });
      return key;
    },
    forget(id) {
      changes += 1;
      for (const [name, { key }] of entries.entries()) if (key.id === id) entries.delete(name);
    },
    renew: (id, version) => versions.set(id, version),
  };
}
