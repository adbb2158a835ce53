// Exact 64-bit integers: the type of every identifier.

/**
 * A `number` from -(2^53 - 1) to 2^53 - 1, a `bigint` beyond. Both are accepted as input.
 *
 * @example
 * const isSame = (a: Int64, b: Int64) => BigInt(a) === BigInt(b);
 * await client.putCategory(9007199254740993n, { name: "Cats" });
 */
export type Int64 = number | bigint;

/** As text for a URL. Throws a TypeError for a value that is not an exact integer. */
export function formatInt64(value: Int64, name: string): string {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value);
  throw new TypeError(`${name} must be a whole number; beyond 2^53 - 1 it must be a bigint`);
}

/** Throws a TypeError for a number that a double cannot hold exactly. */
export function requireExact(value: number, name: string): void {
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (!isExact) throw new TypeError(`${name} is not exact as a number; beyond 2^53 - 1 it must be a bigint`);
}
