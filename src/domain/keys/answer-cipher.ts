// Encrypts stored responses that hold a secret, so that only the caller who received one can read it again.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { ServiceError } from "../basics/errors.ts";

const CIPHER = "aes-256-gcm";
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Neither secret is stored. Both are needed, so that one weak value is not enough to decrypt. */
export interface AnswerKeys {
  callerSecret: string;
  idempotencyKey: string;
  /** The key of the stored row; the response cannot be decrypted in another row. */
  name: Buffer;
}

export function encryptAnswer(body: Buffer, keys: AnswerKeys): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, deriveKey(keys, salt), iv).setAAD(keys.name);
  return Buffer.concat([salt, iv, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
}

/** Throws `idempotency_key_reused` if the response was encrypted with another secret. */
export function decryptAnswer(encrypted: Buffer, keys: AnswerKeys): Buffer {
  const salt = encrypted.subarray(0, SALT_BYTES);
  const iv = encrypted.subarray(SALT_BYTES, SALT_BYTES + IV_BYTES);
  const decipher = createDecipheriv(CIPHER, deriveKey(keys, salt), iv).setAAD(keys.name);
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(encrypted.subarray(SALT_BYTES + IV_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]);
  } catch (cause) {
    throw new ServiceError("idempotency_key_reused", {
      message:
        "This Idempotency-Key was used before the secret of the API key was changed. Use a new key for a new request.",
      cause,
    });
  }
}

function deriveKey({ callerSecret, idempotencyKey }: AnswerKeys, salt: Buffer): Buffer {
  const material = `${callerSecret} ${idempotencyKey}`;
  return Buffer.from(hkdfSync("sha256", material, salt, "animal-store kept answer", 32));
}
