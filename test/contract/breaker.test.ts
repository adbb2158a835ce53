// The circuit breaker of the gate: what opens it, and what closes it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createBreaker } from "../../src/gate/redis/breaker.ts";

const away = new Error("connection refused");

function open({ isOpen = false } = {}) {
  const changes: Array<[boolean, unknown]> = [];
  const server = { probe: async () => {}, probes: 0 };
  const breaker = createBreaker({
    isOpen,
    probe: () => {
      server.probes += 1;
      return server.probe();
    },
    onChange: (isAway, error) => changes.push([isAway, error]),
  });
  const fail = () => breaker.run(() => Promise.reject(away));
  return { breaker, changes, server, fail };
}

test("a command that fails opens the breaker, and later ones fail without being sent", async () => {
  const { breaker, changes, fail } = open();
  assert.equal(await breaker.run(async () => 7), 7);
  await assert.rejects(fail(), away);
  assert.deepEqual([breaker.isOpen(), changes], [true, [[true, away]]]);
  await assert.rejects(
    breaker.run(() => assert.fail("sent")),
    /Redis is away/,
  );
});

test("a probe closes the breaker, or opens it with the reason; each change is reported once", async () => {
  const { breaker, changes, server } = open({ isOpen: true });
  await breaker.probe();
  await breaker.probe();
  assert.deepEqual([breaker.isOpen(), changes], [false, [[false, undefined]]]);
  server.probe = () => Promise.reject(away);
  await breaker.probe();
  await breaker.probe();
  assert.deepEqual([breaker.isOpen(), changes.slice(1)], [true, [[true, away]]]);
});

test("callers at the same time share one probe, and the next one is new", async () => {
  const { breaker, server } = open({ isOpen: true });
  await Promise.all([breaker.probe(), breaker.probe()]);
  assert.equal(server.probes, 1);
  await breaker.probe();
  assert.equal(server.probes, 2);
});

test("a command from before an outage that is over does not open the breaker again", async () => {
  const { breaker, changes, fail } = open();
  const { promise, reject } = Promise.withResolvers<void>();
  const old = breaker.run(() => promise);
  await assert.rejects(fail());
  await breaker.probe();
  reject(away);
  await assert.rejects(old, away);
  assert.equal(breaker.isOpen(), false);
  assert.equal(changes.length, 2);
});
