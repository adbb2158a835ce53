// Statements on many rows: both engines store every value exactly, and assign ids in the order of the rows.

import assert from "node:assert/strict";
import fc from "fast-check";
import { createStatement } from "../../src/storage/statements.ts";
import { testOnEngines } from "./engines.ts";

const WRITTEN = "number, what, pet_id, order_id, state_before, state_after, at_ms";
const WRITE = createStatement({
  name: "writeHistory",
  values:
    "number bigint, what text, pet_id bigint, order_id bigint, state_before text, state_after text, at_ms bigint",
  one: `INSERT INTO history (${WRITTEN}) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
  many: (input) => `INSERT INTO history (${WRITTEN}) SELECT ${WRITTEN} FROM ${input}`,
});
const ADD = createStatement({
  name: "addAnimals",
  values: "name text, category_id bigint, status text",
  one: "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3)",
  many: (input) =>
    `INSERT INTO pets (name, category_id, status) SELECT name, category_id, status FROM ${input} ORDER BY n RETURNING id`,
});

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
/** PostgreSQL stores no text with U+0000. */
const text = fc.string({ unit: "grapheme", maxLength: 60 }).filter((each) => !each.includes("\0"));
const longText = fc.constantFrom("", "NULL", '{"a":"\\"}', "😀".repeat(5_000), "x".repeat(20_000));
const integer = fc.oneof(fc.bigInt(INT64), fc.constantFrom(INT64.min, INT64.max, 0n));
const row = fc.tuple(text, integer, fc.option(integer), fc.option(text), fc.option(longText), fc.nat());

testOnEngines("A statement on many rows", async (t, db) => {
  await t.test("a statement on many rows stores every value as it is", () =>
    fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (given) => {
        const rows = given.map((values, index) => [index, ...values]);
        const stored = await db.transaction(async (tx) => {
          await tx.run("DELETE FROM history");
          await tx.runRows(WRITE, rows);
          return tx.all(`SELECT ${WRITTEN} FROM history ORDER BY number`);
        });
        const asBigint = (value: unknown) => (typeof value === "number" ? BigInt(value) : value);
        assert.deepEqual(
          stored.map((each) => Object.values(each)),
          rows.map((each) => each.map(asBigint)),
        );
      }),
      { numRuns: 50 },
    ),
  );

  await t.test("a statement on many rows assigns ids in their order", async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `Animal ${(index * 7_919) % 1_000}`);
    const rows = names.map((name) => [name, 1n, "available"]);
    const ids = await db.transaction((tx) => tx.addRows(ADD, rows), { inOrder: true });
    const stored = await db.all("SELECT id, name FROM pets ORDER BY id");
    assert.deepEqual(
      stored,
      names.map((name, index) => ({ id: ids[index], name })),
    );
    assert.deepEqual(await db.transaction((tx) => tx.addRows(ADD, []), { inOrder: true }), []);
  });
});
