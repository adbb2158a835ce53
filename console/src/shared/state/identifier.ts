// Identifiers as people type them.

import type { Int64 } from "../../../../client/src/client.ts";

const WHOLE = /^-?\d{1,19}$/;

/** Undefined for text that is not a 64-bit integer. */
export function findIdentifier(text: string): Int64 | undefined {
  const bare = text.trim();
  if (!WHOLE.test(bare)) return undefined;
  const id = BigInt(bare);
  if (BigInt.asIntN(64, id) !== id) return undefined;
  return toInt64(id);
}

/** Throws for text that is not a whole number. */
export function readIdentifier(text: string): Int64 {
  return toInt64(BigInt(text.trim()));
}

function toInt64(id: bigint): Int64 {
  return Number.isSafeInteger(Number(id)) ? Number(id) : id;
}
