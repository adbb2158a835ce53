// GET /metrics: access, limits, and METRICS_TOKEN.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig } from "../../src/config/config.ts";
import { createCall } from "../harness/clients/call.ts";
import { ADMIN_KEY, startApp } from "../harness/servers/app.ts";
import { startService } from "../harness/servers/service.ts";
import { assertError } from "./assertions.ts";

const METRICS_TOKEN = "a-token-for-metrics-only";

test("GET /metrics is charged and limited like any operation", async (t) => {
  const { outside, call, createKey, clock, addPet } = await startApp(t);

  await t.test("the metrics have requests, durations, decisions, commits and the event loop", async () => {
    await addPet();
    await call("GET", "/pets");
    const { text, headers } = await outside("GET", "/metrics", { key: ADMIN_KEY });
    assert.match(headers["content-type"] ?? "", /^text\/plain/);
    assert.match(text, /animal_store_requests_total\{operation="createPet",status="201"\} 1/);
    assert.match(text, /animal_store_request_seconds_bucket\{le="0\.005",operation="listPets"\} \d+/);
    assert.match(text, /animal_store_gate_decisions_total\{caller="key",verdict="admitted"\} 3/);
    assert.match(text, /animal_store_commit_group_size_count \d+/);
    assert.match(text, /nodejs_eventloop_lag_seconds [\d.e-]+/);
  });

  await t.test("charges each request to the admin key and sends its rate headers", async () => {
    const { key } = await createKey({ access: "admin", plan: "enterprise", perMinute: 2, perDay: 10 });
    const first = await outside("GET", "/metrics", { key });
    assert.equal(first.status, 200);
    assert.equal(first.headers["x-ratelimit-remaining"], "1");
    assert.equal(first.headers["ratelimit-policy"], '"minute";q=2;w=60, "day";q=10;w=86400');
    await outside("HEAD", "/metrics", { key });
    const refused = await outside("GET", "/metrics", { key });
    assertError(refused, "rate_limit_exceeded");
    assert.equal(refused.headers["retry-after"], "60");
    assert.equal((await call("GET", "/usage", { key })).json.day.remaining, 8);
    clock.advance(60_000);
    assert.equal((await outside("GET", "/metrics", { key })).status, 200);
  });

  await t.test("refuses a key with too little access, and charges it", async () => {
    const { key } = await createKey({ access: "manage" });
    const refused = await outside("GET", "/metrics", { key });
    assertError(refused, "insufficient_access");
    assert.match(refused.headers["www-authenticate"] ?? "", /scope="admin"/);
    assert.equal(refused.headers["x-ratelimit-remaining"], "59");
  });

  await t.test("charges a request without a valid key to its address", async () => {
    const none = await outside("GET", "/metrics");
    const wrong = await outside("GET", "/metrics", { key: "wrong" });
    assertError(none, "missing_api_key");
    assertError(wrong, "invalid_api_key");
    const left = [none, wrong].map(({ headers }) => headers["x-ratelimit-remaining"]);
    assert.deepEqual(left, ["59", "58"]);
  });
});

test("GET /metrics counts every decision of the gate, by caller and verdict", async (t) => {
  const { outside, call, createKey } = await startApp(t, { environment: { METRICS_TOKEN } });
  const { key } = await createKey({ plan: "enterprise", perMinute: 3, perDay: 10 });
  const { key: daily } = await createKey({ plan: "enterprise", perMinute: 3, perDay: 1 });
  const read = async () => {
    const { text } = await outside("GET", "/metrics", { key: METRICS_TOKEN });
    const samples = text.matchAll(
      /^animal_store_gate_decisions_total\{caller="(\w+)",verdict="(\w+)"\} (\d+)$/gm,
    );
    return Object.fromEntries(
      [...samples].map(([, caller, verdict, count]) => [`${caller} ${verdict}`, Number(count)]),
    );
  };
  const before = await read();
  // Two of them beside the fast path.
  for (const path of ["/pets", "/pets", "/pets/1/history", "/pets", "/pets/1/history"])
    await call("GET", path, { key });
  for (let i = 0; i < 3; i++) await call("GET", "/pets", { key: daily });
  for (let i = 0; i < 62; i++) await call("GET", "/pets", { key: "unknown" });
  await call("GET", "/usage", { key });
  const after = await read();
  const growth = Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]);
  assert.deepEqual(Object.fromEntries(growth), {
    "key admitted": 4,
    "key minute": 2,
    "key day": 2,
    "stranger admitted": 60,
    "stranger minute": 2,
  });
});

test("GET /metrics refuses a key from the first request after a command revoked it", async (t) => {
  const { url, createKey, command } = await startService(t);
  const outside = createCall(url);
  const { id, key } = await createKey({ plan: "pro", access: "admin" });
  for (let i = 0; i < 3; i++) assert.equal((await outside("GET", "/metrics", { key })).status, 200);
  assert.equal((await command("keys", "revoke", String(id))).code, 0);
  assertError(await outside("GET", "/metrics", { key }), "invalid_api_key");
});

test("METRICS_TOKEN", async (t) => {
  const { outside, call, logged } = await startApp(t, { environment: { METRICS_TOKEN } });

  await t.test("METRICS_TOKEN gives access to the metrics without limits and without a charge", async () => {
    for (let i = 0; i < 70; i++) {
      const answer = await outside("GET", "/metrics", { key: METRICS_TOKEN });
      assert.equal(answer.status, 200);
      assert.match(answer.text, /animal_store_requests_total/);
      assert.equal(answer.headers["x-ratelimit-limit"], undefined);
    }
    assert.equal((await outside("GET", "/metrics", { key: ADMIN_KEY })).status, 200);
    assert.ok(!logged.join("").includes(METRICS_TOKEN));
  });

  await t.test("METRICS_TOKEN gives access to nothing else", async () => {
    for (const path of ["/pets", "/usage", "/keys", "/traffic", "/nothing"])
      assertError(await call("GET", path, { key: METRICS_TOKEN }), "invalid_api_key");
  });

  for (const wrong of [`${METRICS_TOKEN}x`, METRICS_TOKEN.slice(0, -1), METRICS_TOKEN.toUpperCase()])
    await t.test(`${wrong} is not METRICS_TOKEN`, async () => {
      assertError(await outside("GET", "/metrics", { key: wrong }), "invalid_api_key");
    });

  const faults: Record<string, { token: string; says: RegExp }> = {
    "a short one": { token: "x".repeat(15), says: /METRICS_TOKEN must be 16 or more visible ASCII/ },
    "one with a space": { token: "sixteen or more characters", says: /METRICS_TOKEN must be 16 or more/ },
    "the admin key": { token: ADMIN_KEY, says: /METRICS_TOKEN must differ from ADMIN_API_KEY/ },
  };
  for (const [what, { token, says }] of Object.entries(faults))
    await t.test(`METRICS_TOKEN is refused at the start if it is ${what}`, () => {
      const read = () => readConfig({ ADMIN_API_KEY: ADMIN_KEY, METRICS_TOKEN: token });
      assert.throws(read, (error: Error) => error instanceof ConfigError && says.test(error.message));
    });
});
