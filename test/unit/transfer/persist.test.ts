// Retries of an import while the database is unavailable: with a pause, and not for ever.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import { persist } from "../../../src/transfer/persist.ts";

const RETRY_MS = 250;
const RETRIES_MS = 30_000;

/** A transaction that fails this often, and a clock that only the pauses between its attempts move. */
function failTimes(t: TestContext, failures: number) {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const pauses: number[] = [];
  const wait = async (ms: number) => {
    nowMs += ms;
    pauses.push(ms);
  };
  let attempts = 0;
  const work = async () => {
    assert.equal(attempts, pauses.length, "each attempt follows a pause");
    attempts += 1;
    if (pauses.length < failures)
      throw new ServiceError("unavailable", { cause: new Error("connection refused") });
    return "stored";
  };
  return { pauses, wait, work };
}

test("a transaction on an unavailable database is repeated every 250 ms until it succeeds", async (t) => {
  const { pauses, wait, work } = failTimes(t, 3);
  assert.equal(await persist(0, work, wait), "stored");
  assert.deepEqual(pauses, [RETRY_MS, RETRY_MS, RETRY_MS]);
});

test("it is given up after 30 s, with the cause and the rows that are done", async (t) => {
  const { pauses, wait, work } = failTimes(t, Number.POSITIVE_INFINITY);
  await assert.rejects(persist(4_000, work, wait), (error) => {
    assert.ok(error instanceof ServiceError && error.code === "unavailable");
    // Without the cause, which may name an address of the operator's network.
    assert.match(error.message, /^The database cannot be used\. 4000 rows are done; import the same file/);
    assert.equal((error.cause as Error).message, "connection refused");
    return true;
  });
  assert.equal(pauses.length, RETRIES_MS / RETRY_MS + 1);
});

test("other errors are not repeated", async (t) => {
  const { pauses, wait } = failTimes(t, 0);
  const refused = async () => {
    throw new ServiceError("pet_not_found");
  };
  await assert.rejects(persist(0, refused, wait), { code: "pet_not_found" });
  assert.deepEqual(pauses, []);
});
