// Exact 64-bit integers, the type of every identifier.

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const PLAIN_INTEGER = /^-?(?:0|[1-9][0-9]{0,18})$/;

/** Parses the form used in paths and queries: no plus sign, no leading zeros, no exponent. */
export function parseInt64(text: string): bigint | undefined {
  if (!PLAIN_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}
