// Stores when a key was last used, at most once a minute per key.

import type { FastifyBaseLogger } from "fastify";
import { MINUTE_MS } from "../../domain/basics/durations.ts";
import type { ApiKey, KeyStore } from "../../domain/keys/api-key.ts";
import { CONFIGURED_KEY_ID } from "../../domain/keys/key-verifier.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { HttpServices } from "../services.ts";

const STORED_MAX = 10_000;

type Log = Pick<FastifyBaseLogger, "warn">;

/** Does not wait; a failure is logged. */
export type RecordKeyUse = (key: ApiKey, log: Log, isDeprecated: boolean | undefined) => void;

export function createKeyUse({ keyRing, clock }: Pick<HttpServices, "keyRing" | "clock">): RecordKeyUse {
  function oncePerMinute(store: KeyStore["touch"], storedMs: (key: ApiKey) => number | undefined) {
    /** Newer than the time in the key, which may come from the cache. */
    const stored = createBoundedMap<bigint, number>(STORED_MAX);
    return (key: ApiKey, log: Log): void => {
      const nowMs = clock.nowMs();
      const lastMs = Math.max(storedMs(key) ?? 0, stored.get(key.id) ?? 0);
      if (key.id === CONFIGURED_KEY_ID || nowMs - lastMs < MINUTE_MS) return;
      stored.set(key.id, nowMs);
      store(key.id, nowMs).catch((err) => log.warn({ err }, "the last use of a key was not stored"));
    };
  }

  const recordUse = oncePerMinute(keyRing.recordUse, (key) => key.lastUsedAtMs);
  const recordDeprecatedUse = oncePerMinute(keyRing.recordDeprecatedUse, (key) => key.deprecatedUsedAtMs);
  return (key, log, isDeprecated) => {
    recordUse(key, log);
    if (isDeprecated) recordDeprecatedUse(key, log);
  };
}
