// Identifiers as people type them.

import type { Int64 } from "../../../client/src/client.ts";

const WHOLE = /^-?\d{1,19}$/;

/** A bigint where a number is not exact. Undefined for text that is not a 64-bit integer. */
export function findIdentifier(text: string): Int64 | undefined {
  const bare = text.trim();
  if (!WHOLE.test(bare)) return undefined;
  const id = BigInt(bare);
  if (BigInt.asIntN(64, id) !== id) return undefined;
  return Number.isSafeInteger(Number(id)) ? Number(id) : id;
}
