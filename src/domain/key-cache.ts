// Keys that were verified a moment ago, for nodes that share a store: good while no key has changed since.

import type { ApiKey, KeyStore } from "./api-key.ts";
import type { Clock } from "./clock.ts";

/** Bounds the harm of a version that was not raised, or cannot be asked for. */
const MAX_AGE_MS = 5_000;
const ENTRIES_MAX = 10_000;

interface Entry {
  key: ApiKey;
  readAtMs: number;
}

export interface KeyCache {
  /** As KeyStore.findBySecret. The key carries the version of the keys that it was read under. */
  find(hash: Buffer): Promise<ApiKey | undefined>;
}

/** `versionOf` tells the newest version that was heard of; undefined while there is nobody to ask. */
export function createKeyCache(options: {
  keys: KeyStore;
  clock: Clock;
  versionOf: () => number | undefined;
}): KeyCache {
  const { keys, clock, versionOf } = options;
  const entries = new Map<string, Entry>();

  function isGood({ key, readAtMs }: Entry, nowMs: number): boolean {
    const version = versionOf();
    if (version !== undefined && key.version !== version) return false;
    const endsAtMs = Math.min(
      key.expiresAtMs ?? Infinity,
      key.secretEndsAtMs ?? Infinity,
      readAtMs + MAX_AGE_MS,
    );
    return nowMs < endsAtMs;
  }

  return {
    async find(hash) {
      const name = hash.toString("base64");
      const nowMs = clock.nowMs();
      const entry = entries.get(name);
      if (entry !== undefined && isGood(entry, nowMs)) return entry.key;
      entries.delete(name);
      // Taken before the look-up: a change that falls between the two is then noticed by the next request.
      const version = versionOf();
      const found = await keys.findBySecret(hash, nowMs);
      if (found === undefined) return undefined;
      const key: ApiKey = { ...found, version };
      const [oldest] = entries.size >= ENTRIES_MAX ? entries.keys() : [];
      if (oldest !== undefined) entries.delete(oldest);
      entries.set(name, { key, readAtMs: nowMs });
      return key;
    },
  };
}
