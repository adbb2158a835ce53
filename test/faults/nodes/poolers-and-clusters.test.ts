// Nodes behind PgBouncer in transaction mode, with PostgreSQL over TLS, and on a Redis Cluster.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../../../src/storage/postgres/engine.ts";
import { createPetStore } from "../../../src/storage/stores/animals/pets.ts";
import { createCall } from "../../harness/clients/call.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { findProgram } from "../../harness/runner/packages.ts";
import { PATIENT_MS } from "../../harness/runner/patience.ts";
import { startCluster } from "../../harness/servers/cluster.ts";
import { createTestDatabase, openClient } from "../../harness/servers/databases.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { startPostgres } from "../../harness/servers/postgres.ts";

/** Resolves to the address of the same database through the pooler, which has `poolSize` sessions of the server. */
async function startPgBouncer(t: TestContext, database: string, poolSize = 3): Promise<string> {
  const program = findProgram("pgbouncer");
  const { hostname, port, pathname, username } = new URL(database);
  const folder = makeFolder(t);
  const own = await findFreePort();
  const name = pathname.slice(1);
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    `[databases]
${name} = host=${hostname} port=${port} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = ${poolSize}
unix_socket_dir =
`,
  );
  writeFileSync(join(folder, "users.txt"), `"${username}" ""\n`);
  chmodSync(folder, 0o755);
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const user = isRoot ? { uid: id("-u"), gid: id("-g") } : {};
  const child = spawn(program, ["-q", join(folder, "pgbouncer.ini")], { ...user, stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  return `postgres://${username}@127.0.0.1:${own}/${name}`;
}

test("PgBouncer in transaction mode", { timeout: 60_000 }, async (t) => {
  const url = await startPgBouncer(t, await createTestDatabase(t));
  const environment = { DATABASE_URL: url, DATABASE_POOL_SIZE: "8" };
  const node = await startWhenReachable(t, environment);
  const create = (_: unknown, index: number) =>
    node.call("POST", "/pets", { body: { name: `Pet ${index}`, categoryId: index } });
  const created = await Promise.all(Array.from({ length: 40 }, create));
  assert.deepEqual(new Set(created.map(({ status }) => status)), new Set([201]));
  assert.equal((await node.call("GET", "/pets?limit=100")).json.length, 40);
  const { id, key } = await node.createKey();
  assert.equal((await node.call("GET", "/pets", { key })).status, 200);
  assert.equal((await node.call("DELETE", `/keys/${id}`)).status, 204);
  assert.equal((await node.call("GET", "/pets", { key })).status, 401);
});

/** State that a server session keeps for its next client. */
async function inspectSession(
  ask: (sql: string) => Promise<Array<Record<string, unknown>>>,
): Promise<Record<string, unknown>> {
  const [settings] =
    await ask(`SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS statement_timeout,
    current_setting('lock_timeout') AS lock_timeout,
    current_setting('idle_in_transaction_session_timeout') AS idle_timeout`);
  const statements = await ask("SELECT name FROM pg_prepared_statements WHERE name <> ''");
  return { ...settings, statements: statements.map(({ name }) => name).toSorted() };
}

test("Behind PgBouncer, other clients get none of the settings and statements of the service", {
  timeout: 60_000,
}, async (t) => {
  const direct = await createTestDatabase(t);
  const url = await startPgBouncer(t, direct, 1);
  /** Reads and writes, so that the session has had everything that the service sends. */
  const use = async (node: LocalNode) => {
    for (const name of ["Rex", "Max"])
      assert.equal((await node.call("POST", "/pets", { body: { name, categoryId: 1 } })).status, 201);
    assert.equal((await node.call("PATCH", "/pets/1", { body: { name: "Ida" } })).status, 200);
    for (const path of ["/pets/1", "/pets", "/pets/1"])
      assert.equal((await node.call("GET", path)).status, 200);
  };
  const pooled = await startWhenReachable(t, { DATABASE_URL: url, DATABASE_POOL_SIZE: "4" });
  await use(pooled);
  const db = openPostgres(url, { poolSize: 1 });
  t.after(() => db.close());
  const [own] = await db.all("SELECT pg_backend_pid() AS pid");
  const other = await openClient(t, url);
  const none = { statement_timeout: "0", lock_timeout: "0", idle_timeout: "0", statements: [] };
  const session = await inspectSession(async (sql) => (await other.query(sql)).rows);
  assert.deepEqual(session, { pid: own?.pid, ...none }, "the same session of the server");

  // Without a pooler, the same requests leave both: the check above can fail.
  const alone = openPostgres(direct, { poolSize: 1 });
  t.after(() => alone.close());
  await createPetStore(alone).find(1n);
  const { statements, statement_timeout: timeout } = await inspectSession((sql) => alone.all(sql));
  assert.deepEqual({ statements, timeout }, { statements: ["findPet"], timeout: "1450ms" });
});

test("PostgreSQL over TLS, as the URL asks for", { timeout: 60_000 }, async (t) => {
  const postgres = await startPostgres(t);
  const folder = (await postgres.admin("SHOW data_directory")).rows[0].data_directory;
  const [key, certificate] = [`${folder}/server.key`, `${folder}/server.crt`];
  const names = "subjectAltName=IP:127.0.0.1";
  const files = ["-keyout", key, "-out", certificate];
  const args = [
    "req",
    "-new",
    "-x509",
    "-days",
    "2",
    "-nodes",
    "-subj",
    "/CN=animals",
    "-addext",
    names,
    ...files,
  ];
  execFileSync("openssl", args, { stdio: "ignore" });
  const { uid, gid } = statSync(folder);
  for (const file of [key, certificate]) chownSync(file, uid, gid);
  await postgres.admin("ALTER SYSTEM SET ssl = on");
  await postgres.stop();
  await postgres.start();
  const isEncrypted = async (query: string) => {
    const db = openPostgres(postgres.urlOf("postgres") + query, { poolSize: 1 });
    t.after(() => db.close());
    return (await db.first("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))?.ssl as unknown;
  };
  assert.equal(await isEncrypted(""), false);
  assert.equal(await isEncrypted("?sslmode=no-verify"), true);
  assert.equal(await isEncrypted(`?sslmode=verify-full&sslrootcert=${certificate}`), true);
  await assert.rejects(isEncrypted("?sslmode=verify-full"), { code: "unavailable" });
});

async function startWhenReachable(t: TestContext, environment: Record<string, string>): Promise<LocalNode> {
  for (;;) {
    try {
      return await startNode(t, environment);
    } catch (error) {
      if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== "ECONNREFUSED") throw error;
      await pause(50);
    }
  }
}

test("A Redis Cluster of three", { timeout: 60_000 }, async (t) => {
  const servers = await startCluster(t);
  const environment = {
    DATABASE_URL: await createTestDatabase(t),
    REDIS_URL: servers.map(({ url }) => url).join(","),
    REDIS_TIMEOUT_MS: PATIENT_MS,
  };
  const nodes = [await startNode(t, environment), await startNode(t, environment)] as const;
  const [one, two] = nodes;
  const readinessOf = async ({ url }: LocalNode) => (await createCall(url)("GET", "/readyz")).json;
  const ready = await readinessOf(one);
  assert.deepEqual(ready, { status: "ready", reasons: [], store: ready.store });
  assert.deepEqual(await readinessOf(two), ready, "all nodes name the same store");

  for (let round = 0; round < 2; round++) {
    const { id, key } = await one.createKey();
    const ask = (_: unknown, index: number) => (nodes[index % 2] as LocalNode).call("GET", "/pets", { key });
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    assert.equal(answers.filter(({ status }) => status === 200).length, 60);
    assert.equal((await two.call("DELETE", `/keys/${id}`)).status, 204);
    for (const node of nodes) assert.equal((await node.call("GET", "/pets", { key })).status, 401);
    const created = await two.call("POST", "/pets", {
      body: { name: "Rex", categoryId: round, status: "sold" },
    });
    const listed = await one.call("GET", "/pets?status=sold&limit=100");
    assert.ok(listed.json.some(({ id: each }: { id: number }) => each === created.json.id));
  }
});
