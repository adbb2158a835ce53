// The form of the opaque cursors of lists: a position, and a checksum that binds it to its list.

import { crc32 } from "node:zlib";
import { ServiceError } from "./errors.ts";

const CHECKSUM_BYTES = 4;
/** A position has 64 bits, or 128 in a list that is ordered by another number before the identifier. */
export type PositionBits = 64 | 128;

/** The position with a checksum over it and `scope`, the list with its filter, so that other lists reject the cursor. */
export function encodeCursor(scope: string, after: bigint, bits: PositionBits = 64): string {
  const bytes = Buffer.alloc(CHECKSUM_BYTES + bits / 8);
  bytes.write(
    BigInt.asUintN(bits, after)
      .toString(16)
      .padStart(bits / 4, "0"),
    CHECKSUM_BYTES,
    "hex",
  );
  bytes.writeUInt32BE(checksum(scope, after));
  return bytes.toString("base64url");
}

/** Throws `invalid_cursor` for a cursor of another scope. */
export function decodeCursor(scope: string, cursor: string, bits: PositionBits = 64): bigint {
  const bytes = Buffer.from(cursor, "base64url");
  const isWhole = bytes.length === CHECKSUM_BYTES + bits / 8 && bytes.toString("base64url") === cursor;
  if (!isWhole) throw new ServiceError("invalid_cursor");
  const after = BigInt.asIntN(bits, BigInt(`0x${bytes.toString("hex", CHECKSUM_BYTES)}`));
  if (bytes.readUInt32BE() !== checksum(scope, after)) throw new ServiceError("invalid_cursor");
  return after;
}

/** Detects mistakes, not attacks: a forged cursor shows nothing that the list would not show. */
function checksum(scope: string, after: bigint): number {
  return crc32(`${scope} ${after}`);
}
