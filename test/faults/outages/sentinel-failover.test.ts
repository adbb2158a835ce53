// Two nodes on Redis with Sentinels: the master is killed, frozen, or changed on purpose, under load. SENTINEL_ROUNDS sets
// how often.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createCall } from "../../harness/clients/call.ts";
import { walkAll } from "../../harness/clients/pages.ts";
import { createCertificate } from "../../harness/servers/certificate.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";
import { startRedis } from "../../harness/servers/redis.ts";
import { type SentinelGroup, startSentinels } from "../../harness/servers/sentinels.ts";
import { runCommand, startService } from "../../harness/servers/service.ts";

const ROUNDS = Number(process.env.SENTINEL_ROUNDS ?? 1);
/** More than a reply takes on a busy machine. */
const REDIS_TIMEOUT_MS = 500;
/** From the moment when all Sentinels name the new master; the median of all rounds. */
const EXACT_AGAIN_MS = 2_000;
/** For one change, on a busy machine. */
const CHANGE_MS = 60_000;
const LIMIT = 60;
const WRITERS = 4;
const ATTEMPTS_MAX = 5;
/** The longest wait for a silent master, divided by that for a silent single Redis. */
const WAIT_RATIO_MAX = 1.7;
const SILENT_MS = 2_500;

interface Failover {
  /** Makes the master silent. Without it, the Sentinels are asked to replace a master that works. */
  begin?(master: Server): Promise<unknown>;
  /** It is there again. */
  end?(master: Server): Promise<unknown>;
}
type Server = SentinelGroup["servers"][number];

const FAILOVERS: Record<string, Failover> = {
  "that is killed": {
    begin: (master) => master.stop(),
    end: (master) => master.start(),
  },
  "that is frozen, and thinks that it is the master when it is back": {
    begin: async (master) => master.signal("SIGSTOP"),
    end: async (master) => master.signal("SIGCONT"),
  },
  "that is replaced on purpose": {},
};

test("a master of Redis", { timeout: 120_000 + ROUNDS * 60_000 }, async (t) => {
  const group = await startSentinels(t);
  const environment = {
    DATABASE_URL: await createTestDatabase(t),
    REDIS_URL: group.url,
    REDIS_TIMEOUT_MS: String(REDIS_TIMEOUT_MS),
  };
  const nodes = [await startNode(t, environment), await startNode(t, environment)] as const;
  const [one] = nodes;
  const load = startLoad(nodes, (await createUnlimitedKey(one)).key);
  const exactAfterMs: number[] = [];
  const { key: shared } = await one.createKey();
  for (const node of nodes) await until(t, async () => (await readiness(node)).status === "ready");

  async function change(t: TestContext, { begin, end }: Failover): Promise<void> {
    const master = await group.findMaster();
    assert.equal(await admittedOfNewKey(t, nodes), LIMIT, "exact before");
    const { key: unused } = await one.createKey();
    await begin?.(master);
    try {
      if (begin !== undefined) {
        for (const node of nodes) await untilShared(t, node, shared);
        await assertShared(nodes, unused);
      }
      const next = await group.failOver(master, { isOnPurpose: begin === undefined });
      const changedMs = performance.now();
      for (const node of nodes) await until(t, () => usesMaster(node, next));
      exactAfterMs.push(performance.now() - changedMs);
      assert.equal(await admittedOfNewKey(t, nodes), LIMIT, "exact again");
    } finally {
      // Otherwise there would be no replica for the next change.
      await end?.(master);
    }
    assert.equal(await admittedOfNewKey(t, nodes), LIMIT, "also with the old one back");
    const next = await group.findMaster();
    await group.untilWatched();
    for (const node of nodes) assert.ok(await namesMaster(node, next), "and it stays the master");
    assert.equal(await admittedOfNewKey(t, nodes), LIMIT);
  }

  for (let round = 0; round < ROUNDS; round++)
    for (const [what, failover] of Object.entries(FAILOVERS))
      await t.test(
        `${what}: limits are exact before, shared during it, and exact again`,
        { timeout: CHANGE_MS },
        (t) => change(t, failover),
      );
  const { created, statuses, tookMs } = await load.stop();
  assert.deepEqual(statuses, [200, 201], "no request has failed");
  const listed = await Promise.all(nodes.map((node) => countAnimals(node)));
  assert.deepEqual(listed, [created, created], "every node shows every acknowledged change");
  t.diagnostic(`exact again after ${exactAfterMs.map(Math.round).join(", ")} ms; ${describe(tookMs)}`);
  assert.ok(median(exactAfterMs) < EXACT_AGAIN_MS);
  assert.ok(median(tookMs) < REDIS_TIMEOUT_MS, "most requests wait for nothing");
});

test("Sentinels and Redis with TLS and passwords: a failover, commands, and no password in the log", {
  timeout: 120_000,
}, async (t) => {
  const tls = createCertificate(t);
  const group = await startSentinels(t, { password: "of-redis", tls });
  const environment = {
    DATABASE_URL: await createTestDatabase(t),
    REDIS_URL: group.url,
    REDIS_TIMEOUT_MS: String(REDIS_TIMEOUT_MS),
    NODE_EXTRA_CA_CERTS: tls.certificate,
    LOG_LEVEL: "info",
  };
  const service = await startService(t, environment);
  const reason = async () => (await createCall(service.url)("GET", "/readyz")).json.reasons?.join() ?? "";
  assert.equal(await reason(), "");
  const { key, id } = await service.createKey();
  assert.equal(await admitted([service], key), LIMIT);
  const [master] = group.servers;
  await master.stop();
  const next = await group.failOver(master);
  await until(t, async () => (await reason()) === "");
  const isBack = new RegExp(`"server":"127.0.0.1:${next.usedPort}"[^\n]*answers again`);
  await until(t, async () => isBack.test(service.output.stderr));
  assert.equal(await admitted([service], (await service.createKey()).key), LIMIT);

  const { stdout, code } = await runCommand(["keys", "show", String(id), "--json"], environment);
  assert.deepEqual([code, JSON.parse(stdout).usage?.minute?.limit ?? LIMIT], [0, LIMIT]);
  const untrusted = { ...environment, NODE_EXTRA_CA_CERTS: "" };
  const doctor = await runCommand(["doctor"], untrusted);
  assert.match(doctor.stdout, /self-signed certificate/);
  assert.doesNotMatch(service.output.stderr + stdout + doctor.stdout, /of-redis/);
});

test("no request waits longer for a silent master of Sentinels than for a silent single Redis", {
  timeout: 120_000,
}, async (t) => {
  const group = await startSentinels(t);
  const single = await startRedis(t);
  const startNodeOn = async (url: string) => {
    const environment = {
      DATABASE_URL: await createTestDatabase(t),
      REDIS_URL: url,
      REDIS_TIMEOUT_MS: String(2 * REDIS_TIMEOUT_MS),
    };
    return startNode(t, environment);
  };
  const nodes = [await startNodeOn(group.url), await startNodeOn(single.url)];
  for (const node of nodes) await until(t, async () => (await readiness(node)).status === "ready");
  const silent = [group.servers[0], single];
  for (const server of silent) server.signal("SIGSTOP");
  const [behindSentinels = 0, alone = 0] = await Promise.all(nodes.map(measureLongestWait));
  for (const server of silent) server.signal("SIGCONT");
  t.diagnostic(`at most ${Math.round(behindSentinels)} ms, and ${Math.round(alone)} ms`);
  assert.ok(behindSentinels / alone < WAIT_RATIO_MAX);
});

/** Four clients, from the moment when Redis is silent. */
async function measureLongestWait(node: LocalNode): Promise<number> {
  const endMs = performance.now() + SILENT_MS;
  const clients = Array.from({ length: WRITERS }, async () => {
    let longestMs = 0;
    while (performance.now() < endMs) {
      const startMs = performance.now();
      assert.equal((await node.call("GET", "/pets")).status, 200);
      longestMs = Math.max(longestMs, performance.now() - startMs);
      await pause(20);
    }
    return longestMs;
  });
  return Math.max(...(await Promise.all(clients)));
}

interface Load {
  stop(): Promise<{ created: number; statuses: number[]; tookMs: number[] }>;
}

/** Writers and readers on both nodes, one request after the other. */
function startLoad(nodes: readonly LocalNode[], key: string): Load {
  let isDone = false;
  let created = 0;
  const statuses = new Set<number>();
  const tookMs: number[] = [];
  const ask = async (node: LocalNode, method: string, path: string, body?: object) => {
    const startMs = performance.now();
    const answer = await node.call(method, path, { key, ...(body && { body }) });
    tookMs.push(performance.now() - startMs);
    statuses.add(answer.status);
    return answer;
  };
  const writers = Array.from({ length: WRITERS }, async (_, index) => {
    const node = nodes[index % nodes.length] as LocalNode;
    const other = nodes[(index + 1) % nodes.length] as LocalNode;
    while (!isDone) {
      const { status, json } = await ask(node, "POST", "/pets", { name: "Rex", categoryId: index });
      if (status === 201) created += 1;
      await ask(other, "GET", `/pets/${json.id}`);
      await ask(node, "GET", "/pets?limit=20");
      await pause(20);
    }
  });
  return {
    async stop() {
      isDone = true;
      await Promise.all(writers);
      return { created, statuses: [...statuses].toSorted(), tookMs };
    },
  };
}

async function createUnlimitedKey(node: LocalNode): Promise<{ key: string }> {
  return node.createKey({ plan: "enterprise", perMinute: 1_000_000, perDay: 10_000_000 });
}

type AnyNode = Pick<LocalNode, "call">;

/** How many of 100 requests at the same time, on all the nodes, are admitted. */
async function admitted(nodes: readonly AnyNode[], key: string): Promise<number> {
  const ask = (_: unknown, index: number) =>
    (nodes[index % nodes.length] as AnyNode).call("GET", "/pets?limit=1", { key });
  const answers = await Promise.all(Array.from({ length: 100 }, ask));
  return answers.filter(({ status }) => status === 200).length;
}

/** Counts again if a node was without Redis during the count: on a busy machine, a reply may be late. */
async function admittedOfNewKey(t: TestContext, nodes: readonly LocalNode[]): Promise<number> {
  const countReports = () =>
    nodes.flatMap(({ logged }) => logged).filter((line) => line.includes('"Redis ')).length;
  for (let attempt = 1; ; attempt++) {
    for (const node of nodes) await until(t, async () => (await readiness(node)).status === "ready");
    const before = countReports();
    const count = await admitted(nodes, (await (nodes[0] as LocalNode).createKey()).key);
    if (count === LIMIT || countReports() === before || attempt === ATTEMPTS_MAX) return count;
  }
}

async function readiness(node: LocalNode): Promise<{ status: string; reasons: string[] }> {
  return (await createCall(node.url)("GET", "/readyz")).json;
}

async function untilShared(t: TestContext, node: LocalNode, key: string): Promise<void> {
  await until(t, async () => (await node.call("GET", "/usage", { key })).json.minute.limit === LIMIT / 2);
}

/** While there is no usable master. */
async function assertShared([one, two]: readonly [LocalNode, LocalNode], key: string): Promise<void> {
  const share = await admitted([one], key);
  assert.ok(share >= LIMIT / 2 && share <= LIMIT / 2 + 1, `its share is half of ${LIMIT}: ${share}`);
  assert.ok((await admitted([one, two], key)) + share <= LIMIT + 2, "both together admit the limit");
  assert.match((await readiness(two)).reasons.join(), /^The Redis master at 127\.0\.0\.1:\d+ does not/);
}

async function usesMaster(node: LocalNode, server: Server): Promise<boolean> {
  return (await namesMaster(node, server)) && (await readiness(node)).status === "ready";
}

async function namesMaster(node: LocalNode, { usedPort }: Server): Promise<boolean> {
  const { text } = await createCall(node.url, node.adminKey)("GET", "/metrics");
  return text.includes(`animal_store_redis_server_up{server="127.0.0.1:${usedPort}",role="master"} 1\n`);
}

async function countAnimals(node: LocalNode): Promise<number> {
  return (await walkAll((path) => node.call("GET", path), "/pets")).length;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

function describe(tookMs: number[]): string {
  const slowest = Math.max(...tookMs);
  return `${tookMs.length} requests, median ${median(tookMs).toFixed(1)} ms, slowest ${Math.round(slowest)} ms`;
}

/** The timeout of the test bounds the wait. */
async function until(t: TestContext, condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(25, undefined, { signal: t.signal });
}
