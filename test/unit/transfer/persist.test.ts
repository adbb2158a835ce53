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
  const { signal } = new AbortController();
  return { pauses, work, options: { rowsDone: 4_000, signal, wait } };
}

test("a transaction on an unavailable database is repeated every 250 ms until it succeeds", async (t) => {
  const { pauses, work, options } = failTimes(t, 3);
  assert.equal(await persist(work, options), "stored");
  assert.deepEqual(pauses, [RETRY_MS, RETRY_MS, RETRY_MS]);
});

test("it is given up after 30 s, with the cause and the rows that are done", async (t) => {
  const { pauses, work, options } = failTimes(t, Number.POSITIVE_INFINITY);
  await assert.rejects(persist(work, options), (error) => {
    assert.ok(error instanceof ServiceError && error.code === "unavailable");
    // Without the cause, which may name an address of the operator's network.
    assert.match(error.message, /^The database cannot be used\. 4000 rows are done; import the same file/);
    assert.equal((error.cause as Error).message, "connection refused");
    return true;
  });
  assert.equal(pauses.length, RETRIES_MS / RETRY_MS + 1);
});

test("a transaction on an unavailable database is not repeated after the client has left", async (t) => {
  const { pauses, work, options } = failTimes(t, Number.POSITIVE_INFINITY);
  const leaving = new AbortController();
  const wait = async (ms: number) => {
    await options.wait(ms);
    if (pauses.length === 2) leaving.abort(new Error("the client has left"));
  };
  const { signal } = leaving;
  await assert.rejects(persist(work, { ...options, signal, wait }), /^Error: the client has left$/);
  assert.equal(pauses.length, 2);
});

test("other errors are not repeated", async (t) => {
  const { pauses, options } = failTimes(t, 0);
  const refused = async () => {
    throw new ServiceError("pet_not_found");
  };
  await assert.rejects(persist(refused, options), { code: "pet_not_found" });
  assert.deepEqual(pauses, []);
});
