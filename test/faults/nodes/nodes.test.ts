// Many nodes on one PostgreSQL and one Redis behave as one service.

import assert from "node:assert/strict";
import http from "node:http";
import { type TestContext, test } from "node:test";
import pino from "pino";
import { withStores } from "../../../src/command-stores.ts";
import { readConfig } from "../../../src/config/config.ts";
import { type Service as Composed, createService } from "../../../src/service/service.ts";
import { ACTOR } from "../../harness/clients/audit.ts";
import { hammerUntilBanned } from "../../harness/clients/ban.ts";
import type { Environment } from "../../harness/clients/commands.ts";
import { column } from "../../harness/clients/pages.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { PATIENT_DATABASE_MS, PATIENT_MS } from "../../harness/runner/patience.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";
import { startRedis } from "../../harness/servers/redis.ts";

const START_ROUNDS = Number(process.env.START_ROUNDS ?? 2);

async function startNodes(t: TestContext, count: number): Promise<LocalNode[]> {
  const environment = await freshEngines(t, "postgres+redis");
  return Promise.all(Array.from({ length: count }, () => startNode(t, environment)));
}

test("Three nodes", { timeout: 200_000 }, async (t) => {
  const nodes = await startNodes(t, 3);
  const [one, two, three] = nodes as [LocalNode, LocalNode, LocalNode];

  await t.test("three nodes admit exactly 60 of 200 concurrent requests on a Free key", async () => {
    const { key } = await one.createKey();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 40 });
    t.after(() => agent.destroy());
    const ask = (_: unknown, index: number) =>
      (nodes[index % 3] as LocalNode).call("GET", "/pets", { key, agent });
    const answers = await Promise.all(Array.from({ length: 200 }, ask));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 60);
    assert.equal(statuses.filter((status) => status === 429).length, 140);
  });

  await t.test("three nodes refuse a revoked key with the next request on every node", async () => {
    for (let i = 0; i < 5; i++) {
      const { id, key } = await one.createKey();
      for (const node of nodes) assert.equal((await node.call("GET", "/pets", { key })).status, 200);
      assert.equal((await two.call("DELETE", `/keys/${id}`)).status, 204);
      for (const node of nodes)
        assert.equal((await node.call("GET", "/pets", { key })).json.code, "invalid_api_key");
    }
  });

  await t.test("three nodes apply a command with the next request on every node", async () => {
    const { id, key } = await one.createKey();
    for (const node of nodes)
      assert.equal((await node.call("GET", "/pets", { key })).headers["x-ratelimit-limit"], "60");
    assert.equal((await three.command("keys", "update", String(id), "--plan", "pro")).code, 0);
    for (const node of nodes)
      assert.equal((await node.call("GET", "/pets", { key })).headers["x-ratelimit-limit"], "300");
    const shown = JSON.parse((await one.command("keys", "show", String(id), "--json")).stdout);
    assert.equal(shown.usage.minute.remaining, 294);
  });

  await t.test("three nodes record a ban once, and lift it on every node", async () => {
    const { id, key } = await one.createKey({ plan: "enterprise", perMinute: 1, perDay: 1_000 });
    await hammerUntilBanned(
      nodes.map(({ call }) => call),
      key,
    );
    for (const node of nodes)
      assert.equal((await node.call("GET", "/pets", { key })).json.code, "key_banned");
    const bans = async (): Promise<object[]> =>
      (await one.call("GET", "/audit?limit=100")).json.filter(
        (record: { action: string; target?: { keyId?: number } }) =>
          record.action === "key.banned" && record.target?.keyId === id,
      );
    // The record is written beside the response; all three nodes have reported the ban.
    while ((await bans()).length === 0);
    await two.command("keys", "unban", String(id));
    assert.equal((await bans()).length, 1);
    for (const node of nodes)
      assert.notEqual((await node.call("GET", "/pets", { key })).json.code, "key_banned");
  });
});

/** After the last admin key was revoked, exactly one of the nodes that start at once creates another. */
async function assertReplacedOnce(environment: Environment, services: Composed[], id: bigint): Promise<void> {
  await withStores(readConfig(environment), ({ stores }) => stores.keyRing.revoke(id, ACTOR));
  const replaced = await Promise.all(services.map((service) => service.createFirstKey()));
  const made = replaced.filter((key) => key !== undefined);
  assert.deepEqual(column(made, "isStoreNew"), [false]);
}

test(`Eight nodes start at once on an empty database, ${START_ROUNDS} rounds`, {
  timeout: 200_000,
}, async (t) => {
  const redis = await startRedis(t);
  const log = pino({ level: "silent" });
  for (let round = 0; round < START_ROUNDS; round++) {
    const environment = {
      DATABASE_URL: await createTestDatabase(t),
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: PATIENT_MS,
      PORT: "0",
      DATABASE_POOL_SIZE: "3",
    };
    const start = () => createService(readConfig(environment), { log, databaseMs: PATIENT_DATABASE_MS });
    const services = await Promise.all(Array.from({ length: 8 }, start));
    const first = await Promise.all(services.map((service) => service.createFirstKey()));
    const [made, ...more] = first.filter((key) => key !== undefined);
    assert.deepEqual([made?.isStoreNew, more.length], [true, 0], "one first key");
    if (round === 0) await assertReplacedOnce(environment, services, made?.key.id ?? 0n);
    await Promise.all(services.map((service) => service.stop()));
  }
});
