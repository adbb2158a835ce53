// Finds the key of a secret: the configured one, a cached one, or a stored one.

import { type BoundedMap, createBoundedMap } from "../../tools/bounded-map.ts";
import type { Clock } from "../basics/clock.ts";
import { DAY_MS } from "../basics/durations.ts";
import type { ApiKey, KeyStore } from "./api-key.ts";
import type { KeyCache } from "./key-cache.ts";
import { digestSecret, type Environment, hashSecret, isSecret } from "./key-secret.ts";

/** About 5 MB when full. */
const SEEN_MAX = 50_000;
const RECALLED_MS = DAY_MS;
/** Stored keys count from 1; this is the id of ADMIN_API_KEY, which exists in memory only. */
export const CONFIGURED_KEY_ID = 0n;

export interface KeyVerifier {
  /**
   * Resolves to undefined unless the key is valid, without a reason. `allow` decides on a look-up; its `isSeen` says
   * whether the secret was valid at this node's last look-up.
   */
  verify(secret: string, allow?: (isSeen: () => boolean) => Promise<boolean>): Promise<ApiKey | undefined>;
  /** The same from memory; undefined also for a key that has to be looked up. */
  recall(secret: string): ApiKey | undefined;
  /** At the start: marks keys used within the last day as seen. */
  recallUsed(): Promise<void>;
  /** The gate reports the key as stale: it has to be read again. */
  renew(key: ApiKey, version: number): void;
}

/** Digests of secrets that were valid at the last look-up by this node, or that it has issued. */
export type SeenSecrets = BoundedMap<string, true>;

export function createSeenSecrets(): SeenSecrets {
  return createBoundedMap(SEEN_MAX);
}

export interface VerifierOptions {
  keys: KeyStore;
  clock: Clock;
  environment: Environment;
  adminApiKey?: string | undefined;
  /** Absent if the gate has no versions: then every look-up goes to the store. */
  cache?: KeyCache | undefined;
}

export function createKeyVerifier(options: VerifierOptions, seen: SeenSecrets): KeyVerifier {
  const { keys, clock, environment, adminApiKey, cache } = options;
  const configured = adminApiKey === undefined ? undefined : configuredKey(adminApiKey, clock);
  // A plain comparison is safe: its timing reveals only digests, which a caller cannot choose.
  const recall = (digest: string) => (digest === configured?.digest ? configured.key : cache?.recall(digest));

  return {
    recall: (secret) => recall(digestSecret(secret)),
    async verify(secret, allow) {
      const digest = digestSecret(secret);
      const known = recall(digest);
      if (known !== undefined) return known;
      if (!isSecret(secret, environment)) return undefined;
      if (allow && !(await allow(() => seen.get(digest) === true))) return undefined;
      const found = await (cache?.find(digest) ?? keys.findBySecret(hashSecret(secret), clock.nowMs()));
      if (found === undefined) seen.delete(digest);
      else seen.set(digest, true);
      return found;
    },
    async recallUsed() {
      const hashes = await keys.listUsedSecrets(clock.nowMs() - RECALLED_MS, SEEN_MAX);
      for (const hash of hashes) seen.set(hash.toString("latin1"), true);
    },
    renew: (key, version) => cache?.renew(key.id, version),
  };
}

function configuredKey(secret: string, clock: Clock): { key: ApiKey; digest: string } {
  const key: ApiKey = {
    id: CONFIGURED_KEY_ID,
    name: "ADMIN_API_KEY",
    plan: "enterprise",
    access: "admin",
    kind: "secret",
    hint: "",
    createdAtMs: clock.nowMs(),
  };
  return { key, digest: digestSecret(secret) };
}
