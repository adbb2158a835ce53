// The hashes of secrets that are in use right now, so that a secret is not hashed with every request.

import type { Clock } from "../clock.ts";
import { digestSecret } from "./key-secret.ts";

/** All are forgotten this often: no secret stays in memory longer than the key that was read by it. */
const KEPT_MS = 5_000;
const NAMES_MAX = 10_000;

export interface SecretDigests {
  of(secret: string): string;
  /** For secrets that were found good: strangers' texts are not worth the memory. */
  remember(secret: string, name: string): void;
}

export function createSecretDigests(clock: Clock): SecretDigests {
  const names = new Map<string, string>();
  let sinceMs = clock.monotonicMs();

  return {
    of(secret) {
      const nowMs = clock.monotonicMs();
      if (nowMs - sinceMs >= KEPT_MS) {
        names.clear();
        sinceMs = nowMs;
      }
      return names.get(secret) ?? digestSecret(secret);
    },
    remember(secret, name) {
      if (names.size < NAMES_MAX) names.set(secret, name);
    },
  };
}
