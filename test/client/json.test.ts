// Whole numbers of 64 bits go through JSON unharmed, and nothing else is touched.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatInt64 } from "../../client/src/int64.ts";
import { parseJson, stringifyJson } from "../../client/src/json.ts";

test("numbers are numbers while that is exact, and bigint beyond", () => {
  const read = parseJson("[0, -1, 1.5, 1e3, 9007199254740991, 9007199254740993, -9223372036854775808]");
  assert.deepEqual(read, [0, -1, 1.5, 1000, 9007199254740991, 9007199254740993n, -9223372036854775808n]);
});

test("strings and names that look like numbers, or like our own marks, stay what they are", () => {
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

test("every value comes back as it was sent", () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const { value } = fc.letrec((tie) => ({
    leaf: fc.oneof(int64, fc.string({ unit: "binary" }), fc.boolean(), fc.constant(null), fc.integer()),
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

/** As the client gives it back: bigint only where a number would not do. */
function small(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(small);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, small(each)]));
}

test("what is no JSON is refused, long numbers or not", () => {
  for (const text of ["", "{", "[01234567890123456789]", "[1 9007199254740993]", '{"a":9007199254740993,}'])
    assert.throws(() => parseJson(text), SyntaxError, text);
});

test("texts without long numbers are as with JSON.stringify", () => {
  const value = { a: [1, undefined, "ü\n"], b: undefined, at: new Date(0), c: { d: null, e: -0.5 } };
  assert.equal(stringifyJson(value), JSON.stringify(value));
});

test("numbers that are not what was meant are refused by name instead of sent", () => {
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
