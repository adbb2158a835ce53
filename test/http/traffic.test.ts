// getTraffic: the responses of all nodes, by minute, hour or day.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../harness/app.ts";
import { createCall } from "../harness/call.ts";
import { assertError } from "./assertions.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2027, 0, 1, 12);

interface Minute {
  at: string;
  answers: Array<{ status: number; count: number }>;
}

test("GET /traffic", async (t) => {
  const { call, clock, url, createKey } = await startApp(t, { startMs: START_MS });
  const read = async (): Promise<Minute[]> => (await call("GET", "/traffic")).json;
  const busy = (minutes: Minute[]) => minutes.filter(({ answers }) => answers.length > 0);

  await t.test("needs an admin key, and is charged like any operation", async () => {
    const { key } = await createKey({ access: "manage" });
    assertError(await call("GET", "/traffic", { key }), "insufficient_access");
    assert.equal((await call("GET", "/usage", { key })).json.minute.remaining, 59);
  });

  await t.test(
    "counts responses by minute and status, on the fast path and through the framework",
    async () => {
      clock.advance(MINUTE_MS);
      for (let i = 0; i < 3; i++) await call("GET", "/pets");
      await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
      await call("GET", "/pets", { key: "wrong" });
      await createCall(url)("GET", "/healthz");
      const minutes = await read();
      assert.equal(minutes.length, 60);
      assert.deepEqual(minutes.at(-1), {
        at: new Date(START_MS + MINUTE_MS).toISOString(),
        answers: [
          { status: 200, count: 3 },
          { status: 201, count: 1 },
          { status: 401, count: 1 },
        ],
      });
    },
  );

  await t.test("drops minutes older than an hour", async () => {
    clock.advance(59 * MINUTE_MS);
    const minutes = await read();
    assert.equal(minutes[0]?.at, new Date(START_MS + MINUTE_MS).toISOString());
    assert.deepEqual(
      busy(minutes).map(({ at }) => at),
      [new Date(START_MS + MINUTE_MS).toISOString()],
    );
    clock.advance(500 * MINUTE_MS);
    assert.deepEqual(busy(await read()), []);
  });

  await t.test("follows a clock that is set back", async () => {
    clock.advance(-10 * MINUTE_MS);
    const before = (await read()).at(-1);
    assert.equal((await read()).at(-1)?.at, before?.at);
    assert.equal((await read()).at(-1)?.answers[0]?.count, (before?.answers[0]?.count ?? 0) + 2);
  });
});
