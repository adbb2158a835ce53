// Identifiers as people type them, and reading what an address names by its id.

import { type Client, type Int64, NotFoundError } from "../../../../client/src/client.ts";
import { ask } from "./session.ts";

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

/** Null if it does not exist, or if the text is not an id. */
export async function findOne<T>(
  text: string,
  read: (client: Client, id: Int64) => Promise<T>,
): Promise<T | null> {
  const id = findIdentifier(text);
  if (id === undefined) return null;
  try {
    return await ask((client) => read(client, id));
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
