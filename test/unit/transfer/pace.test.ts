// The pace of an import: pauses between its transactions, in which the service writes.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database, Transaction } from "../../../src/storage/database.ts";
import { transactAndPause } from "../../../src/transfer/import/pace.ts";

/** A database whose transactions do nothing but run the work. */
function fakeDatabase(engine: Database["engine"]): Database {
  const transaction = (work: (tx: Transaction) => Promise<unknown>) => work({} as Transaction);
  return { engine, transaction } as Database;
}

test("an import on SQLite pauses for 8 ms after each transaction, on PostgreSQL it does not", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isDone = false;
  const writing = transactAndPause(fakeDatabase("sqlite"), async () => {}).then(() => {
    isDone = true;
  });
  await new Promise(setImmediate);
  t.mock.timers.tick(7);
  await new Promise(setImmediate);
  assert.equal(isDone, false);
  t.mock.timers.tick(1);
  await writing;
  // Resolves without a tick of the clock.
  await transactAndPause(fakeDatabase("postgres"), async () => {});
});
