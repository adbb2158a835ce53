// What a call leaves: no listener on a signal, which may serve any number of calls, and no timer, which would delay an exit.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createClient } from "../../../client/src/client.ts";
import { type ScriptedAnswer, startScripted } from "../../harness/servers/scripted-server.ts";
import { finish, message, refuse, startFeed } from "./feed-server.ts";
import { AWAY, clientOf } from "./scene.ts";

const OK: ScriptedAnswer = { body: { available: 1 } };

const countOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

const countTimers = () => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;

test("a call that succeeds, fails or is too late leaves no listener and no timer", async (t) => {
  const { signal } = new AbortController();
  const timers = countTimers();
  const { url } = await startScripted(t, OK, { status: 403, body: AWAY.body }, "never");
  const { client } = clientOf(url, { retries: 0 });
  await client.getInventory({ signal });
  assert.equal(countOf(signal), 0);
  await assert.rejects(client.getInventory({ signal }), { name: "AccessError" });
  assert.equal(countOf(signal), 0);
  await assert.rejects(client.getInventory({ signal, timeoutMs: 50 }), { name: "TimeoutError" });
  assert.equal(countOf(signal), 0);
  assert.equal(countTimers(), timers);
});

test("a wait before a retry leaves no listener, also if the signal ends it", async (t) => {
  const { url } = await startScripted(t, AWAY, OK, AWAY);
  const ending = new AbortController();
  // The sleep of the client itself.
  const client = createClient({ baseUrl: url, apiKey: "ask_live_test", runtime: { random: () => 0 } });
  await client.getInventory({ signal: ending.signal });
  assert.equal(countOf(ending.signal), 0);
  const call = client.getInventory({ signal: ending.signal });
  const reason = new Error("enough");
  setTimeout(() => ending.abort(reason), 20);
  await assert.rejects(call, reason);
  assert.equal(countOf(ending.signal), 0);
});

test("each connection of a feed leaves no listener when it is closed", { timeout: 10_000 }, async (t) => {
  const { url } = await startFeed(
    t,
    finish(message(1)),
    refuse(503, "unavailable"),
    finish(message(2)),
    finish(message(3)),
  );
  const counts: number[] = [];
  const sleep = async (_ms: number, signal: AbortSignal | undefined) => {
    counts.push(countOf(signal as AbortSignal));
  };
  const client = createClient({ baseUrl: url, apiKey: "ask_live_test", runtime: { sleep } });
  const { signal } = new AbortController();
  for await (const { number } of client.events({ signal })) if (number === 3) break;
  assert.deepEqual(counts, [0, 0, 0]);
  assert.equal(countOf(signal), 0);
});
