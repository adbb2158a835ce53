// One server of a Redis Cluster away: each node admits its share for the keys there; all other limits stay exact.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../../src/domain/basics/clock.ts";
import { slotOf } from "../../../src/gate/redis/client.ts";
import { createRedisGate } from "../../../src/gate/redis/gate.ts";
import { createVersions } from "../../contract/redis-gate.ts";
import { createCall } from "../../harness/clients/call.ts";
import { FREE_KEY } from "../../harness/clients/free-key.ts";
import { serverOf, startCluster } from "../../harness/servers/cluster.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";
import { type RedisServer, startRedis } from "../../harness/servers/redis.ts";

const PREFIX = "animal-store:production";

interface Fault {
  begin(server: RedisServer): Promise<unknown>;
  end(server: RedisServer): Promise<unknown>;
}

const FAULTS: Record<string, Fault> = {
  frozen: {
    begin: async (server) => server.signal("SIGSTOP"),
    end: async (server) => server.signal("SIGCONT"),
  },
  killed: { begin: (server) => server.stop(), end: (server) => server.start() },
};

test("A Redis Cluster with one server away", { timeout: 120_000 }, async (t) => {
  const servers = await startCluster(t, "--cluster-require-full-coverage", "no");
  const environment = {
    DATABASE_URL: await createTestDatabase(t),
    REDIS_URL: servers.map(({ url }) => url).join(","),
    // More than a busy machine takes.
    REDIS_TIMEOUT_MS: "1000",
  };
  const nodes = [await startNode(t, environment), await startNode(t, environment)] as const;
  const [one, two] = nodes;
  const admitted = async (key: string) => {
    const ask = (_: unknown, index: number) => (nodes[index % 2] as LocalNode).call("GET", "/pets", { key });
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    return answers.filter(({ status }) => status === 200).length;
  };

  for (const [what, fault] of Object.entries(FAULTS)) {
    await t.test(what, async () => {
      const keys = await createKeys(one);
      const held = await Promise.all(keys.map(({ id }) => serverOf(servers, `${PREFIX}:k:${id}`)));
      const away = held[0] as RedisServer;
      const [lost, unused] = keys.filter((_, index) => held[index] === away);
      const sound = keys.filter((_, index) => held[index] !== away);
      assert.ok(lost && unused && sound.length > 0, "each server has keys");
      // Each node must know the other node and every server.
      for (const { key } of keys) for (const node of nodes) await node.call("GET", "/usage", { key });
      await pause(1_500);

      await fault.begin(away);
      const limit = async (node: LocalNode, { key }: { key: string }) =>
        (await node.call("GET", "/usage", { key })).json.minute.limit;
      for (const node of nodes)
        assert.equal(await limit(node, lost), 30, "the nodes limit its keys by their shares");
      assert.equal(await admitted(lost.key), 60);

      // Long enough for several probes, each of which could wrongly report the server as back.
      const endMs = Date.now() + 1_500;
      for (const [index, each] of sound.entries()) {
        assert.equal(await admitted(each.key), 60, "all other keys stay exact");
        for (const node of nodes) assert.equal(await limit(node, each), 60, "by Redis, not by shares");
        const body = { name: "Rex", categoryId: index, status: "sold" };
        const created = await two.call("POST", "/pets", { body });
        assert.equal(created.status, 201, created.text);
        const listed = await two.call("GET", "/pets?status=sold&limit=100");
        assert.ok(listed.json.some(({ id }: { id: number }) => id === created.json.id));
      }
      while (Date.now() < endMs) for (const node of nodes) await limit(node, lost);

      await fault.end(away);
      for (const node of nodes) await untilReady(node);
      assert.equal(await admitted(unused.key), 60, "exact again after its return");
      for (const node of nodes) assert.equal(await limit(node, lost), 60);

      const gone = `127.0.0.1:${away.port} Redis does not answer: this node admits its share of the limits`;
      const back = `127.0.0.1:${away.port} Redis answers again; limits are exact across nodes`;
      for (const node of nodes)
        assert.deepEqual(
          readRedisLines(node),
          [gone, back],
          "logged once when it goes, once when it returns",
        );
    });
  }
});

async function untilReady(node: LocalNode): Promise<void> {
  while ((await createCall(node.url)("GET", "/readyz")).json.status !== "ready") await pause(25);
}

/** Log lines about Redis since the last call. */
function readRedisLines({ logged }: LocalNode): string[] {
  const lines = logged.splice(0).filter((line) => line.includes("Redis"));
  return lines.map((line) => JSON.parse(line)).map(({ server, msg }) => `${server} ${msg}`);
}

test("While the server of the versions is away, admissions by another server have no version", async (t) => {
  const servers = await startCluster(t, "--cluster-require-full-coverage", "no");
  const gate = await createRedisGate({
    url: servers.map(({ url }) => url).join(","),
    prefix: "test",
    isNode: false,
    timeoutMs: 1_000,
    clock: systemClock,
    versions: createVersions().store,
    nodes: { beat: async () => 1, leave: async () => {} },
    onStateChange: () => {},
    onWatchError: (error) => assert.fail(String(error)),
  });
  t.after(() => gate.close());
  const holder = await serverOf(servers, "test:version:pets:one");
  let key = FREE_KEY;
  while ((await serverOf(servers, `test:k:${key.id}`)) === holder) key = { ...key, id: key.id + 1n };
  // The first request of each server may find it unconnected.
  while ((await gate.peek(key)).versions === undefined) await pause(25);
  await holder.stop();
  while (gate.faults().length === 0) await gate.peek(key);
  const { verdict, windows, versions } = await gate.admit(key);
  assert.deepEqual([verdict, windows[0]?.limit, versions], ["admitted", 60, undefined]);
});

test("The slot of a key is the one that the cluster computes", async (t) => {
  const redis = await startRedis(t, "--cluster-enabled", "yes");
  const names = ["k:1", "{a}b", "a{b}c", "a{}b{c}", "{{a}}", "a{b", "Käse 🐕"];
  for (const name of [...names, `${PREFIX}:k:17`, `${PREFIX}:probe:{${PREFIX}:k:17}`])
    assert.equal(await redis.command("CLUSTER", "KEYSLOT", name), `:${slotOf(name)}\r\n`, name);
  assert.equal(slotOf(`${PREFIX}:probe:{${PREFIX}:k:17}`), slotOf(`${PREFIX}:k:17`));
});

/** Enough that each server has some. */
async function createKeys(node: LocalNode): Promise<Array<{ id: number; key: string }>> {
  const keys: Array<{ id: number; key: string }> = [];
  for (let i = 0; i < 12; i++)
    keys.push((await node.call("POST", "/keys", { body: { name: `key ${i}`, plan: "free" } })).json);
  return keys;
}
