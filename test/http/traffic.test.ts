// getTraffic, getTrafficPeriods and getKeyUsage: the responses by minute, hour or day, of all callers or one key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { column } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { RECEIVER_SETTINGS } from "../harness/servers/receiver.ts";
import { assertError } from "./assertions.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2027, 0, 1, 12);

interface Minute {
  at: string;
  answers: Array<{ status: number; count: number }>;
}

test("GET /traffic", async (t) => {
  const { call, clock, outside, createKey, addPet } = await startApp(t, { startMs: START_MS });
  const read = async (): Promise<Minute[]> => (await call("GET", "/traffic")).json;
  const busy = (minutes: Minute[]) => minutes.filter(({ answers }) => answers.length > 0);

  await t.test("needs an admin key, and is charged like any operation", async () => {
    const { key } = await createKey({ access: "manage" });
    assertError(await call("GET", "/traffic", { key }), "insufficient_access");
    assert.equal((await call("GET", "/usage", { key })).json.minute.remaining, 59);
  });

  await t.test("counts responses by minute and status, on the fast path and beside it", async () => {
    clock.advance(MINUTE_MS);
    for (let i = 0; i < 3; i++) await call("GET", "/pets");
    await addPet();
    await call("GET", "/pets", { key: "wrong" });
    await outside("GET", "/healthz");
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
  });

  await t.test("drops minutes older than an hour", async () => {
    clock.advance(59 * MINUTE_MS);
    const minutes = await read();
    assert.equal(minutes[0]?.at, new Date(START_MS + MINUTE_MS).toISOString());
    assert.deepEqual(column(busy(minutes), "at"), [new Date(START_MS + MINUTE_MS).toISOString()]);
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

test("GET /traffic/periods and GET /keys/{keyId}/usage", async (t) => {
  const { call, clock, service, createKey, url } = await startApp(t, {
    startMs: START_MS,
    environment: RECEIVER_SETTINGS,
  });
  const limits = { plan: "enterprise", perMinute: 4, perDay: 100 };
  const { id, key } = await createKey({ ...limits, access: "browse" });
  const ofKey = async (query: string): Promise<Minute[]> =>
    (await call("GET", `/traffic/periods?keyId=${id}&${query}`)).json;
  const usageOf = async (days: number) => (await call("GET", `/keys/${id}/usage?days=${days}`)).json;

  await t.test("admitted and refused requests of a key are counted", async () => {
    for (const path of ["/pets", "/pets", "/categories", "/nothing"]) await call("GET", path, { key });
    assertError(await call("GET", "/pets", { key }), "rate_limit_exceeded");
    await call("GET", "/pets", { key: "wrong" });
    assert.deepEqual((await ofKey("per=minute&last=1"))[0]?.answers, [
      { status: 200, count: 3 },
      { status: 404, count: 1 },
      { status: 429, count: 1 },
    ]);
    const { lastDays, minute, day, streams, webhooks } = await usageOf(1);
    assert.deepEqual([minute.remaining, day.remaining, streams, webhooks], [0, 96, 0, 0]);
    assert.deepEqual(lastDays, [
      {
        at: new Date(START_MS - (START_MS % DAY_MS)).toISOString(),
        answers: [
          { operation: "listCategories", status: 200, count: 1 },
          { operation: "listPets", status: 200, count: 2 },
          { operation: "listPets", status: 429, count: 1 },
          { operation: "unknown", status: 404, count: 1 },
        ],
      },
    ]);
  });

  await t.test("periods divide by hour and day, before and after the counts are stored", async () => {
    clock.advance(1.5 * HOUR_MS);
    await call("GET", "/pets", { key });
    clock.advance(DAY_MS - 1.5 * HOUR_MS);
    await call("GET", "/pets", { key });
    const countsOf = (periods: Minute[]) =>
      periods.map(({ answers }) => answers.reduce((sum, { count }) => sum + count, 0));
    for (const flush of [async () => {}, service.flushUsage]) {
      await flush();
      const hours = await ofKey("per=hour");
      assert.deepEqual([hours.length, hours.at(-1)?.at], [24, new Date(clock.nowMs()).toISOString()]);
      assert.deepEqual(countsOf(hours), [1, ...new Array(22).fill(0), 1]);
      assert.deepEqual(countsOf(await ofKey("per=day&last=2")), [6, 1]);
      assert.deepEqual(countsOf((await usageOf(2)).lastDays), [6, 1]);
      assert.equal(countsOf(await ofKey("per=minute&last=1440")).at(-1), 1);
    }
  });

  await t.test("periods have no gaps, and are as many as asked for", async () => {
    const lengths = { "": 60, "per=hour": 24, "per=day": 30, "per=day&last=90": 90, "last=1440": 1440 };
    for (const [query, length] of Object.entries(lengths)) {
      const periods = await ofKey(query);
      const steps = periods
        .slice(1)
        .map(({ at }, index) => Date.parse(at) - Date.parse(periods[index]?.at ?? ""));
      assert.equal(periods.length, length, query);
      assert.equal(new Set(steps).size, 1, query);
    }
    assert.equal((await call("GET", `/keys/${id}/usage`)).json.lastDays.length, 30);
  });

  await t.test("periods that are not kept, and unknown keys, are refused", async () => {
    for (const query of ["per=week", "last=0", "last=1441", "per=hour&last=25", "per=day&last=91", "keyId=x"])
      assertError(await call("GET", `/traffic/periods?${query}`), "invalid_parameter");
    assertError(await call("GET", `/keys/${id}/usage?days=91`), "invalid_parameter");
    assertError(await call("GET", "/keys/999/usage"), "key_not_found");
  });

  await t.test("the usage of a key shows its open streams and webhooks", async (t) => {
    const owner = await createKey({ access: "manage", plan: "pro" });
    const response = await fetch(`${url}/v1/events/stream`, {
      headers: { authorization: `Bearer ${owner.key}` },
    });
    t.after(() => response.body?.cancel());
    const other = await createKey({ access: "manage" });
    for (const key of [owner.key, owner.key, other.key]) {
      const added = await call("POST", "/webhooks", { key, body: { url: "http://127.0.0.1:9/hook" } });
      assert.equal(added.status, 201, added.text);
    }
    await call("PATCH", "/webhooks/1", { body: { status: "disabled" } });
    const { streams, webhooks } = (await call("GET", `/keys/${owner.id}/usage`)).json;
    assert.deepEqual([response.status, streams, webhooks], [200, 1, 2]);
    await call("DELETE", "/webhooks/2");
    assert.equal((await call("GET", `/keys/${owner.id}/usage`)).json.webhooks, 1);
    assert.equal((await call("GET", `/keys/${other.id}/usage`)).json.webhooks, 1);
  });
});
