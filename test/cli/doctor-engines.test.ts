// `doctor` on the engines: a database that takes no writes, and Redis in every state that makes it of no use.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startCluster } from "../harness/cluster.ts";
import { askPostgres, createTestDatabase } from "../harness/databases.ts";
import { makeFolder } from "../harness/folder.ts";
import { findFreePort } from "../harness/ports.ts";
import { startRedis } from "../harness/redis.ts";
import { runCommand } from "../harness/service.ts";

interface Finding {
  check: string;
  result: string;
  detail: string;
  mend: string;
}

async function examine(environment: Record<string, string>, check: string): Promise<Finding> {
  const { stdout } = await runCommand(["doctor", "--json"], environment);
  return JSON.parse(stdout).find((finding: Finding) => finding.check === check);
}

test("doctor tests a write on PostgreSQL and says what a role or a replica lacks", async (t) => {
  const url = await createTestDatabase(t);
  const database = new URL(url).pathname.slice(1);
  const role = `reader_${database}`;
  await askPostgres(url, `CREATE ROLE ${role} LOGIN`);
  t.after(async () => void (await askPostgres(process.env.TEST_DATABASE_URL ?? "", `DROP ROLE ${role}`)));
  const asRole = new URL(url);
  asRole.username = role;

  await t.test("an empty database where it may make no tables", async () => {
    const { result, detail, mend } = await examine({ DATABASE_URL: asRole.href }, "writes");
    assert.deepEqual([result, detail], ["fault", "This role may not create tables in the schema"]);
    assert.match(mend, /GRANT USAGE, CREATE ON SCHEMA/);
  });

  assert.equal((await runCommand(["migrate"], { DATABASE_URL: url })).code, 0);
  const { result, detail } = await examine({ DATABASE_URL: url }, "writes");
  assert.deepEqual([result, detail], ["ok", "a test write succeeded and was rolled back"]);

  await t.test("a role that may only read, which cannot start the service either", async () => {
    const grants = `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}; GRANT CREATE ON SCHEMA public TO ${role}`;
    await askPostgres(url, grants);
    const found = await examine({ DATABASE_URL: asRole.href }, "writes");
    assert.equal(found.result, "fault");
    assert.match(found.detail, /takes no writes: permission denied for table/);
    assert.match(found.mend, /GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES/);
    const serve = await runCommand(["serve"], { DATABASE_URL: asRole.href, PORT: "0" });
    assert.equal(serve.code, 1);
    assert.match(serve.stderr, /^animal-store: PostgreSQL takes no writes: permission denied .* GRANT/);
    await askPostgres(url, `DROP OWNED BY ${role}`);
  });

  await t.test("a role without rights on tables that a migration has added", async (t) => {
    const all = `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`;
    await askPostgres(
      url,
      `${all}; GRANT CREATE ON SCHEMA public TO ${role}; REVOKE ALL ON store, nodes FROM ${role}`,
    );
    const environment = { DATABASE_URL: asRole.href, PORT: "0" };
    const found = await examine(environment, "writes");
    const problem = `role ${role} lacks rights on public.nodes, public.store`;
    assert.deepEqual([found.result, found.detail], ["fault", problem]);
    const grant = `GRANT SELECT, INSERT, UPDATE, DELETE ON public.nodes, public.store TO ${role}`;
    assert.ok(found.mend.endsWith(`: ${grant}`), found.mend);
    const serve = await runCommand(["serve"], environment);
    assert.equal(serve.code, 1);
    assert.ok(
      serve.stderr.startsWith(`animal-store: ${problem}. `) && serve.stderr.includes(grant),
      serve.stderr,
    );

    const redis = await startRedis(t);
    const command = await runCommand(["keys", "list"], { ...environment, REDIS_URL: redis.url });
    assert.match(command.stderr, /^animal-store: PostgreSQL .* permission denied for table store\. .*GRANT/);

    await askPostgres(url, grant);
    assert.equal((await examine(environment, "writes")).result, "ok");

    const tables =
      "SELECT string_agg('public.' || tablename, ', ' ORDER BY tablename) AS names FROM pg_tables";
    const { rows } = await askPostgres(
      url,
      `${tables} WHERE schemaname = 'public' AND tablename <> 'schema_migrations'`,
    );
    await askPostgres(url, `REVOKE INSERT, UPDATE, DELETE ON ${rows[0].names} FROM ${role}`);
    const { detail } = await examine(environment, "writes");
    assert.equal(detail, `role ${role} lacks rights on ${rows[0].names}`, "every table counts");
    await askPostgres(url, `DROP OWNED BY ${role}`);
  });

  await t.test("a server that takes no writes at all", async () => {
    await askPostgres(url, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    const found = await examine({ DATABASE_URL: url }, "writes");
    assert.equal(found.result, "fault");
    assert.match(found.detail, /cannot execute UPDATE in a read-only transaction/);
    assert.match(found.mend, /is a replica, or set to be read-only\. Set DATABASE_URL to the primary/);
    const serve = await runCommand(["serve"], { DATABASE_URL: url, PORT: "0" });
    assert.match(
      serve.stderr,
      /^animal-store: PostgreSQL takes no writes: .*Set DATABASE_URL to the primary/,
    );
  });
});

test("doctor checks Redis where REDIS_URL is set, and never shows its password", async (t) => {
  const DATABASE_URL = `sqlite:${makeFolder(t)}/store.db`;
  const password = "a-secret-of-redis";
  const redis = await startRedis(t);
  const withPassword = (port: number, secret = password) => `redis://:${secret}@127.0.0.1:${port}`;
  const look = (REDIS_URL: string) => examine({ DATABASE_URL, REDIS_URL }, "redis");

  assert.equal(await examine({ DATABASE_URL }, "redis"), undefined, "not where it is not set");

  const fine = await look(redis.url);
  assert.deepEqual(
    [fine.result, fine.detail.replace(/\d+\.\d+\.\d+/, "VERSION")],
    ["ok", `Redis VERSION; ${redis.url} answers, takes writes and runs scripts`],
  );
  assert.match(await redis.command("DBSIZE"), /^:0\r/, "and leaves nothing there");

  const states: Record<
    string,
    { set: string[]; url?: string; detail: RegExp; mend: RegExp; result?: string }
  > = {
    "one that may drop counts in use": {
      set: ["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"],
      detail: /maxmemory-policy is allkeys-lru/,
      mend: /volatile-ttl or noeviction/,
      result: "warning",
    },
    "a replica": {
      set: ["REPLICAOF", "127.0.0.1", "1"],
      detail: /READONLY/,
      mend: /This server is a replica: set REDIS_URL to the primary/,
    },
    "one without memory": {
      set: ["CONFIG", "SET", "maxmemory", "1"],
      detail: /OOM/,
      mend: /raise maxmemory/,
    },
    "a wrong password": {
      set: ["CONFIG", "SET", "requirepass", password],
      url: withPassword(redis.port, "another-secret"),
      detail: /WRONGPASS|NOAUTH/,
      mend: /Correct user and password in REDIS_URL/,
    },
  };
  const reset = [
    ["REPLICAOF", "NO", "ONE"],
    ["CONFIG", "SET", "maxmemory-policy", "noeviction"],
    ["CONFIG", "SET", "maxmemory", "0"],
  ];
  for (const [what, { set, url = redis.url, detail, mend, result = "fault" }] of Object.entries(states)) {
    await t.test(`finds ${what}`, async () => {
      for (const command of reset) await redis.command(...command);
      assert.match(await redis.command(...set), /^\+OK/);
      const found = await look(url);
      assert.equal(found.result, result, found.detail);
      assert.match(found.detail, detail);
      assert.match(found.mend, mend);
      assert.doesNotMatch(JSON.stringify(found), /secret/);
    });
  }

  await t.test("finds the right password right", async () => {
    const found = await look(withPassword(redis.port));
    assert.equal(found.result, "ok", found.detail);
    assert.doesNotMatch(JSON.stringify(found), /secret/);
  });

  await t.test("finds none at all, also of a cluster", async () => {
    const port = await findFreePort();
    for (const url of [withPassword(port), `${withPassword(port)},${withPassword(port)}`]) {
      const found = await look(url);
      assert.equal(found.result, "fault");
      assert.match(found.mend, /Start Redis, or correct REDIS_URL/);
      assert.match(found.detail, new RegExp(`redis://127\\.0\\.0\\.1:${port}.*: .`));
      assert.doesNotMatch(JSON.stringify(found), /secret/);
    }
  });
});

test("doctor looks at every server of a Redis Cluster, and names the one that fails", async (t) => {
  const DATABASE_URL = `sqlite:${makeFolder(t)}/store.db`;
  const servers = await startCluster(t);
  const REDIS_URL = servers.map(({ url }) => url).join(",");
  const look = () => examine({ DATABASE_URL, REDIS_URL }, "redis");
  const fine = await look();
  assert.equal(fine.result, "ok", fine.detail);
  for (const server of servers) {
    assert.match(await server.command("DBSIZE"), /^:0\r/, "nothing is left there");
    await server.command("CONFIG", "SET", "maxmemory", "1");
    const found = await look();
    assert.equal(found.result, "fault", found.detail);
    assert.match(found.detail, new RegExp(`: 127\\.0\\.0\\.1:${server.port}: .*OOM`));
    await server.command("CONFIG", "SET", "maxmemory", "0");
  }
  const [, , last] = servers;
  await last?.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
  assert.match((await look()).detail, /maxmemory-policy is allkeys-lru/);
  await last?.stop();
  const found = await look();
  assert.match(found.detail, new RegExp(`: 127\\.0\\.0\\.1:${last?.port}: .*ECONNREFUSED`));
});
