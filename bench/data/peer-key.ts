// The API key of a peer: the peer's database holds its hash.

import { createHash, randomBytes } from "node:crypto";

/** Requests per minute; too many to be reached. */
export const PEER_LIMIT = 1_000_000_000;

export function createPeerKey(): { key: string; hash: string } {
  const key = randomBytes(24).toString("base64url");
  return { key, hash: createHash("sha256").update(key).digest("hex") };
}
