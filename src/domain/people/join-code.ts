// The codes of invitations and links: generation, and hash for storage.

import { hash } from "node:crypto";
import { randomBase62 } from "../../tools/base62.ts";

/** 22 characters have 131 bits. */
const LENGTH = 22;

export function generateJoinCode(): string {
  return randomBase62(LENGTH);
}

/** Takes any text, so that a malformed code takes as long as a wrong one. */
export function hashJoinCode(code: string): Buffer {
  return hash("sha256", code, "buffer");
}
