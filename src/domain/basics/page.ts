// Keyset pagination: how many rows, after which identifier, and the opaque cursor that names it.

import { crc32 } from "node:zlib";
import { ServiceError } from "./errors.ts";

const CHECKSUM_BYTES = 4;
const CURSOR = /^[A-Za-z0-9_-]{16}$/;

export interface Page {
  limit: number;
  /** Only rows after this identifier, in the order of the list; absent on the first page. */
  after?: bigint | undefined;
}

/** The identifier with a checksum over it and `scope`, the list with its filter, so that other lists reject the cursor. */
export function encodeCursor(scope: string, after: bigint): string {
  const bytes = Buffer.alloc(CHECKSUM_BYTES + 8);
  bytes.writeBigInt64BE(after, CHECKSUM_BYTES);
  bytes.writeUInt32BE(checksum(scope, after));
  return bytes.toString("base64url");
}

/** Throws `invalid_cursor` for a cursor of another scope. */
export function decodeCursor(scope: string, cursor: string): bigint {
  if (!CURSOR.test(cursor)) throw new ServiceError("invalid_cursor");
  const bytes = Buffer.from(cursor, "base64url");
  const after = bytes.readBigInt64BE(CHECKSUM_BYTES);
  if (bytes.readUInt32BE() !== checksum(scope, after)) throw new ServiceError("invalid_cursor");
  return after;
}

/** Detects mistakes, not attacks: a forged cursor shows nothing that the list would not show. */
function checksum(scope: string, after: bigint): number {
  return crc32(`${scope} ${after}`);
}
