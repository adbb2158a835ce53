// PostgreSQL stopped, restarted, frozen, read-only, out of connections or cut off: 503 during the fault, then recovery without loss.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type Answer, createCall } from "../../harness/clients/call.ts";
import { column } from "../../harness/clients/pages.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";
import { type PostgresServer, startPostgres } from "../../harness/servers/postgres.ts";
import { startProxy, type TcpProxy } from "../../harness/servers/proxy.ts";
import { startRedis } from "../../harness/servers/redis.ts";

const WRITES_DURING_FAULT = 3;

interface Scene {
  postgres: PostgresServer;
  proxy: TcpProxy;
  hoarders: pg.Client[];
}

interface Fault {
  begin(scene: Scene): Promise<unknown>;
  end(scene: Scene): Promise<unknown>;
  /** Whether reads succeed during the fault. */
  canRead?: boolean;
  /** Whether it concerns the connections of one node, not the server: these faults run together, as they mostly wait. */
  isOfNode?: boolean;
  /** Whether COMMIT arrives in time and only its reply is lost. */
  isUnknown?: boolean;
}

const FAULTS: Record<string, Fault> = {
  "stopped and started": {
    begin: ({ postgres }) => postgres.stop(),
    end: ({ postgres }) => postgres.start(),
  },
  "killed and started": {
    begin: ({ postgres }) => postgres.stop("SIGQUIT"),
    end: ({ postgres }) => postgres.start(),
  },
  frozen: {
    isOfNode: true,
    begin: async ({ proxy }) => proxy.set("freeze"),
    end: async ({ proxy }) => proxy.set("pass"),
  },
  "answering too late": {
    isOfNode: true,
    isUnknown: true,
    begin: async ({ proxy }) => proxy.delay(4_000),
    end: async ({ proxy }) => proxy.delay(0),
  },
  "cut off in the middle of its answers": {
    isOfNode: true,
    isUnknown: true,
    begin: async ({ proxy }) => proxy.cutAfterBytes(0),
    end: async ({ proxy }) => proxy.cutAfterBytes(undefined),
  },
  "refusing connections": {
    isOfNode: true,
    begin: async ({ proxy }) => proxy.set("refuse"),
    end: async ({ proxy }) => proxy.set("pass"),
  },
  "read-only after a failover": {
    canRead: true,
    begin: ({ postgres }) => setReadOnly(postgres, "on"),
    end: ({ postgres }) => setReadOnly(postgres, "off"),
  },
  "out of connections": {
    begin: async (scene) => {
      // The node polls versions: it must not get a connection first.
      scene.proxy.set("reset");
      await hoardConnections(scene);
      scene.proxy.set("pass");
    },
    end: ({ hoarders }) => Promise.all(hoarders.map((client) => client.end())),
  },
};

async function setReadOnly(postgres: PostgresServer, state: string): Promise<void> {
  await postgres.admin(`ALTER SYSTEM SET default_transaction_read_only = ${state}`);
  await postgres.admin("SELECT pg_reload_conf()");
  const isSet = async () => (await postgres.admin("SHOW default_transaction_read_only")).rows[0];
  while ((await isSet()).default_transaction_read_only !== state) await pause(10);
}

/** Takes every connection that the server has, the administrator's reserve included. */
async function hoardConnections({ postgres, hoarders }: Scene): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: postgres.urlOf("postgres") });
    client.on("error", () => {});
    try {
      await client.connect();
      hoarders.push(client);
    } catch {
      return;
    }
  }
}

test("PostgreSQL may be", { timeout: 240_000, concurrency: true }, async (t) => {
  const postgres = await startPostgres(t);
  const redis = await startRedis(t);
  const { together = [], alone = [] } = Object.groupBy(Object.entries(FAULTS), ([, { isOfNode }]) =>
    isOfNode ? "together" : "alone",
  );
  await Promise.all(together.map(([what, fault]) => t.test(what, (t) => check(t, fault))));
  for (const [what, fault] of alone) await t.test(what, (t) => check(t, fault));

  async function check(t: TestContext, fault: Fault): Promise<void> {
    const proxy = await startProxy(t, postgres.port);
    const database = new URL(await postgres.createDatabase());
    database.port = String(proxy.port);
    const environment = {
      DATABASE_URL: database.href,
      REDIS_URL: redis.url,
      LOG_LEVEL: "error",
    };
    const node = await startNode(t, environment, { isPatient: false });
    const scene: Scene = { postgres, proxy, hoarders: [] };
    const acknowledged = new Map<number, string>();
    const attempted: string[] = [];
    const refused: string[] = [];

    const write = async (): Promise<Answer> => {
      const name = `Pet ${attempted.length}`;
      attempted.push(name);
      const answer = await node.call("POST", "/pets", { body: { name, categoryId: 1 } });
      if (answer.status === 201) acknowledged.set(answer.json.id, name);
      else refused.push(name);
      return answer;
    };
    // A busy machine may refuse some of them.
    while (acknowledged.size < 5) await write();

    await fault.begin(scene);
    const before = refused.length;
    for (let i = 0; i < WRITES_DURING_FAULT; i++) {
      const answer = await write();
      assert.equal(answer.json.code, "unavailable", answer.text);
      assert.equal(answer.headers["retry-after"], "1");
    }
    const health = createCall(node.url);
    assert.equal((await health("GET", "/healthz")).status, 200);
    assert.equal((await health("GET", "/readyz")).status, 503);
    const read = await node.call("GET", "/pets?limit=3");
    if (fault.canRead) assert.equal(read.json.length, 3);
    else assert.equal(read.json.code, "unavailable");

    await fault.end(scene);
    while ((await write()).status !== 201) await pause(50);
    // A result of /readyz is cached for 250 ms.
    while ((await health("GET", "/readyz")).json.status !== "ready") await pause(25);
    const stored = await assertStored(node, { acknowledged, attempted });
    const late = refused.slice(before, before + WRITES_DURING_FAULT).filter((name) => stored.includes(name));
    // Otherwise no COMMIT was sent during the fault, or the server refused it as too late.
    if (!fault.isUnknown) assert.deepEqual(late, []);
    await node.stop();
  }
});

test("Connections cut after any number of bytes lose nothing and repeat nothing", {
  timeout: 120_000,
}, async (t) => {
  const database = new URL(await createTestDatabase(t));
  const proxy = await startProxy(t, Number(database.port));
  database.port = String(proxy.port);
  const node = await startNode(t, { DATABASE_URL: database.href, LOG_LEVEL: "silent" });
  const acknowledged = new Map<number, string>();
  const attempted: string[] = [];
  for (let bytes = 400; bytes < 1_400; bytes += 31) {
    proxy.cutAfterBytes(bytes);
    // Connections from before have said too much already: they go first.
    proxy.set("reset");
    proxy.set("pass");
    for (let i = 0; i < 2; i++) {
      const name = `Pet ${bytes} ${i}`;
      attempted.push(name);
      const answer = await node.call("POST", "/pets", { body: { name, categoryId: 1 } });
      assert.ok([201, 503].includes(answer.status), answer.text);
      if (answer.status === 201) acknowledged.set(answer.json.id, name);
    }
  }
  proxy.cutAfterBytes(undefined);
  t.diagnostic(`${acknowledged.size} of ${attempted.length} were acknowledged`);
  assert.ok(acknowledged.size > 0 && acknowledged.size < attempted.length);
  while ((await node.call("GET", "/pets")).status !== 200) await pause(50);
  await assertStored(node, { acknowledged, attempted });
});

test("PostgreSQL without Redis is for one node, and the log says so at the start", async (t) => {
  const node = await startNode(t, { DATABASE_URL: await createTestDatabase(t) });
  assert.equal((await node.call("GET", "/pets")).status, 200);
  assert.match(node.logged.join(""), /PostgreSQL without REDIS_URL is for one node/);
});

/**
 * Every acknowledged animal is there under its id, no attempt left two, and none is half there: each has its one record
 * in the history and counts in the inventory. Resolves to the names.
 */
async function assertStored(
  node: LocalNode,
  { acknowledged, attempted }: { acknowledged: Map<number, string>; attempted: string[] },
): Promise<string[]> {
  const stored: Array<{ id: number; name: string }> = (await node.call("GET", "/pets?limit=100")).json;
  const byId = new Map(stored.map(({ id, name }) => [id, name]));
  for (const [id, name] of acknowledged) assert.equal(byId.get(id), name);
  const names = stored.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, "none twice");
  assert.deepEqual(
    names.filter((name) => !attempted.includes(name)),
    [],
  );
  for (const { id } of stored) {
    const history = (await node.call("GET", `/pets/${id}/history`)).json;
    assert.deepEqual(column(history, "what"), ["pet.created"]);
  }
  assert.equal((await node.call("GET", "/store/inventory")).json.available, stored.length);
  return names;
}
