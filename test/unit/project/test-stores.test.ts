// Stores of PostgreSQL that one test takes over from another.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { askPostgres } from "../../harness/servers/databases.ts";
import { takePostgresStore } from "../../harness/servers/stores.ts";

/** Takes a store, changes it, and leaves it to the next test. */
async function leaveStore(t: TestContext, change: string): Promise<string> {
  let url = "";
  await t.test("leaves a store", async (child) => {
    url = await takePostgresStore(child);
    await askPostgres(url, change);
  });
  return url;
}

const CHANGES = `INSERT INTO categories (id, name) VALUES (1, 'Dogs'); DELETE FROM inventory; DELETE FROM schema_migrations;
  SELECT nextval(format('%I', sequencename)::regclass) FROM pg_sequences WHERE schemaname = 'public'`;

test("a store that a test has left is as new to the next, with an epoch of its own", async (t) => {
  const fresh = await takePostgresStore(t);
  const left = await leaveStore(t, CHANGES);
  const taken = await takePostgresStore(t);
  assert.equal(taken, left);
  const { epoch, ...rest } = await readAll(taken);
  const { epoch: freshEpoch, ...freshRest } = await readAll(fresh);
  assert.deepEqual(rest, freshRest);
  assert.notEqual(epoch, freshEpoch);
  assert.match(epoch, /^[0-9a-f]{16}$/);
});

test("a store whose schema a test has changed is not taken over", async (t) => {
  for (const change of [
    "DROP INDEX pet_texts_by_trigram",
    "ALTER TABLE pets ADD COLUMN colour TEXT",
    "CREATE TABLE notes (text TEXT)",
  ]) {
    const left = await leaveStore(t, change);
    assert.notEqual(await takePostgresStore(t), left, change);
  }
});

/** All rows of all tables and the next values of all sequences. */
async function readAll(url: string): Promise<{ epoch: string; [name: string]: unknown }> {
  const found: Record<string, unknown> = {};
  const { rows: tables } = await askPostgres(
    url,
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
  );
  for (const { tablename } of tables)
    found[tablename] = (await askPostgres(url, `SELECT * FROM ${tablename} ORDER BY 1`)).rows;
  found.sequences = (
    await askPostgres(
      url,
      "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1",
    )
  ).rows;
  const [{ epoch, ...store }] = found.store as [{ epoch: string }];
  return { ...found, store, epoch };
}
