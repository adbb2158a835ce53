// Arrays in PostgreSQL's binary format: the server copies them, while it would have to parse text or JSON.

import type { RowsStatement, SqlValue } from "../database.ts";

type Type = RowsStatement["types"][number];

/** The number of each type in the catalog of every server. */
const TYPE_IDS: Record<Type, number> = { bigint: 20, text: 25 };
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const BIGINT_BYTES = 8;
const NULL_LENGTH = -1;

/** One array for each column of at least one row. */
export function toArrays(types: readonly Type[], rows: SqlValue[][]): Buffer[] {
  return types.map((type, column) => {
    const items = rows.map((row) => row[column] ?? null);
    return type === "text" ? writeTexts(items as Array<string | null>) : writeBigints(items as Bigints);
  });
}

type Bigints = Array<bigint | number | null>;

function writeTexts(items: Array<string | null>): Buffer {
  const bytes = items.reduce((sum, item) => sum + LENGTH_BYTES + Buffer.byteLength(item ?? ""), 0);
  return writeArray("text", items, bytes, (buffer, at, item) => buffer.write(item, at));
}

function writeBigints(items: Bigints): Buffer {
  const bytes = items.length * (LENGTH_BYTES + BIGINT_BYTES);
  return writeArray("bigint", items, bytes, (buffer, at, item) => {
    buffer.writeBigInt64BE(BigInt(item), at);
    return BIGINT_BYTES;
  });
}

/** `write` returns the number of bytes that it has written; `bytes` is the most that all items take. */
function writeArray<T>(
  type: Type,
  items: Array<T | null>,
  bytes: number,
  write: (buffer: Buffer, at: number, item: T) => number,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  // One dimension; no flags, because the server finds nulls itself; the index of the first item.
  const header = [1, 0, TYPE_IDS[type], items.length, 1];
  header.forEach((value, index) => void buffer.writeInt32BE(value, 4 * index));
  let at = HEADER_BYTES;
  for (const item of items) {
    const length = item === null ? NULL_LENGTH : write(buffer, at + LENGTH_BYTES, item);
    buffer.writeInt32BE(length, at);
    at += LENGTH_BYTES + Math.max(0, length);
  }
  return buffer.subarray(0, at);
}
