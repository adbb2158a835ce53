// JSON with exact 64-bit integers.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatInt64 } from "../../../client/src/int64.ts";
import { parseJson, stringifyJson } from "../../../client/src/json.ts";
import { codePoint } from "../../harness/clients/code-points.ts";

test("parses a number where that is exact, and a bigint beyond", () => {
  const read = parseJson("[0, -1, 1.5, 1e3, 9007199254740991, 9007199254740993, -9223372036854775808]");
  assert.deepEqual(read, [0, -1, 1.5, 1000, 9007199254740991, 9007199254740993n, -9223372036854775808n]);
});

test("leaves strings and names alone that look like numbers or like the internal marks", () => {
  const texts = [
    "9007199254740993",
    "n9007199254740993",
    "s",
    "",
    '\\"9007199254740993',
    "a: 9007199254740993",
  ];
  const value = Object.fromEntries(texts.map((text) => [text, text]));
  const text = JSON.stringify([value, "LONG"]).replace('"LONG"', "9007199254740993");
  assert.deepEqual(parseJson(text), [value, 9007199254740993n]);
});

test("parses what it has written to the same value", () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const { value } = fc.letrec((tie) => ({
    leaf: fc.oneof(int64, fc.string({ unit: codePoint }), fc.boolean(), fc.constant(null), fc.integer()),
    value: fc.oneof(
      { maxDepth: 3 },
      tie("leaf"),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(value, (sent) => {
      assert.deepEqual(parseJson(stringifyJson(sent)), small(sent));
    }),
  );
});

/** The value as the client parses it: a bigint only where a number is not exact. */
function small(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(small);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, small(each)]));
}

test("rejects invalid JSON, with and without long numbers", () => {
  for (const text of ["", "{", "[01234567890123456789]", "[1 9007199254740993]", '{"a":9007199254740993,}'])
    assert.throws(() => parseJson(text), SyntaxError, text);
});

test("writes values without long numbers as JSON.stringify does", () => {
  const value = { a: [1, undefined, "ü\n"], b: undefined, at: new Date(0), c: { d: null, e: -0.5 } };
  assert.equal(stringifyJson(value), JSON.stringify(value));
});

test("rejects numbers that are not exact, and names the member", () => {
  for (const categoryId of [2 ** 53, -(2 ** 60), 1e21, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(
      () => stringifyJson({ categoryId }),
      /^TypeError: categoryId is not exact/,
      `${categoryId}`,
    );
  for (const petId of [2 ** 53, 1.5, Number.NaN, "1", "..", undefined])
    assert.throws(
      () => formatInt64(petId as number, "petId"),
      /^TypeError: petId must be a whole/,
      `${petId}`,
    );
});
