// Redis killed, frozen, emptied, full or read-only: requests are served, and limits are exact again afterwards.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createCall } from "../../harness/clients/call.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";
import { type RedisServer, startRedis } from "../../harness/servers/redis.ts";
import { runCommand } from "../../harness/servers/service.ts";

/** Longer than a reply takes on a busy machine, short enough for a test. */
const REDIS_TIMEOUT_MS = "500";

interface Fault {
  begin(redis: RedisServer): Promise<unknown>;
  end(redis: RedisServer): Promise<unknown>;
}

const FAULTS: Record<string, Fault> = {
  "killed and restarted empty": { begin: (redis) => redis.stop(), end: (redis) => redis.start() },
  frozen: {
    begin: async (redis) => redis.signal("SIGSTOP"),
    end: async (redis) => redis.signal("SIGCONT"),
  },
  "out of memory": {
    begin: (redis) => redis.command("CONFIG", "SET", "maxmemory", "1"),
    end: (redis) => redis.command("CONFIG", "SET", "maxmemory", "0"),
  },
  "a read-only replica": {
    begin: (redis) => redis.command("REPLICAOF", "127.0.0.1", "1"),
    end: (redis) => redis.command("REPLICAOF", "NO", "ONE"),
  },
};

for (const [what, fault] of Object.entries(FAULTS)) {
  test(`Redis ${what}`, { timeout: 120_000 }, async (t) => {
    const { redis, environment } = await prepare(t);
    const nodes = [await startNode(t, environment), await startNode(t, environment)] as const;
    const [one, two] = nodes;
    const { id, key } = await one.createKey({ plan: "enterprise", perMinute: 40, perDay: 1_000 });
    for (const node of nodes) {
      assert.equal((await node.call("GET", "/pets", { key })).status, 200);
      await until(async () => (await readiness(node)) === "ready");
    }
    // The first node learns of the second with its heartbeat, once a second.
    await pause(1_500);

    await fault.begin(redis);
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push((await one.call("GET", "/pets", { key })).status);
    assert.deepEqual([...new Set(statuses)], [200, 429], "requests go on, and there is a limit");
    const admitted = statuses.filter((status) => status === 200).length;
    assert.ok(admitted >= 20 && admitted <= 21, `its share is half of 40, and it let ${admitted} pass`);
    assert.equal(await readiness(one), "degraded");
    assert.equal((await one.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } })).status, 201);
    assert.equal((await two.call("GET", "/pets")).json.length, 1, "pages are not cached during the outage");

    await fault.end(redis);
    for (const node of nodes) await until(async () => (await readiness(node)) === "ready");
    const fresh = await one.createKey();
    const ask = (_: unknown, index: number) =>
      (nodes[index % 2] as LocalNode).call("GET", "/pets", { key: fresh.key });
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    assert.equal(answers.filter(({ status }) => status === 200).length, 60, "exact again");
    await two.call("DELETE", `/keys/${id}`);
    for (const node of nodes) assert.equal((await node.call("GET", "/pets", { key })).status, 401);
  });
}

test("A Redis that answers but refuses the script never removes the limit", {
  timeout: 60_000,
}, async (t) => {
  const { redis, environment } = await prepare(t);
  const node = await startNode(t, environment);
  const { key } = await node.createKey();
  assert.match(await redis.command("ACL", "SETUSER", "default", "-evalsha", "-eval"), /^\+OK/);
  let admitted = 0;
  // Long enough for several probes to pass between the requests.
  for (let i = 0; i < 150; i++) {
    if ((await node.call("GET", "/pets", { key })).status === 200) admitted += 1;
    await pause(10);
  }
  assert.ok(admitted <= 60, `${admitted} were admitted`);
  assert.equal(await readiness(node), "degraded");
});

test("A node applies its own key changes at once, also while Redis is away", {
  timeout: 60_000,
}, async (t) => {
  const { redis, environment } = await prepare(t);
  const node = await startNode(t, environment);
  const { id, key } = await node.createKey({ plan: "business" });
  for (let i = 0; i < 3; i++) assert.equal((await node.call("GET", "/pets", { key })).status, 200);
  await redis.stop();
  assert.equal((await node.call("GET", "/pets", { key })).status, 200);
  assert.equal((await node.call("DELETE", `/keys/${id}`)).status, 204);
  assert.equal((await node.call("GET", "/pets", { key })).json.code, "invalid_api_key");
});

test("A command that is refused exits, with Redis too", { timeout: 60_000 }, async (t) => {
  const redis = await startRedis(t);
  const environment = { DATABASE_URL: await createTestDatabase(t), REDIS_URL: redis.url };
  const node = await startNode(t, environment);
  await node.createKey();
  await node.stop();
  const result = await runCommand(["keys", "list"], { ...environment, ENVIRONMENT: "staging" });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /Set ENVIRONMENT as for the service/);
});

test("Nodes start without Redis, share the limits, and find it later", { timeout: 60_000 }, async (t) => {
  const { redis, environment } = await prepare(t);
  await redis.stop();
  const node = await startNode(t, environment);
  const countAway = async () => {
    const { text } = await createCall(node.url, node.adminKey)("GET", "/metrics");
    return /^animal_store_redis_servers_away (\d+)$/m.exec(text)?.[1];
  };
  const other = await startNode(t, environment);
  const { key } = await node.createKey();
  for (const each of [node, other])
    await until(async () => (await each.call("GET", "/usage", { key })).json.minute.limit === 30);
  assert.deepEqual([await readiness(node), await countAway()], ["degraded", "1"]);
  await redis.start();
  await until(async () => (await readiness(node)) === "ready");
  assert.equal(await countAway(), "0");
});

test("A Redis that refuses the password is logged at the start, and the password is not", {
  timeout: 60_000,
}, async (t) => {
  const { redis, environment } = await prepare(t);
  await redis.command("CONFIG", "SET", "requirepass", "the-right-one");
  const REDIS_URL = redis.url.replace("//", "//:the-wrong-one@");
  const node = await startNode(t, { ...environment, REDIS_URL });
  const read = () => node.logged.filter((line) => line.includes("Redis does not answer"));
  await until(async () => read().length > 0);
  const lines = read();
  assert.equal(lines.length, 1);
  const { server, reason } = JSON.parse(lines[0] as string);
  assert.equal(server, `127.0.0.1:${redis.port}`);
  assert.match(reason, /WRONGPASS|NOAUTH|AUTH/);
  assert.doesNotMatch(node.logged.join(""), /the-wrong-one/);
});

/** Engines for one test, and the environment of a node that uses them. */
async function prepare(t: TestContext): Promise<{ redis: RedisServer; environment: Record<string, string> }> {
  const redis = await startRedis(t);
  const database = await createTestDatabase(t);
  return {
    redis,
    environment: { DATABASE_URL: database, REDIS_URL: redis.url, REDIS_TIMEOUT_MS },
  };
}

async function readiness(node: LocalNode): Promise<string> {
  return (await createCall(node.url)("GET", "/readyz")).json.status;
}

/** The timeout of the test bounds the wait. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(25);
}
