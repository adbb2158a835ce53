// What one node has done is seen by the next request on every other, whatever way it was done.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pino from "pino";
import { readConfig } from "../../src/config.ts";
import { createService } from "../../src/service.ts";
import { ADMIN_KEY, createClock } from "../harness/app.ts";
import { createCall } from "../harness/call.ts";
import { PATIENT_MS } from "../harness/combination.ts";
import { createTestDatabase } from "../harness/databases.ts";
import { startProxy } from "../harness/proxy.ts";
import { startRedis } from "../harness/redis.ts";

const HOUR_MS = 3_600_000;

/** Two nodes with one clock; the first reaches PostgreSQL through a proxy. */
async function startPair(t: TestContext) {
  const database = new URL(await createTestDatabase(t));
  const proxy = await startProxy(t, Number(database.port));
  const direct = database.href;
  database.port = String(proxy.port);
  const redis = await startRedis(t);
  const clock = createClock(Date.UTC(2027, 0, 1));
  const log = pino({ level: "silent" });
  const start = async (url: string) => {
    const config = readConfig({
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: PATIENT_MS,
      PORT: "0",
      ADMIN_API_KEY: ADMIN_KEY,
    });
    const service = await createService(config, { log, clock });
    t.after(() => service.stop());
    return { service, call: createCall(`${await service.listen()}/v1`, ADMIN_KEY) };
  };
  return { proxy, clock, one: await start(database.href), two: await start(direct) };
}

test("Changes on one node are in the next list of another", async (t) => {
  const { proxy, clock, one, two } = await startPair(t);
  const statuses = async () => {
    const { json } = await two.call("GET", "/pets?limit=100");
    return json.map(({ status }: { status: string }) => status).join(" ");
  };
  /** The list is in the other node's memory before each step. */
  const sees = async (expected: string, step: () => Promise<unknown>) => {
    await statuses();
    await step();
    assert.equal(await statuses(), expected);
  };
  const add = (headers = {}) => one.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 }, headers });
  const move = (status: string) => one.call("PATCH", "/store/orders/1", { body: { status } });

  await t.test("an animal, an order, its moves and its end", async () => {
    await sees("available", add);
    await sees("pending", () => one.call("POST", "/store/orders", { body: { petId: 1 } }));
    await sees("available", () => move("cancelled"));
    await sees("pending", () => one.call("POST", "/store/orders", { body: { petId: 1 } }));
    clock.advance(72 * HOUR_MS);
    await sees("available", () => one.service.runMaintenance());
    await sees("sold", () => one.call("PATCH", "/pets/1", { body: { status: "sold" } }));
    await sees("", () => one.call("DELETE", "/pets/1"));
  });

  await t.test("what was done by Idempotency-Key", async () => {
    await sees("available", () => add({ "idempotency-key": "a" }));
    const order = { body: { petId: 2 }, headers: { "idempotency-key": "b" } };
    await sees("pending", () => one.call("POST", "/store/orders", order));
  });

  await t.test("a replay of what nobody was told of the first time", async () => {
    await statuses();
    proxy.cutAfter("COMMIT\0");
    assert.equal((await add({ "idempotency-key": "cut" })).json.code, "unavailable");
    assert.equal((await add({ "idempotency-key": "cut" })).headers["idempotent-replayed"], "true");
    assert.equal(await statuses(), "pending available");
  });

  await t.test("a key that was rotated by a request whose first answer was lost", async () => {
    const { id, key } = (await one.call("POST", "/keys", { body: { name: "x", plan: "pro" } })).json;
    for (const { call } of [one, two]) assert.equal((await call("GET", "/pets", { key })).status, 200);
    const rotation = { body: { graceSeconds: 0 }, headers: { "idempotency-key": "rotate" } };
    proxy.cutAfter("COMMIT\0");
    assert.equal((await one.call("POST", `/keys/${id}/rotate`, rotation)).json.code, "unavailable");
    assert.equal((await one.call("POST", `/keys/${id}/rotate`, rotation)).status, 200);
    for (const { call } of [one, two])
      assert.equal((await call("GET", "/pets", { key })).json.code, "invalid_api_key");
  });
});
