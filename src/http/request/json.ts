// Reading a JSON body with whole numbers kept exact beyond 2^53.

import { isUtf8 } from "node:buffer";
import { ServiceError } from "../../domain/errors.ts";

/**
 * Only these texts can hold a number that a double does not carry exactly: 16 or more digits, or an exponent.
 * Everything else takes the parser's fast way.
 */
const MAY_BE_INEXACT = /[0-9.]{16}|[0-9][eE]/;
/** Strings and numbers of valid JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const DIGITS_MAX = 20;

/** Whole numbers that a double cannot carry come back as bigint. Throws `invalid_json`. */
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
 * Of valid JSON. Numbers are read beside the parser, which gets their places in the list instead. Not by a reviver: it
 * is called recursively, and overflows the stack where values are nested 2,000 to 3,000 deep.
 */
function parseExactly(text: string): unknown {
  const numbers: unknown[] = [];
  const numbered = text.replaceAll(TOKEN, (token) =>
    token.startsWith('"') ? token : String(numbers.push(readNumber(token)) - 1),
  );
  const root = { value: JSON.parse(numbered) };
  const open: Array<Record<string, unknown>> = [root];
  // Grows while it is walked.
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
