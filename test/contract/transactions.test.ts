// Transactions on every engine: others see them after COMMIT, and a failed one affects no other.

import assert from "node:assert/strict";
import { testOnEngines } from "./engines.ts";

const INSERT = "INSERT INTO categories (id, name) VALUES ($1, 'x')";
const IDS = "SELECT id FROM categories ORDER BY id";

testOnEngines("Transactions", async (t, db) => {
  await t.test("a transaction is visible to others only after COMMIT", async () => {
    await db.transaction(async (tx) => {
      await tx.run(INSERT, [100n]);
      assert.deepEqual(await tx.all(IDS), [{ id: 100n }]);
      assert.deepEqual(await db.all(IDS), []);
    });
    assert.deepEqual(await db.all(IDS), [{ id: 100n }]);
  });

  await t.test("transactions are committed beside failed ones", async () => {
    const write = (_: unknown, id: number) =>
      db.transaction(async (tx) => {
        await tx.run(INSERT, [id]);
        if (id % 3 === 0) throw new Error("on purpose");
        if (id % 3 === 1) await tx.run("INSERT INTO nowhere VALUES (1)");
      });
    await Promise.allSettled(Array.from({ length: 30 }, write));
    const expected = Array.from({ length: 10 }, (_, index) => ({ id: BigInt(index * 3 + 2) }));
    assert.deepEqual(await db.all(IDS), [...expected, { id: 100n }]);
  });
});
