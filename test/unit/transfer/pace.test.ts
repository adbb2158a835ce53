// The pace of an import: pauses between its transactions, in which the service writes.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import type { Database, Transaction } from "../../../src/storage/database.ts";
import { transactAndPause } from "../../../src/transfer/import/pace.ts";

test("an import on SQLite pauses for 8 ms after each transaction", async () => {
  const transaction = (work: (tx: Transaction) => Promise<unknown>) => work({} as Transaction);
  const db = { engine: "sqlite", transaction } as Database;
  const beganMs = performance.now();
  let endedMs = 0;
  await transactAndPause(db, async () => {
    endedMs = performance.now();
  });
  assert.ok(endedMs >= beganMs && performance.now() - endedMs >= 7, "timers may fire 1 ms early");
});
