// Calls of one client share one wait: the first 429 makes all of them wait.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { type ClientOptions, createClient, RateLimitError } from "../../../client/src/client.ts";
import { startApp } from "../../harness/servers/app.ts";
import { type ScriptedAnswer, startScripted } from "../../harness/servers/scripted-server.ts";
import { limitedFor } from "./scene.ts";
import { createTime, type Time } from "./time.ts";

const OK: ScriptedAnswer = { body: { available: 1 } };

/** A client of a scripted server, with a clock that the test moves. */
async function startLimited(
  t: TestContext,
  script: Array<ScriptedAnswer | "never">,
  options: Partial<ClientOptions> = {},
) {
  const server = await startScripted(t, ...script);
  const time = createTime(1_000_000);
  const client = createClient({
    baseUrl: server.url,
    apiKey: "ask_live_test",
    fetch: time.watch(fetch),
    runtime: { ...time.runtime, random: () => 0 },
    ...options,
  });
  return { server, time, client };
}

test("after one 429, later calls of the client wait until the reset without sending a request", async (t) => {
  const { server, time, client } = await startLimited(t, [limitedFor(30), OK, OK, OK]);
  const first = client.getInventory();
  await time.untilAsleep(1);
  time.pass(10_000);
  const others = [client.getInventory(), client.getInventory()];
  await time.untilAsleep(3);
  assert.equal(server.requests.length, 1);
  assert.deepEqual(time.sleeping(), [20_125, 20_125, 20_125]);
  time.pass(20_125);
  await Promise.all([first, ...others]);
  assert.equal(server.requests.length, 4);
});

test("another client does not wait, and neither does a call that is never charged", async (t) => {
  const { server, time, client } = await startLimited(t, [limitedFor(30), OK, OK, OK]);
  const first = client.getInventory();
  await time.untilAsleep(1);
  await client.getUsage();
  await createClient({ baseUrl: server.url, apiKey: "ask_live_other" }).getInventory();
  assert.equal(server.requests.length, 3);
  time.pass(60_000);
  await first;
});

test("aborting one waiting call does not affect the others", async (t) => {
  const { server, time, client } = await startLimited(t, [limitedFor(30), OK, OK]);
  const first = client.getInventory();
  await time.untilAsleep(1);
  const ending = new AbortController();
  const ended = client.getInventory({ signal: ending.signal });
  const other = client.getInventory();
  await time.untilAsleep(3);
  ending.abort(new Error("enough"));
  await assert.rejects(ended, /^Error: enough$/);
  time.pass(30_125);
  await Promise.all([first, other]);
  assert.equal(server.requests.length, 3);
});

test("a call that must not wait is sent, and gets its own 429", async (t) => {
  const { server, time, client } = await startLimited(
    t,
    [limitedFor(90), limitedFor(90), limitedFor(90), OK],
    {
      maxRetryWaitMs: 60_000,
    },
  );
  await assert.rejects(client.getInventory(), RateLimitError);
  await assert.rejects(client.getInventory(), RateLimitError, "90 s is more than maxRetryWaitMs");
  time.pass(40_000);
  const patient = client.getInventory();
  await time.untilAsleep(1);
  await assert.rejects(client.getInventory({ retries: 0 }), RateLimitError);
  assert.equal(server.requests.length, 3);
  time.pass(120_000);
  await patient;
});

test("waiting for the limit of another call counts as a retry", { timeout: 10_000 }, async (t) => {
  const { time, client } = await startLimited(t, [limitedFor(30), limitedFor(30), limitedFor(30)], {
    retries: 1,
  });
  const first = client.getInventory();
  await time.untilAsleep(1);
  const second = client.getInventory();
  await time.untilAsleep(2);
  time.pass(30_125);
  await Promise.all([first, second].map((call) => assert.rejects(call, RateLimitError)));
});

test("after the wait six calls are sent, and the others only if those are not refused", async (t) => {
  const script = [limitedFor(30), ...Array<ScriptedAnswer>(6).fill(limitedFor(60)), ...Array(100).fill(OK)];
  const { server, time, client } = await startLimited(t, script, { waitsOutLimits: true });
  const first = client.getInventory();
  await time.untilAsleep(1);
  const others = Array.from({ length: 99 }, () => client.getInventory());
  await time.untilAsleep(100);
  time.pass(30_125);
  await time.untilAsleep(100);
  assert.equal(server.requests.length, 7, "the first one, and then six of a hundred");
  time.pass(60_250);
  await Promise.all([first, ...others]);
  assert.equal(server.requests.length, 107);
});

test("a call that waits for its slot can be aborted", async (t) => {
  const { server, time, client } = await startLimited(t, [limitedFor(30), ...Array(9).fill("never")]);
  const [all, own] = [new AbortController(), new AbortController()];
  const calls = [client.getInventory({ signal: all.signal })];
  await time.untilAsleep(1);
  for (let i = 0; i < 8; i++) calls.push(client.getInventory({ signal: all.signal }));
  const last = client.getInventory({ signal: own.signal });
  await time.untilAsleep(10);
  time.pass(30_125);
  while (server.requests.length < 7) await nextTick();
  own.abort(new Error("enough"));
  await assert.rejects(last, /^Error: enough$/);
  all.abort(new Error("all of them"));
  await Promise.all(calls.map((call) => assert.rejects(call, /^Error: all of them$/)));
  assert.equal(server.requests.length, 7);
});

test("waitsOutLimits waits out a ban of an hour; without it the call is rejected at once", async (t) => {
  const script = [
    limitedFor(3_600, "key_banned"),
    OK,
    limitedFor(3_600, "key_banned"),
    limitedFor(86_000, "x"),
  ];
  const { time, client, server } = await startLimited(t, script, { waitsOutLimits: true });
  const call = client.getInventory();
  await time.untilAsleep(1);
  assert.deepEqual(time.sleeping(), [3_600_125]);
  time.pass(3_600_125);
  await call;
  const hasty = createClient({ baseUrl: server.url, apiKey: "ask_live_test" });
  await assert.rejects(hasty.getInventory(), { code: "key_banned", retryAfter: 3_600 });
  await assert.rejects(client.getInventory(), RateLimitError, "a day is more than maxRetryWaitMs");
});

test("after one call succeeds during a limit, later calls do not wait", async (t) => {
  const { time, client, server } = await startLimited(t, [limitedFor(50), OK, OK, OK]);
  const first = client.getInventory();
  await time.untilAsleep(1);
  await client.getInventory({ retries: 0 });
  await client.getInventory();
  assert.equal(server.requests.length, 3);
  time.pass(60_000);
  await first;
});

test("setting the clock back makes no call wait longer", async (t) => {
  const { time, client, server } = await startLimited(t, [limitedFor(30), OK, OK]);
  const first = client.getInventory();
  await time.untilAsleep(1);
  time.pass(-3_600_000);
  await client.getInventory();
  assert.equal(server.requests.length, 2);
  time.pass(3_700_000);
  await first;
});

test("250 concurrent calls with a free key all succeed, and the key is never banned", async (t) => {
  const app = await startApp(t);
  const { id, key } = await app.createKey({ plan: "free" });
  const time: Time = createTime(app.clock.nowMs(), (ms) => app.clock.advance(ms));
  const codes: string[] = [];
  const client = createClient({
    baseUrl: app.url,
    apiKey: key,
    waitsOutLimits: true,
    runtime: time.runtime,
    fetch: time.watch(async (url, init) => {
      const answer = await fetch(url, init);
      if (answer.status === 429) codes.push(((await answer.clone().json()) as { code: string }).code);
      return answer;
    }),
  });
  let served = 0;
  const calls = Array.from({ length: 250 }, () => client.getInventory().then(() => (served += 1)));
  while (served < 250) await time.passToNext();
  await Promise.all(calls);
  assert.deepEqual([...new Set(codes)], ["rate_limit_exceeded"]);
  t.diagnostic(`${codes.length} refusals for 250 calls`);
  assert.ok(codes.length <= 190 + 4 * 6, "after the first burst, few calls are refused");
  assert.equal((await app.call("GET", `/keys/${id}`)).json.usage.ban, undefined);
});
