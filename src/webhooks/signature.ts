// Secrets and signatures of webhooks, as in Standard Webhooks 1.0.0.

import { createHmac, hkdfSync } from "node:crypto";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;
const FINGERPRINT_BYTES = 8;

interface SignedMessage {
  /** The identifier of the event. It has no dots, so the parts of the signed text cannot be confused. */
  id: string;
  timestampSeconds: number;
  body: string;
}

/**
 * The secret of one version of a webhook. It is derived (HKDF-SHA256), so that the database never holds it. The text names
 * the program, so that another program with the same master key gets other secrets.
 */
export function deriveSecret(masterKey: string, webhookId: bigint, version: number): string {
  const bytes = derive(masterKey, `animal-store webhook ${webhookId} version ${version}`, SECRET_BYTES);
  return `${SECRET_PREFIX}${bytes.toString("base64")}`;
}

/** Distinguishes master keys. It is stored, and reveals nothing about the key or the secrets. */
export function fingerprintKey(masterKey: string): string {
  return derive(masterKey, "animal-store webhook key fingerprint", FINGERPRINT_BYTES).toString("hex");
}

function derive(masterKey: string, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "", purpose, length));
}

/** The value of `webhook-signature`: one signature per secret. During a rotation there are two secrets. */
export function signMessage(secrets: string[], { id, timestampSeconds, body }: SignedMessage): string {
  const text = `${id}.${timestampSeconds}.${body}`;
  const sign = (secret: string) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
  };
  return secrets.map(sign).join(" ");
}
