// The codes of invitations and links: generation, and hash for storage.

import { hash, randomInt } from "node:crypto";

/** Without characters that programs leave out where they turn the end of a text into a link. */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 22 characters have 131 bits. */
const LENGTH = 22;

export function generateJoinCode(): string {
  return Array.from({ length: LENGTH }, () => BASE62[randomInt(BASE62.length)]).join("");
}

/** Of any text, so that a malformed code takes as long as a wrong one. */
export function hashJoinCode(code: string): Buffer {
  return hash("sha256", code, "buffer");
}
