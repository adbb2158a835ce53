// The reason that the log and doctor give for a Redis that cannot be used: its cause, not a sentence of the driver.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openRedis } from "../../src/gate/redis/link.ts";
import type { StateChange } from "../../src/gate/redis/server-probes.ts";
import { startPeer, startSilentPeer } from "../harness/servers/peer.ts";
import { findFreePort } from "../harness/servers/ports.ts";
import { startRedis } from "../harness/servers/redis.ts";

/** Longer than a command takes on a busy machine. */
const PATIENT_MS = 2_000;

/** Opens a link; `next` resolves with each change of the server's state. */
function watch(t: TestContext, url: string, timeoutMs = PATIENT_MS) {
  const changes: StateChange[] = [];
  let wake = () => {};
  const options = { url, timeoutMs, prefix: "test", known: () => ({ epoch: "e", pets: 1 }) };
  const link = openRedis(options, (change) => {
    changes.push(change);
    wake();
  });
  t.after(() => link.close());
  const next = async () => {
    while (changes.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return changes.shift() as StateChange;
  };
  return { link, next };
}

test("a server that cannot be reached is reported with the cause", async (t) => {
  const closed = `redis://127.0.0.1:${await findFreePort()}`;
  const silent = `redis://127.0.0.1:${await startSilentPeer(t)}`;
  const closing = `redis://127.0.0.1:${await startPeer(t, (socket) => void socket.destroy())}`;
  const cases: Array<[url: string, timeoutMs: number, reason: string]> = [
    [closed, PATIENT_MS, "connection refused"],
    [silent, 1, "no answer in time"],
    [closing, PATIENT_MS, "connection closed"],
  ];
  await Promise.all(
    cases.map(async ([url, timeoutMs, expected]) => {
      const { link, next } = watch(t, url, timeoutMs);
      await link.opened();
      const { isAway, reason } = await next();
      assert.deepEqual([isAway, reason], [true, expected], url);
    }),
  );
});

test("a server that stops is reported with the cause, and the next outage with its own", async (t) => {
  const redis = await startRedis(t);
  const { link, next } = watch(t, redis.url);
  await link.opened();
  await redis.stop();
  const { isAway, reason } = await next();
  assert.equal(isAway, true);
  assert.match(reason ?? "", /^connection (?:refused|closed)$/);
  await redis.start();
  assert.deepEqual((await next()).isAway, false);
  await redis.command("CONFIG", "SET", "maxmemory", "1");
  assert.match((await next()).reason ?? "", /OOM/);
});
