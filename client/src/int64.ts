// Whole numbers of 64 bits, exact: the type of every identifier.

/** A `number` while that carries it exactly (up to 2^53 - 1 either way), a `bigint` beyond. Both are taken as input. */
export type Int64 = number | bigint;

/** As text for an address. Throws a TypeError for what is no exact whole number. */
export function formatInt64(value: Int64, name: string): string {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value);
  throw new TypeError(`${name} must be a whole number; beyond 2^53 - 1 it must be a bigint`);
}

/** Throws a TypeError for a number that would reach the service as another one than was meant. */
export function requireExact(value: number, name: string): void {
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (!isExact) throw new TypeError(`${name} is not exact as a number; beyond 2^53 - 1 it must be a bigint`);
}
