// `keys list` with more keys than fit on a stack.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../src/storage/database.ts";
import { makeStore } from "./stores.ts";

async function makeKeys(db: Database, count: number): Promise<void> {
  const sql = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
    INSERT INTO api_keys (name, plan, access, hint, created_at_ms)
    SELECT 'Branch no. ' || n, 'free', 'browse', 'ask_live_abcd', 0 FROM numbers`;
  await db.transaction((tx) => tx.run(sql, [count]));
}

test("keys list shows 150,000 keys in columns", { timeout: 60_000 }, async (t) => {
  const { db, command } = await makeStore(t);
  await makeKeys(db, 150_000);
  const table = await command("keys", "list");
  assert.equal(table.code, 0, table.stderr);
  const [head = "", ...rows] = table.stdout.trimEnd().split("\n");
  assert.equal(rows.length, 150_000);
  assert.match(rows.at(-1) ?? "", /^150000 +Branch no\. 150000 +ask_live_abcd… +free +browse /);
  const columns = [head, rows[0] ?? "", rows.at(-1) ?? ""].map((line) => line.search(/PER MINUTE|60 /));
  assert.equal(columns[0], columns[1]);
});

test("keys list --json prints many keys as one list", async (t) => {
  const { db, command } = await makeStore(t);
  await makeKeys(db, 2_500);
  const json = await command("keys", "list", "--json");
  const listed: Array<{ id: number; name: string }> = JSON.parse(json.stdout);
  assert.equal(listed.length, 2_500);
  assert.ok(listed.every(({ id, name }, index) => id === index + 1 && name === `Branch no. ${id}`));
  assert.equal(json.stdout, `${JSON.stringify(listed, null, 2)}\n`, "as one value would be printed");
});

test("keys list --json of an empty store is an empty list", async (t) => {
  const { command } = await makeStore(t);
  assert.equal((await command("keys", "list", "--json")).stdout, "[]\n");
  assert.match((await command("keys", "list")).stdout, /^There are no keys yet/);
});
