// Limits of publishable keys: the plan for all visitors together, a budget for each address, and the order of refusals.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, countStatuses, repeat } from "../harness/clients/call.ts";
import { startApp } from "../harness/servers/app.ts";

const ORIGIN = "https://www.example.org";
const PROXY = { TRUST_PROXY: "127.0.0.0/8" };

async function startVisited(t: TestContext) {
  const app = await startApp(t, { environment: PROXY });
  const { createKey, call } = app;
  const publish = (settings: object = {}) =>
    createKey({ kind: "publishable", allowedOrigins: [ORIGIN], ...settings });
  /** A request of a page, by a visitor with this address. */
  const visit = (key: string, address: string, path = "/listings", origin = ORIGIN) =>
    call("GET", `${path}?key=${key}`, { key: undefined, headers: { origin, "x-forwarded-for": address } });
  const remaining = async (id: number) => (await call("GET", `/keys/${id}`)).json.usage.minute.remaining;
  return { ...app, publish, visit, remaining };
}

function shownLimits({ headers }: Answer): [limit: number, remaining: number] {
  return [Number(headers["x-ratelimit-limit"]), Number(headers["x-ratelimit-remaining"])];
}

test("The plan of a publishable key is for all visitors, and half of it for one", async (t) => {
  const { publish, visit, remaining, clock } = await startVisited(t);
  const { id, key } = await publish();
  const { key: other } = await publish();

  await t.test("one address gets 30 of 60 a minute, and no other header than the lower one's", async () => {
    const answers = await repeat(31, () => visit(key, "192.0.2.1"));
    assert.deepEqual(countStatuses(answers), { 200: 30, 429: 1 });
    assert.deepEqual(shownLimits(answers[0] as Answer), [30, 29]);
    assert.equal(answers[0]?.headers["ratelimit-policy"], '"minute";q=30;w=60');
    assert.equal(answers[30]?.json.code, "rate_limit_exceeded");
    assert.equal(answers[30]?.headers["cache-control"], "no-store");
    assert.equal(answers[30]?.headers["retry-after"], "60");
    assert.equal(await remaining(id), 30, "a refused visitor costs the key nothing");
  });

  await t.test("it keeps out neither other addresses nor visitors of another key", async () => {
    assert.equal((await visit(other, "192.0.2.1")).status, 200);
    assert.deepEqual(countStatuses(await repeat(29, () => visit(key, "192.0.2.2"))), { 200: 29 });
    assert.equal((await visit(key, "2001:db8::1")).status, 200);
  });

  await t.test(
    "then the plan refuses everybody, shows its own limit, and does not touch the other key",
    async () => {
      const refused = await visit(key, "192.0.2.3");
      assert.deepEqual([refused.status, ...shownLimits(refused)], [429, 60, 0]);
      assert.equal(refused.headers["ratelimit-policy"], '"minute";q=60;w=60');
      assert.equal((await visit(other, "192.0.2.3")).status, 200);
    },
  );

  await t.test("the addresses of a /64 network share a budget", async () => {
    const answers = await repeat(20, () => visit(other, "2001:db8:1::1"));
    answers.push(...(await repeat(11, () => visit(other, "2001:db8:1::2"))));
    assert.deepEqual(countStatuses(answers), { 200: 30, 429: 1 });
  });

  await t.test("an address has its budget again after a minute", async () => {
    clock.advance(60_000);
    const { status } = await visit(other, "2001:db8:1::1");
    // Redis has a clock of its own, by which the minute of the key goes on.
    assert.equal(status, 200);
  });
});

test("Requests are refused in the order of key, address, origin, plan and operation", async (t) => {
  const { publish, visit, remaining } = await startVisited(t);
  const { id, key } = await publish({ plan: "enterprise", perMinute: 4 });
  const ELSEWHERE = "https://other.example";
  const codeOf = async (...request: Parameters<typeof visit>) => (await visit(...request)).json.code;
  const wrong = `${key.slice(0, -1)}${key.endsWith("0") ? 1 : 0}`;

  await t.test("an unknown key before everything else", async () => {
    assert.equal(await codeOf(wrong, "192.0.2.1", "/pets", ELSEWHERE), "invalid_api_key");
  });
  await t.test("an origin before the operation, charged to the address alone", async () => {
    const refused = await repeat(2, () => visit(key, "192.0.2.1", "/pets", ELSEWHERE));
    assert.deepEqual(
      refused.map(({ json }) => json.code),
      Array(2).fill("origin_not_allowed"),
    );
    assert.deepEqual(refused.map(shownLimits), [
      [2, 1],
      [2, 0],
    ]);
    assert.equal(await remaining(id), 4);
  });
  await t.test("a refusal that the fast path passes on is charged once", async () => {
    const refused = await repeat(2, () => visit(key, "192.0.2.9", "/listings", ELSEWHERE));
    assert.deepEqual(refused.map(shownLimits), [
      [2, 1],
      [2, 0],
    ]);
  });
  await t.test("the budget of the address before the origin", async () => {
    assert.equal(await codeOf(key, "192.0.2.1", "/pets", ELSEWHERE), "rate_limit_exceeded");
  });
  await t.test("an operation that it may not call last, charged to the plan", async () => {
    for (const address of ["192.0.2.2", "192.0.2.2", "192.0.2.3", "192.0.2.3"])
      assert.equal(await codeOf(key, address, "/pets"), "insufficient_access");
    assert.equal(await remaining(id), 0);
  });
  await t.test("the plan before the operation, and after the origin", async () => {
    assert.equal(await codeOf(key, "192.0.2.4", "/pets"), "rate_limit_exceeded");
    assert.equal(await codeOf(key, "192.0.2.5", "/pets", ELSEWHERE), "origin_not_allowed");
  });
});

test("Nothing bans a publishable key, and it has no limit a day", async (t) => {
  const { publish, visit, call, clock } = await startVisited(t);
  const { id, key } = await publish({ plan: "enterprise", perMinute: 2 });
  await repeat(1, () => visit(key, "192.0.2.1"));
  await repeat(1, () => visit(key, "192.0.2.2"));
  assert.equal((await visit(key, "192.0.2.3")).status, 429);
  clock.advance(2_000);
  for (let i = 0; i < 60; i++)
    assert.equal((await visit(key, `198.51.100.${i}`)).json.code, "rate_limit_exceeded");
  const { usage, ban } = (await call("GET", `/keys/${id}`)).json;
  assert.deepEqual([Object.keys(usage), ban], [["minute"], undefined]);
});

test("200 concurrent visitors of a Free key are admitted exactly 60 times", async (t) => {
  const { publish, visit } = await startVisited(t);
  const { key } = await publish();
  const visits = Array.from({ length: 200 }, (_, i) => visit(key, `192.0.2.${i}`));
  assert.deepEqual(countStatuses(await Promise.all(visits)), { 200: 60, 429: 140 });
});

test("An address that is not reported by a trusted proxy is the address of the socket", async (t) => {
  const { createKey, call } = await startApp(t, { environment: { TRUST_PROXY: "192.0.2.0/24" } });
  const { key } = await createKey({ kind: "publishable", allowedOrigins: [ORIGIN] });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      call("GET", `/listings?key=${key}`, {
        key: undefined,
        headers: { origin: ORIGIN, "x-forwarded-for": `198.51.100.${i}` },
      }),
    ),
  );
  assert.deepEqual(countStatuses(answers), { 200: 30, 429: 10 });
});

test("The last use of a publishable key is recorded", async (t) => {
  const { publish, visit, call } = await startVisited(t);
  const { id, key } = await publish();
  await visit(key, "192.0.2.1");
  while ((await call("GET", `/keys/${id}`)).json.lastUsedAt === undefined) await pause(5);
});
