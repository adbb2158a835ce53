// Two nodes see every change while Redis freezes, misses versions or is away. VERSION_ROUNDS sets how often.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createCall } from "../../harness/clients/call.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";
import { startRedis } from "../../harness/servers/redis.ts";

const ROUNDS = Number(process.env.VERSION_ROUNDS ?? 2);
/** A little longer than REDIS_TIMEOUT_MS. */
const FREEZE_MS = 110;
/** Time until a change takes effect on every node: the median of all rounds. */
const IN_FORCE_MS = 1_000;
/** The same for a single change, on a busy machine. */
const IN_FORCE_MAX_MS = 2_500;

async function startPair(t: TestContext) {
  const redis = await startRedis(t);
  const database = { DATABASE_URL: await createTestDatabase(t) };
  const environment = { ...database, REDIS_URL: redis.url };
  const nodes = [await startNode(t, environment), await startNode(t, environment)] as const;
  return { redis, nodes, database };
}

async function untilReady(node: LocalNode): Promise<void> {
  while ((await createCall(node.url)("GET", "/readyz")).json.status !== "ready") await pause(10);
}

test(`a node shows what it acknowledged while Redis froze, in ${ROUNDS * 2} rounds of ${ROUNDS * 2}`, {
  timeout: 600_000,
}, async (t) => {
  const { redis, nodes } = await startPair(t);
  // Limits that are never reached.
  const limits = { name: "x", plan: "enterprise", perMinute: 1_000_000, perDay: 10_000_000 };
  const { key } = (await nodes[0].call("POST", "/keys", { body: limits })).json;
  const ids = async (node: LocalNode): Promise<number[]> => {
    const listed = await node.call("GET", "/pets?status=sold&limit=100", { key });
    assert.equal(listed.status, 200, listed.text);
    return listed.json.map(({ id }: { id: number }) => id);
  };
  const stale: number[] = [];
  for (let round = 0; round < ROUNDS * 2; round++) {
    const [writer, other] = round % 2 === 0 ? nodes : ([nodes[1], nodes[0]] as const);
    for (const node of nodes) await untilReady(node);
    for (const node of nodes) await ids(node);
    redis.signal("SIGSTOP");
    const thaw = pause(FREEZE_MS).then(() => redis.signal("SIGCONT"));
    const body = { name: "Rex", categoryId: round, status: "sold" };
    const created = await writer.call("POST", "/pets", { body });
    assert.equal(created.status, 201, created.text);
    await thaw;
    // Longer than until Redis counts as available again, shorter than a page stays cached.
    const endMs = Date.now() + 400;
    while (Date.now() < endMs) if (!(await ids(writer)).includes(created.json.id)) stale.push(round);
    assert.ok((await ids(other)).includes(created.json.id), "the other node has read it from the database");
    assert.equal((await writer.call("DELETE", `/pets/${created.json.id}`)).status, 204);
  }
  assert.deepEqual([...new Set(stale)], [], "rounds with a list from before the write");
});

test(`a command without REDIS_URL is soon in force on every node, mostly within a second, in ${ROUNDS} rounds of ${ROUNDS}`, {
  timeout: 1_200_000,
}, async (t) => {
  const { redis, nodes, database } = await startPair(t);
  const [one, two] = nodes;
  const file = join(makeFolder(t), "animals.csv");
  const tookMs: number[] = [];

  async function inForce(what: string, isDone: (node: LocalNode) => Promise<boolean>): Promise<void> {
    const startMs = performance.now();
    const sinceMs = () => performance.now() - startMs;
    for (const node of nodes)
      while (!(await isDone(node))) assert.ok(sinceMs() < IN_FORCE_MAX_MS, `${what} is not in force in time`);
    tookMs.push(sinceMs());
  }

  for (let round = 0; round < ROUNDS; round++) {
    const isRedisUp = round % 2 === 0;
    if (!isRedisUp) await redis.stop();
    const { id, key } = (await one.call("POST", "/keys", { body: { name: "x", plan: "business" } })).json;
    const use = (node: LocalNode) => node.call("GET", "/pets?status=pending&limit=100", { key });
    // Both nodes keep the key and the page in memory.
    for (const node of [one, two, one, two]) assert.equal((await use(node)).status, 200);

    writeFileSync(file, `name,categoryId,status\nRound ${round},${round},pending\n`);
    assert.equal((await runInHost(["import", file], database)).code, 0);
    await inForce("the import", async (node) => (await use(node)).text.includes(`"Round ${round}"`));

    for (const node of nodes) assert.equal((await use(node)).status, 200);
    assert.equal((await runInHost(["keys", "revoke", String(id)], database)).code, 0);
    await inForce("the revocation", async (node) => (await use(node)).status === 401);

    if (!isRedisUp) await redis.start();
    for (const node of nodes) await untilReady(node);
  }
  const medianMs = tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length / 2)] as number;
  t.diagnostic(`in force after ${Math.round(medianMs)} ms (median of ${tookMs.length})`);
  assert.ok(medianMs < IN_FORCE_MS, `the median is ${Math.round(medianMs)} ms`);
});
