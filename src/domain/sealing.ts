// Kept answers that hold a secret: readable to nobody but the caller who got them.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { ServiceError } from "./errors.ts";

const CIPHER = "aes-256-gcm";
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What opens a kept answer: neither is stored. Together they stand where one of them was chosen badly. */
export interface SealKeys {
  callerSecret: string;
  idempotencyKey: string;
  /** The name that the answer is kept under; it cannot be opened under another. */
  name: Buffer;
}

/** For answers that hold a secret, of which nothing readable may be stored. */
export function sealAnswer(body: Buffer, keys: SealKeys): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey(keys, salt), iv).setAAD(keys.name);
  return Buffer.concat([salt, iv, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
}

/** Throws `idempotency_key_reused` for another secret than the one it was sealed with. */
export function openAnswer(sealed: Buffer, keys: SealKeys): Buffer {
  const salt = sealed.subarray(0, SALT_BYTES);
  const iv = sealed.subarray(SALT_BYTES, SALT_BYTES + IV_BYTES);
  const decipher = createDecipheriv(CIPHER, sealingKey(keys, salt), iv).setAAD(keys.name);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(SALT_BYTES + IV_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]);
  } catch (cause) {
    throw new ServiceError("idempotency_key_reused", {
      message: "This Idempotency-Key was used before the secret of the API key was changed.",
      cause,
    });
  }
}

function sealingKey({ callerSecret, idempotencyKey }: SealKeys, salt: Buffer): Buffer {
  const material = `${callerSecret} ${idempotencyKey}`;
  return Buffer.from(hkdfSync("sha256", material, salt, "animal-store kept answer", 32));
}
