// Parses a JSON body and keeps integers beyond 2^53 exact.

import { isUtf8 } from "node:buffer";
import { ServiceError } from "../../domain/errors.ts";

/** Only texts with 16 digits in a row or an exponent can hold a number that a double does not represent exactly. */
const MAY_BE_INEXACT = /[0-9.]{16}|[0-9][eE]/;
/** Strings and numbers of valid JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const DIGITS_MAX = 20;

/** Integers that a double cannot represent become bigint. Throws `invalid_json`. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ServiceError("invalid_json");
  const text = bytes.toString("utf8");
  try {
    const value = JSON.parse(text);
    return MAY_BE_INEXACT.test(text) ? parseExactly(text) : value;
  } catch (cause) {
    throw new ServiceError("invalid_json", { cause });
  }
}

/**
 * For valid JSON. Replaces each number by its index in a list, parses, and puts the exact numbers back. A reviver is called
 * recursively and overflows the stack where values are nested 2,000 to 3,000 deep.
 */
function parseExactly(text: string): unknown {
  const numbers: unknown[] = [];
  const numbered = text.replaceAll(TOKEN, (token) =>
    token.startsWith('"') ? token : String(numbers.push(readNumber(token)) - 1),
  );
  const root = { value: JSON.parse(numbered) };
  const open: Array<Record<string, unknown>> = [root];
  // Grows during the loop.
  for (const parent of open) {
    for (const [name, value] of Object.entries(parent)) {
      if (typeof value === "number") parent[name] = numbers[value];
      else if (typeof value === "object" && value !== null) open.push(value as Record<string, unknown>);
    }
  }
  return root.value;
}

function readNumber(source: string): unknown {
  const value = Number(source);
  const exact = exactInteger(source);
  // A fraction or a huge number that was rounded to an integer must not be accepted as one.
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

/** Not by /0+$/, which restarts at each zero: quadratic for a number with many zeros inside. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
