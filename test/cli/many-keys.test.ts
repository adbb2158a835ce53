// `keys list` on many keys and on none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../harness/servers/service.ts";
import { makeStore } from "./stores.ts";

test("keys list prints none and many", async (t) => {
  const { environment, db } = await makeStore(t);
  const list = (...flags: string[]) => runCommand(["keys", "list", ...flags], environment);

  /** Adds keys until there are `count`. */
  async function addKeys(count: number): Promise<void> {
    const sql = `WITH RECURSIVE numbers (n) AS (
        SELECT count(*) + 1 FROM api_keys UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
      INSERT INTO api_keys (name, plan, access, hint, created_at_ms)
      SELECT 'Branch no. ' || n, 'free', 'browse', 'ask_live_abcd', 0 FROM numbers`;
    await db.transaction((tx) => tx.run(sql, [count]));
  }

  await t.test("keys list prints an empty list or a hint if there are no keys", async () => {
    assert.equal((await list("--json")).stdout, "[]\n");
    assert.match((await list()).stdout, /^There are no keys yet\. Create one: /);
  });

  await t.test("keys list prints several pages of keys as one JSON array", async () => {
    await addKeys(2_500);
    const json = await list("--json");
    const listed: Array<{ id: number; name: string }> = JSON.parse(json.stdout);
    assert.equal(listed.length, 2_500);
    assert.ok(listed.every(({ id, name }, index) => id === index + 1 && name === `Branch no. ${id}`));
    assert.equal(json.stdout, `${JSON.stringify(listed, null, 2)}\n`, "formatted like one value");
  });

  await t.test("keys list prints 150,000 keys in columns, more than fit on the stack", async () => {
    await addKeys(150_000);
    const table = await list();
    assert.equal(table.code, 0, table.stderr);
    const [head = "", ...rows] = table.stdout.trimEnd().split("\n");
    assert.equal(rows.length, 150_000);
    assert.match(rows.at(-1) ?? "", /^150000 +Branch no\. 150000 +ask_live_abcd… +free +browse /);
    const columns = [head, rows[0] ?? ""].map((line) => line.search(/PER MINUTE|60 /));
    assert.equal(columns[0], columns[1]);
  });
});
