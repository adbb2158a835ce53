// Periodic maintenance: by itself, often enough, and one job whatever becomes of the other.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { IdempotencyStore } from "../../src/domain/idempotency.ts";
import type { OrderStore } from "../../src/domain/order.ts";
import { startMaintenance } from "../../src/maintenance.ts";
import { createClock } from "../harness/app.ts";

const REQUIRED_WITHIN_MS = 60_000;

/** Stores that have this many steps to do. */
function createChores(steps: number) {
  const left = { expire: steps, forget: steps };
  const step = (chore: keyof typeof left) => async () => (left[chore] > 0 ? left[chore]-- : 0);
  return {
    left,
    orders: { expire: step("expire") } as unknown as OrderStore,
    idempotency: { forget: step("forget") } as unknown as IdempotencyStore,
  };
}

test("maintenance does all there is to do, by itself within a minute", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { left, orders, idempotency } = createChores(3);
  const maintenance = startMaintenance({
    orders,
    idempotency,
    clock: createClock(0),
    onError: assert.ifError,
  });
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  await maintenance.run();
  assert.deepEqual(left, { expire: 0, forget: 0 });
  left.expire = 1;
  await maintenance.stop();
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  assert.equal(left.expire, 1, "nothing is begun after the stop");
});

test("a chore that fails keeps the other from nothing, and is told of", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { left, idempotency } = createChores(2);
  const orders = { expire: () => Promise.reject(new Error("no turn")) } as unknown as OrderStore;
  const { promise: told, resolve: tell } = Promise.withResolvers<unknown>();
  const maintenance = startMaintenance({ orders, idempotency, clock: createClock(0), onError: tell });
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  assert.match(String(await told), /no turn/);
  assert.equal(left.forget, 0);
  await maintenance.stop();
});
