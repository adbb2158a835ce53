// The circuit breaker of the gate: probes are shared, and an old failure does not open it again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createBreaker } from "../../src/gate/redis/breaker.ts";

function open({ isOpen = false } = {}) {
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
  const { breaker, seen } = open({ isOpen: true });
  await Promise.all([breaker.probe(), breaker.probe()]);
  assert.equal(seen.probes, 1);
  await breaker.probe();
  assert.deepEqual([seen.probes, seen.changes], [2, [false]], "one change is reported");
});

test("a command from before an outage that is over does not open the breaker again", async () => {
  const { breaker, seen } = open();
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
