// Reading a JSON body with whole numbers kept exact beyond 2^53.

import { isUtf8 } from "node:buffer";
import { ServiceError } from "../domain/errors.ts";

/**
 * Only these texts can hold a number that a double does not carry exactly: 16 or more digits, or an exponent.
 * Everything else takes the parser's fast way, without a reviver.
 */
const MAY_BE_INEXACT = /[0-9.]{16}|[0-9][eE]/;
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const DIGITS_MAX = 20;

/** Whole numbers that a double cannot carry come back as bigint. Throws `invalid_json`. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ServiceError("invalid_json");
  const text = bytes.toString("utf8");
  try {
    return MAY_BE_INEXACT.test(text) ? JSON.parse(text, reviveNumber) : JSON.parse(text);
  } catch (cause) {
    throw new ServiceError("invalid_json", { cause });
  }
}

function reviveNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== "number" || context.source === undefined) return value;
  const exact = exactInteger(context.source);
  // A fraction or a giant that rounded to a whole number must not pass for one.
  if (exact === undefined) return Number.isInteger(value) ? Number.NaN : value;
  const small = Number(exact);
  return Number.isSafeInteger(small) ? small : exact;
}

/** Undefined for fractions, and for more digits than an int64 can have. */
function exactInteger(source: string): bigint | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  const significant = (whole + fraction).replace(/^0+/, "");
  const digits = withoutTrailingZeros(significant);
  if (digits === "") return 0n;
  const zeros = Number(exponent) - fraction.length + (significant.length - digits.length);
  if (zeros < 0 || digits.length + zeros > DIGITS_MAX) return undefined;
  return BigInt(sign + digits + "0".repeat(zeros));
}

/** Not by /0+$/, which begins anew at each zero of a number: quadratic for one with zeros inside. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
