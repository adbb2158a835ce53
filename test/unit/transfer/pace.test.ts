// The pace of an import: pauses between its transactions, in which the service writes and the next rows are read.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database, Transaction } from "../../../src/storage/database.ts";
import { createPace } from "../../../src/transfer/import/pace.ts";

const GAP_MS = 8;

/** A database whose transactions do nothing but run the work. */
function fakeDatabase(engine: Database["engine"]): Database {
  const transaction = (work: (tx: Transaction) => Promise<unknown>) => work({} as Transaction);
  return { engine, transaction } as Database;
}

test("a transaction on SQLite begins 8 ms after the last one, and the caller reads the next rows meanwhile", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const pace = createPace(fakeDatabase("sqlite"));
  let begun = 0;
  const write = () =>
    pace.transact(500, async () => {
      begun += 1;
    });
  // Resolves without a tick of the clock.
  await write();
  const second = write();
  t.mock.timers.tick(GAP_MS - 1);
  await new Promise(setImmediate);
  assert.equal(begun, 1);
  t.mock.timers.tick(1);
  await second;
  assert.equal(begun, 2);
});

test("a transaction gets more rows while it is faster than 20 ms, and never fewer than 1,000", async (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const pace = createPace(fakeDatabase("postgres"));
  assert.equal(pace.rows(), 1_000);
  const brisk = async () => {
    nowMs += 15;
  };
  await pace.transact(1_000, brisk);
  assert.equal(pace.rows(), 1_333);
  await pace.transact(1_333, async () => {});
  await pace.transact(2_000, async () => {});
  assert.equal(pace.rows(), 2_000);
  const slow = async () => {
    nowMs += 100;
  };
  await pace.transact(2_000, slow);
  assert.equal(pace.rows(), 1_000);
  await pace.transact(1_000, slow);
  assert.equal(pace.rows(), 1_000);
});
