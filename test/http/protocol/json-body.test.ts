// Numbers in JSON bodies: exact integers of any size, wherever they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseJson } from "../../../src/http/request/body.ts";

const parse = (text: string) => parseJson(Buffer.from(text));

test("a long integer is exact, and changes no other value of the body", () => {
  // A fraction or a huge number that a double rounds to an integer is not a number afterwards.
  const values = [fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.constantFrom(0.5, 1e9)];
  const name = fc.string({ unit: fc.constantFrom("a", "b", "c") });
  const value = fc.object({ key: name, values, maxDepth: 4 });
  fc.assert(
    fc.property(value, (each) => {
      const text = JSON.stringify(each);
      const read = parse(`{"a":[${text},9007199254740993],"b":{"c":${text},"d":{"e":-9223372036854775808}}}`);
      const [first, long] = (read as { a: [unknown, bigint] }).a;
      assert.deepEqual(first, each);
      assert.equal(long, 9007199254740993n);
      assert.deepEqual((read as { b: unknown }).b, { c: each, d: { e: -9223372036854775808n } });
    }),
  );
});

test("digits in texts and names are no numbers", () => {
  assert.deepEqual(parse('{"9007199254740993":"9007199254740993","a":"\\"1e2","b":[12345678901234567890]}'), {
    "9007199254740993": "9007199254740993",
    a: '"1e2',
    b: [12345678901234567890n],
  });
});
