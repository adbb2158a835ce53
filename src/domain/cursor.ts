// Opaque page cursors: an identifier bound to the list and filter that it continues.

import { crc32 } from "node:zlib";
import { ServiceError } from "./errors.ts";

const SEAL_BYTES = 4;
const CURSOR = /^[A-Za-z0-9_-]{16}$/;

/** `scope` names the list with its filter, so that a cursor of another list is told apart. */
export function encodeCursor(scope: string, after: bigint): string {
  const bytes = Buffer.alloc(SEAL_BYTES + 8);
  bytes.writeBigInt64BE(after, SEAL_BYTES);
  bytes.writeUInt32BE(seal(scope, after));
  return bytes.toString("base64url");
}

/** Throws `invalid_cursor` for a cursor that this scope never gave out. */
export function decodeCursor(scope: string, cursor: string): bigint {
  if (!CURSOR.test(cursor)) throw new ServiceError("invalid_cursor");
  const bytes = Buffer.from(cursor, "base64url");
  const after = bytes.readBigInt64BE(SEAL_BYTES);
  if (bytes.readUInt32BE() !== seal(scope, after)) throw new ServiceError("invalid_cursor");
  return after;
}

/** Guards against slips, not against malice: a forged cursor shows nothing that the list would not. */
function seal(scope: string, after: bigint): number {
  return crc32(`${scope} ${after}`);
}
