// The gate and its breaker while Redis is slow, frozen or away: every request is charged once, and each node admits its share.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause, setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createBreaker } from "../../src/gate/redis/breaker.ts";
import { createServerClock } from "../../src/tools/server-clock.ts";
import { FREE_KEY } from "../harness/clients/free-key.ts";
import { openRedisGate } from "./redis-gate.ts";

test("a version that commits while Redis is coming back is published before its write is answered", async (t) => {
  const { redis, proxy, gate } = await openRedisGate(t);
  proxy.set("reset");
  await gate.admit(FREE_KEY);
  assert.equal(gate.faults().length, 1);
  // The command that publishes: its answer makes Redis count as available.
  const held = proxy.holdAnswersTo("\r\ntest:version:pets:one\r\n");
  proxy.set("pass");
  await held;
  const published = gate.publishPetsVersion(9);
  proxy.set("pass");
  await published;
  assert.deepEqual(gate.faults(), []);
  assert.match(await redis.command("GET", "test:version:pets:one"), /\r\n9\r\n/);
});

test("an outage is noticed without any request; its beginning and its end are reported and begin generations", {
  timeout: 60_000,
}, async (t) => {
  const { proxy, gate, changes } = await openRedisGate(t);
  const generations = [gate.generation()];
  for (const isAway of [true, false]) {
    proxy.set(isAway ? "reset" : "pass");
    while (gate.faults().length !== Number(isAway)) await pause(10);
    generations.push(gate.generation());
  }
  assert.equal(new Set(generations).size, 3, "no page and no key from before is used");
  assert.deepEqual(
    changes.map(({ isAway, hasVersions }) => ({ isAway, hasVersions })),
    [
      { isAway: true, hasVersions: true },
      { isAway: false, hasVersions: true },
    ],
  );
});

test("a gate that is closed asks and reports nothing any more", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { gate, changes } = await openRedisGate(t, { isNode: true });
  await gate.close();
  const laterMs = performance.now() + 10_000;
  t.mock.method(performance, "now", () => laterMs);
  t.mock.timers.tick(10_000);
  for (let tick = 0; tick < 5; tick++) await yieldToEventLoop();
  assert.deepEqual(changes, []);
});

test("a request that the node has decided is not charged in Redis later", async (t) => {
  const { redis, gate } = await openRedisGate(t, { timeoutMs: 200 });
  const ask = (count: number) => Promise.all(Array.from({ length: count }, () => gate.admit(FREE_KEY)));
  const used = async () => Number(/\r\n(\d+)\r\n/.exec(await redis.command("HGET", "test:k:1", "mu"))?.[1]);
  await ask(3);
  assert.equal(await used(), 3);
  for (let round = 1; round <= 3; round++) {
    redis.signal("SIGSTOP");
    for (const { verdict } of await ask(5)) assert.equal(verdict, "admitted");
    assert.equal(gate.faults().length, 1, "the node went on by itself");
    redis.signal("SIGCONT");
    while (gate.faults().length > 0) await pause(10);
    assert.equal(await used(), 3, "requests that waited in Redis have charged nothing");
  }
  await ask(2);
  assert.equal(await used(), 5, "exact again");
});

test("a slow Redis charges every request once", async (t) => {
  const { redis, gate } = await openRedisGate(t);
  for (let round = 1; round <= 3; round++) {
    redis.signal("SIGSTOP");
    let isDecided = false;
    const asked = Promise.all([1, 2, 3].map(() => gate.admit(FREE_KEY)));
    void asked.then(() => {
      isDecided = true;
    });
    await pause(150);
    assert.equal(isDecided, false, "the requests wait for Redis");
    redis.signal("SIGCONT");
    const remaining = (await asked).map(({ windows }) => windows[0]?.remaining);
    assert.deepEqual(
      remaining,
      [1, 2, 3].map((number) => 60 - 3 * (round - 1) - number),
    );
  }
});

test("the estimated clock of Redis uses the quickest reply", () => {
  const clock = createServerClock();
  assert.equal(clock.at(0), undefined);
  // The server is 1,000 ms ahead; its replies take 40, 2 and 30 ms.
  clock.note(1_010, 50);
  clock.note(1_100, 102);
  clock.note(1_200, 230);
  assert.equal(clock.at(300), 1_298);
});

test("the estimated clock of Redis uses a reply that proves the estimate wrong at once", () => {
  const clock = createServerClock();
  clock.note(1_010, 10);
  clock.correct(9_020, 20);
  assert.equal(clock.at(20), 9_020);
});

test("the estimated clock of Redis follows a clock that was set back after two windows", () => {
  const clock = createServerClock();
  clock.note(100_000, 5_000);
  clock.note(5_001, 10_001);
  assert.equal(clock.at(10_001), 105_001, "the higher one may still be right");
  clock.note(10_002, 15_002);
  assert.equal(clock.at(15_002), 10_002);
});

test("while Redis is away, a node admits its share of the nodes that are alive, rounded down", async (t) => {
  const { proxy, gate, nodes } = await openRedisGate(t, { isNode: true });
  const limits = async () => (await gate.peek(FREE_KEY)).windows.map(({ limit }) => limit);
  const afterBeat = async (count: number) => {
    nodes.count = count;
    for (const { beats } = { ...nodes }; nodes.beats === beats; ) await pause(10);
    return limits();
  };
  proxy.set("reset");
  await gate.admit(FREE_KEY);
  assert.deepEqual(await afterBeat(7), [8, 142]);
  assert.deepEqual(await afterBeat(100), [1, 10], "never less than one");
  assert.deepEqual(await afterBeat(1), [60, 1_000], "nodes that are gone have no share");
  await gate.close();
  assert.equal(nodes.left, 1, "a node that stops gives its share back");
});

function openBreaker({ isOpen = false } = {}) {
  const seen = { probes: 0, changes: [] as boolean[] };
  const breaker = createBreaker({
    isOpen,
    probe: async () => {
      seen.probes += 1;
    },
    onChange: (isAway) => seen.changes.push(isAway),
  });
  return { breaker, seen };
}

test("callers at the same time share one probe, and the next one is new", async () => {
  const { breaker, seen } = openBreaker({ isOpen: true });
  await Promise.all([breaker.probe(), breaker.probe()]);
  assert.equal(seen.probes, 1);
  await breaker.probe();
  assert.deepEqual([seen.probes, seen.changes], [2, [false]], "one change is reported");
});

test("a command from before an outage that is over does not open the breaker again", async () => {
  const { breaker, seen } = openBreaker();
  const away = new Error("connection refused");
  const { promise, reject } = Promise.withResolvers<void>();
  const old = breaker.run(() => promise);
  await assert.rejects(
    breaker.run(() => Promise.reject(away)),
    away,
  );
  await assert.rejects(
    breaker.run(() => assert.fail("sent while Redis is away")),
    /Redis is away/,
  );
  await breaker.probe();
  reject(away);
  await assert.rejects(old, away);
  assert.deepEqual([breaker.isOpen(), seen.changes], [false, [true, false]]);
});
