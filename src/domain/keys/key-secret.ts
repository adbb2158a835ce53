// Secrets of API keys: generation, check without a look-up, and hash for storage.

import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { BASE62, randomBase62 } from "../../tools/base62.ts";
import type { KeyKind } from "./api-key.ts";

export const ENVIRONMENTS = ["production", "staging"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

const PREFIX: Record<Environment, string> = { production: "ask_live_", staging: "ask_test_" };
/** The same in every environment. */
const PUBLISHABLE_PREFIX = "ask_pub_";
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const HINT_LENGTH = 4;
const WELL_FORMED = /^ask_(?:live|test|pub)_[0-9A-Za-z]{36}$/;

export function generateSecret(environment: Environment, kind: KeyKind = "secret"): string {
  const prefix = kind === "publishable" ? PUBLISHABLE_PREFIX : PREFIX[environment];
  const body = prefix + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** False for nearly all typing errors and guesses, so that they cost no look-up. */
export function isSecret(text: string, environment: Environment): boolean {
  if (!WELL_FORMED.test(text) || !belongsTo(text, environment)) return false;
  return text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** Works for hints too. */
export function belongsTo(text: string, environment: Environment): boolean {
  return text.startsWith(PREFIX[environment]) || isPublishable(text);
}

/** Whether the text claims to be a publishable key. */
export function isPublishable(text: string): boolean {
  return text.startsWith(PUBLISHABLE_PREFIX);
}

export function hashSecret(secret: string): Buffer {
  return Buffer.from(digestSecret(secret), "latin1");
}

/** The SHA-256 hash as a string of one character per byte, used as a map key. (0.7 µs; as bytes it takes 2.3 µs.) */
export function digestSecret(secret: string): string {
  return hash("sha256", secret, "latin1");
}

/** The part of a secret that may be shown later: the prefix and the first random characters. */
export function secretHint(secret: string): string {
  return secret.slice(0, secret.length - RANDOM_LENGTH - CHECKSUM_LENGTH + HINT_LENGTH);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
