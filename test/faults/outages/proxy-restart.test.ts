// Two nodes behind each proxy of deploy/: a restart fails no request, a crash fails no read, and no POST is done twice.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { parse } from "yaml";
import { type Answer, createCall } from "../../harness/clients/call.ts";
import { walkAll } from "../../harness/clients/pages.ts";
import { PATIENT_MS } from "../../harness/runner/patience.ts";
import { startCaddy, startTlsCaddy } from "../../harness/servers/caddy.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { startNginx } from "../../harness/servers/nginx.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { assertUnavailable, type TlsProxy } from "../../harness/servers/proxy-server.ts";
import { startRedis } from "../../harness/servers/redis.ts";
import { type Service, startService } from "../../harness/servers/service.ts";

const KEY = "an-admin-key-for-all-nodes";
const CLIENTS = 8;
/** Timeout of a connection to PostgreSQL. A 503 of a node after that time is caused by an overloaded machine. */
const OVERLOAD_MS = 1_000;
/** From the nodes in Compose: the time that the proxy has to notice a stop. */
const { DRAIN_SECONDS } = parse(
  readFileSync(new URL("../../../deploy/compose.yaml", import.meta.url), "utf8"),
  {
    merge: true,
  },
).services["node-a"].environment;

async function startNodes(t: TestContext): Promise<[Service, Service]> {
  const environment = {
    DATABASE_URL: await createTestDatabase(t),
    REDIS_URL: (await startRedis(t)).url,
    REDIS_TIMEOUT_MS: PATIENT_MS,
    ADMIN_API_KEY: KEY,
    TRUST_PROXY: "127.0.0.1",
    LOG_LEVEL: "info",
    DRAIN_SECONDS,
  };
  // A fixed port: a node that restarts keeps its address.
  const start = async () => startService(t, { ...environment, PORT: String(await findFreePort()) });
  return Promise.all([start(), start()]);
}

interface Load {
  /** How often each outcome occurred: a status, an error code, or "overloaded". */
  reads: Record<string, number>;
  posts: Record<string, number>;
  /** The animals of acknowledged POSTs: name and id. */
  acknowledged: Map<string, number>;
  /** Resolves when this many more requests have been answered. */
  answered(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Clients that read and add animals, one request after another, without retries and without an Idempotency-Key. */
function startLoad(proxy: TlsProxy, label: string): Load {
  const agent = proxy.agentOf();
  const call = createCall(`${proxy.url}/v1`, KEY);
  const [reads, posts]: Array<Record<string, number>> = [{}, {}] as const;
  const acknowledged = new Map<string, number>();
  let isDone = false;
  let total = 0;

  const send = async (counts: Record<string, number>, request: Promise<Answer>) => {
    const startMs = performance.now();
    const answer = await request.catch((error) => error.code as string);
    const outcome = typeof answer === "string" ? answer : outcomeOf(answer, performance.now() - startMs);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    total += 1;
    return typeof answer === "string" ? undefined : answer;
  };
  const work = async (client: number) => {
    for (let i = 0; !isDone; i++) {
      await send(reads, call("GET", "/pets?limit=5", { agent }));
      const name = `${label} ${client} number ${i}`;
      const created = await send(posts, call("POST", "/pets", { agent, body: { name, categoryId: 1 } }));
      if (created?.status === 201) acknowledged.set(name, created.json.id);
      if (created?.status === 503) assertUnavailable(created);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, client) => work(client));

  return {
    reads,
    posts,
    acknowledged,
    async answered(count) {
      for (const wanted = total + count; total < wanted; ) await pause(10);
    },
    async stop() {
      isDone = true;
      await Promise.all(clients);
    },
  };
}

/** Only the responses of nodes have a request id. A 503 that a stop causes comes at once. */
function outcomeOf({ status, headers }: Answer, tookMs: number): string {
  const isOwn = headers["x-request-id"] !== undefined;
  return status === 503 && isOwn && tookMs >= OVERLOAD_MS ? "overloaded" : String(status);
}

function outcomes(counts: Record<string, number>): string[] {
  return Object.keys(counts).filter((outcome) => outcome !== "overloaded");
}

/** Every acknowledged animal is there with its id, and no name is there twice. */
async function checkOnce(node: Service, { acknowledged }: Load): Promise<void> {
  const stored = new Map<string, number>();
  const ask = (path: string) => node.call("GET", path);
  for (const { id, name } of await walkAll<{ id: number; name: string }>(ask, "/pets")) {
    assert.ok(!stored.has(name), `${name} was added twice`);
    stored.set(name, id);
  }
  for (const [name, id] of acknowledged) assert.equal(stored.get(name), id, `${name} was acknowledged`);
}

/** nginx takes 7 s more of processor time, so that only `npm run faults` restarts nodes behind it. */
const PROXIES = {
  Caddy: startTlsCaddy,
  ...(process.env.RESTART_BEHIND === "all" && { nginx: startNginx }),
};

test("Behind a proxy of deploy/", { timeout: 180_000 }, async (t) => {
  const [one, two] = await startNodes(t);
  let restarted = one;
  const startAgain = async () => {
    restarted = await startService(t, one.environment);
  };

  await t.test("the nodes see the address of the client, which it cannot choose", async (t) => {
    const behindAnother = await startCaddy(t, [two.port], { trusted: "127.0.0.0/8" });
    const direct = await startCaddy(t, [two.port], { trusted: "203.0.113.7/32" });
    const addressSeen = async (proxy: string, id: string) => {
      const headers = { "x-forwarded-for": "198.51.100.9", "x-request-id": id };
      assert.equal((await createCall(proxy)("GET", "/v1/pets", { headers })).status, 401);
      const line = new RegExp(`"reqId":"${id}".*"address":"([^"]+)"`);
      while (!line.test(two.output.stderr)) await pause(10);
      return line.exec(two.output.stderr)?.[1];
    };
    assert.equal(await addressSeen(behindAnother, "kept"), "198.51.100.9");
    assert.equal(await addressSeen(direct, "replaced"), "127.0.0.1");
  });

  for (const [name, start] of Object.entries(PROXIES)) {
    const proxy = await start(t, [one.port, two.port]);

    await t.test(`${name}: a node that restarts fails no request`, async (t) => {
      const load = startLoad(proxy, `${name} restart`);
      await load.answered(100);
      assert.equal(await restarted.stop(), 0);
      await load.answered(100);
      await startAgain();
      await load.answered(100);
      await load.stop();
      t.diagnostic(JSON.stringify([load.reads, load.posts]));
      assert.deepEqual([outcomes(load.reads), outcomes(load.posts)], [["200"], ["201"]]);
      await checkOnce(two, load);
    });

    await t.test(`${name}: a node that is killed fails no read, and no POST is done twice`, async (t) => {
      const load = startLoad(proxy, `${name} kill`);
      await load.answered(100);
      await restarted.stop("SIGKILL");
      await load.answered(200);
      await load.stop();
      t.diagnostic(JSON.stringify([load.reads, load.posts]));
      assert.deepEqual(outcomes(load.reads), ["200"]);
      const unexpected = outcomes(load.posts).filter((outcome) => outcome !== "201" && outcome !== "503");
      assert.deepEqual(unexpected, []);
      assert.ok((load.posts["201"] ?? 0) > 0);
      await checkOnce(two, load);
      await startAgain();
    });
  }
});
