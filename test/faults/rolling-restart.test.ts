// Three nodes are restarted one after another under load: no request fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { PATIENT_MS } from "../harness/runner/patience.ts";
import { startBalancer } from "../harness/servers/balancer.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { startRedis } from "../harness/servers/redis.ts";
import { type Service, startService } from "../harness/servers/service.ts";

const KEY = "an-admin-key-for-all-nodes";

test("A rolling restart of three nodes under load fails no request", { timeout: 120_000 }, async (t) => {
  const environment = {
    DATABASE_URL: await createTestDatabase(t),
    REDIS_URL: (await startRedis(t)).url,
    REDIS_TIMEOUT_MS: PATIENT_MS,
    ADMIN_API_KEY: KEY,
    DRAIN_SECONDS: "1",
  };
  const balancer = startBalancer(t);
  const start = async (): Promise<Service> => {
    const node = await startService(t, environment);
    balancer.add(node.url);
    return node;
  };
  const nodes = await Promise.all([start(), start(), start()]);
  while (balancer.ready() < 3) await pause(20);

  const statuses: Record<string, number> = {};
  let isDone = false;
  const load = async (worker: number): Promise<void> => {
    for (let i = 0; !isDone; i++) {
      const request =
        (worker + i) % 5 === 0
          ? balancer.call("POST", "/v1/pets", { key: KEY, body: { name: "Rex", categoryId: worker } })
          : balancer.call("GET", "/v1/pets?limit=5", { key: KEY });
      const outcome = await request.then(
        ({ status }) => String(status),
        (error) => error.code as string,
      );
      statuses[outcome] = (statuses[outcome] ?? 0) + 1;
    }
  };
  const workers = Array.from({ length: 6 }, (_, worker) => load(worker));

  for (const old of nodes) {
    await start();
    while (balancer.ready() < 4) await pause(20);
    assert.equal(await old.stop(), 0);
    balancer.remove(old.url);
  }
  isDone = true;
  await Promise.all(workers);
  t.diagnostic(JSON.stringify(statuses));
  assert.deepEqual(Object.keys(statuses).sort(), ["200", "201"]);
});
