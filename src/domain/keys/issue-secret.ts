// Issues secrets of new and rotated keys.

import type { KeyKind, StoredSecret } from "./api-key.ts";
import { digestSecret, type Environment, generateSecret, hashSecret, secretHint } from "./key-secret.ts";
import type { SeenSecrets } from "./key-verifier.ts";

export type IssueSecret = (kind?: KeyKind) => { secret: string; stored: StoredSecret };

/** Marks each secret as seen, so that its first look-up needs no budget. */
export function createIssueSecret(environment: Environment, seen: SeenSecrets): IssueSecret {
  return (kind) => {
    const secret = generateSecret(environment, kind);
    seen.set(digestSecret(secret), true);
    const stored = { hash: hashSecret(secret), hint: secretHint(secret) };
    return { secret, stored: kind === "publishable" ? { ...stored, token: secret } : stored };
  };
}
