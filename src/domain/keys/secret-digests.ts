// Cache of the digests of secrets in use, so that a secret is not hashed with every request.

import type { Clock } from "../clock.ts";
import { digestSecret } from "./key-secret.ts";

/** All are deleted this often: no secret stays in memory longer than its cached key. */
const KEPT_MS = 5_000;
const DIGESTS_MAX = 10_000;

export interface SecretDigests {
  of(secret: string): string;
  /** For valid secrets only, so that anonymous callers cannot fill the memory. */
  remember(secret: string, digest: string): void;
}

export function createSecretDigests(clock: Clock): SecretDigests {
  const digests = new Map<string, string>();
  let sinceMs = clock.monotonicMs();

  return {
    of(secret) {
      const nowMs = clock.monotonicMs();
      if (nowMs - sinceMs >= KEPT_MS) {
        digests.clear();
        sinceMs = nowMs;
      }
      return digests.get(secret) ?? digestSecret(secret);
    },
    remember(secret, digest) {
      if (digests.size < DIGESTS_MAX) digests.set(secret, digest);
    },
  };
}
