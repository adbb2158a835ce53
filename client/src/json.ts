// JSON with exact integers beyond 2^53, in every runtime.

import { requireExact } from "./int64.ts";

/** Numbers with fewer digits fit into a double. */
const LONG_NUMBER = /[0-9]{16}/;
/** Strings, with the colon after a member name, and numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|-?[0-9][0-9.eE+-]*/g;
const WHOLE = /^-?[0-9]+$/;

/**
 * As `JSON.parse`, but integers that a `number` cannot hold exactly become `bigint`. Throws a SyntaxError.
 *
 * @example
 * const pets = parseJson(stringifyJson([{ id: 9007199254740993n }])) as Array<{ id: Int64 }>;
 */
export function parseJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  return LONG_NUMBER.test(text) ? JSON.parse(text.replace(TOKENS, mark), unmark) : plain;
}

/**
 * Only newer runtimes pass the digits of a number to the reviver of `JSON.parse`. So each long number becomes a string
 * that starts with `n`, and each real string gets an `s` in front.
 */
function mark(token: string, colon: string | undefined): string {
  if (token.startsWith('"')) return colon === undefined ? `"s${token.slice(1)}` : token;
  return WHOLE.test(token) && !Number.isSafeInteger(Number(token)) ? `"n${token}"` : token;
}

function unmark(_name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value.startsWith("n") ? BigInt(value.slice(1)) : value.slice(1);
}

/**
 * As `JSON.stringify`, which throws a TypeError for a `bigint`: here a `bigint` becomes a JSON number with all its digits.
 * Throws a TypeError for a `number` that is not exact, because it would be written as another number.
 *
 * @example
 * const [pet] = (await client.listPets().page()).items;
 * console.log(stringifyJson(pet));
 */
export function stringifyJson(value: unknown): string {
  return write(value, "value");
}

/** `name` is the member that holds the value. */
function write(value: unknown, name: string): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") requireExact(value, name);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => write(item, name)).join(",")}]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return write(value.toJSON(), name);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member, key)}`);
  return `{${members.join(",")}}`;
}
