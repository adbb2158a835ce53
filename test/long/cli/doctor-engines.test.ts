// `doctor` on PostgreSQL without the right to write, and on Redis in every state that makes it unusable.

import assert from "node:assert/strict";
import { test } from "node:test";
import pino from "pino";
import { migrateStorage, openForCommand, withStores } from "../../../src/command-stores.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createService } from "../../../src/service/service.ts";
import { assertFinding, findOne as check } from "../../harness/clients/findings.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { startCluster } from "../../harness/servers/cluster.ts";
import { askPostgres, createTestDatabase } from "../../harness/servers/databases.ts";
import { startPeer, startSilentPeer } from "../../harness/servers/peer.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { startRedis } from "../../harness/servers/redis.ts";

/** The message with which the service refuses to start. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const starting = createService(readConfig(environment), { log: pino({ level: "silent" }) });
  return starting.then(
    (service) => service.stop().then(() => "started"),
    (error) => error.message,
  );
}

test("doctor tests a write on PostgreSQL and names the missing rights", async (t) => {
  const url = await createTestDatabase(t);
  const database = new URL(url).pathname.slice(1);
  const role = `reader_${database}`;
  await askPostgres(url, `CREATE ROLE ${role} LOGIN`);
  t.after(async () => void (await askPostgres(process.env.TEST_DATABASE_URL ?? "", `DROP ROLE ${role}`)));
  const asRole = new URL(url);
  asRole.username = role;

  await t.test("doctor reports a role that may not create tables in an empty database", async () => {
    const found = await check({ DATABASE_URL: asRole.href }, "writes");
    const detail = "This role may not create tables in the schema";
    assertFinding(found, "fault", detail, /GRANT USAGE, CREATE ON SCHEMA/);
  });

  await migrateStorage(readConfig({ DATABASE_URL: url }));
  const found = await check({ DATABASE_URL: url }, "writes");
  assertFinding(found, "ok", "a test write succeeded and was rolled back");

  await t.test("doctor reports a role that may only read; the service does not start either", async () => {
    const grants = `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}; GRANT CREATE ON SCHEMA public TO ${role}`;
    await askPostgres(url, grants);
    const found = await check({ DATABASE_URL: asRole.href }, "writes");
    const mend = /GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES/;
    assertFinding(found, "fault", /takes no writes: permission denied for table/, mend);
    assert.match(
      await refusal({ DATABASE_URL: asRole.href }),
      /^PostgreSQL takes no writes: permission denied .* GRANT/,
    );
    await askPostgres(url, `DROP OWNED BY ${role}`);
  });

  await t.test("doctor reports every table on which the role lacks rights", async (t) => {
    const all = `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`;
    await askPostgres(
      url,
      `${all}; GRANT CREATE ON SCHEMA public TO ${role}; REVOKE ALL ON store, nodes FROM ${role}`,
    );
    const environment = { DATABASE_URL: asRole.href };
    const found = await check(environment, "writes");
    const problem = `role ${role} lacks rights on public.nodes, public.store`;
    const grant = `GRANT SELECT, INSERT, UPDATE, DELETE ON public.nodes, public.store TO ${role}`;
    assertFinding(found, "fault", problem, new RegExp(`: ${RegExp.escape(grant)}$`));
    const message = await refusal(environment);
    assert.ok(message.startsWith(`${problem}. `) && message.includes(grant), message);

    const redis = await startRedis(t);
    const config = readConfig({ ...environment, REDIS_URL: redis.url });
    await assert.rejects(openForCommand(config), {
      message: /^PostgreSQL .* permission denied for table store\. .*GRANT/,
    });

    await askPostgres(url, grant);
    assert.equal((await check(environment, "writes")).result, "ok");
    const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;
    const { id } = await withStores(readConfig(environment), ({ stores }) =>
      stores.pets.create(rex, { atMs: 0 }),
    );
    assert.equal(id, 1n, "these rights are enough");

    const tables =
      "SELECT string_agg('public.' || tablename, ', ' ORDER BY tablename) AS names FROM pg_tables";
    const { rows } = await askPostgres(
      url,
      `${tables} WHERE schemaname = 'public' AND tablename <> 'schema_migrations'`,
    );
    await askPostgres(url, `REVOKE INSERT, UPDATE, DELETE ON ${rows[0].names} FROM ${role}`);
    const { detail } = await check(environment, "writes");
    assert.equal(detail, `role ${role} lacks rights on ${rows[0].names}`, "every table counts");
    await askPostgres(url, `DROP OWNED BY ${role}`);
  });

  await t.test("doctor reports a server that is read-only", async () => {
    await askPostgres(url, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    const found = await check({ DATABASE_URL: url }, "writes");
    const mend = /is a replica, or set to be read-only\. Set DATABASE_URL to the primary/;
    assertFinding(found, "fault", /cannot execute UPDATE in a read-only transaction/, mend);
    assert.match(
      await refusal({ DATABASE_URL: url }),
      /^PostgreSQL takes no writes: .*Set DATABASE_URL to the primary/,
    );
  });
});

interface RedisState {
  /** The command that brings the server into this state. */
  set: string;
  url?: string;
  result?: "warning";
  detail: RegExp;
  mend: RegExp;
}

test("doctor checks Redis if REDIS_URL is set, and never shows its password", async (t) => {
  const DATABASE_URL = `sqlite:${makeFolder(t)}/store.db`;
  const password = "a-secret-of-redis";
  const redis = await startRedis(t);
  const withPassword = (port: number, secret = password) => `redis://:${secret}@127.0.0.1:${port}`;
  const look = (REDIS_URL: string) => check({ DATABASE_URL, REDIS_URL }, "redis");

  await assert.rejects(check({ DATABASE_URL }, "redis"), /redis was not checked/);

  const fine = await look(redis.url);
  const answers = RegExp.escape(`; ${redis.url} answers, takes writes and runs scripts`);
  assertFinding(fine, "ok", new RegExp(`^Redis \\d+\\.\\d+\\.\\d+${answers}$`));
  assert.match(await redis.command("DBSIZE"), /^:0\r/, "the check leaves no key");

  const evicts = (policy: string) => ({
    set: `CONFIG SET maxmemory-policy ${policy}`,
    result: "warning" as const,
    detail: new RegExp(`maxmemory-policy is ${policy}`),
    mend: /volatile-ttl or noeviction/,
  });
  const asReader = `redis://reader:${password}@127.0.0.1:${redis.port}`;
  const noRights = /needs all commands on keys that begin with animal-store:.*ACL SETUSER/;
  const states: Record<string, RedisState> = {
    "a server that may delete counts in use": evicts("allkeys-lru"),
    "a server that may delete counts with an expiry": evicts("volatile-random"),
    "a replica": {
      set: "REPLICAOF 127.0.0.1 1",
      detail: /READONLY/,
      mend: /This server is a replica: set REDIS_URL to the primary/,
    },
    "a server without free memory": {
      set: "CONFIG SET maxmemory 1",
      detail: /OOM/,
      mend: /raise maxmemory/,
    },
    "a user without the right to run scripts": {
      set: `ACL SETUSER reader on >${password} ~animal-store:* +@all -eval`,
      url: asReader,
      detail: /NOPERM/,
      mend: noRights,
    },
    "a user without the right to our keys": {
      set: `ACL SETUSER reader on >${password} resetkeys ~other:* +@all`,
      url: asReader,
      detail: /NOPERM|No permissions to access a key/,
      mend: noRights,
    },
    "a wrong password": {
      set: `CONFIG SET requirepass ${password}`,
      url: withPassword(redis.port, "another-secret"),
      detail: /WRONGPASS|NOAUTH/,
      mend: /Correct user and password in REDIS_URL/,
    },
  };
  const reset = ["REPLICAOF NO ONE", "CONFIG SET maxmemory-policy noeviction", "CONFIG SET maxmemory 0"];
  for (const [what, { set, url = redis.url, detail, mend, result = "fault" }] of Object.entries(states)) {
    await t.test(`doctor reports ${what}`, async () => {
      for (const line of reset) await redis.command(...line.split(" "));
      assert.match(await redis.command(...set.split(" ")), /^\+OK/);
      const found = await look(url);
      assertFinding(found, result, detail, mend);
      assert.doesNotMatch(JSON.stringify(found), /secret/);
    });
  }

  await t.test("doctor accepts the right password", async () => {
    const found = await look(withPassword(redis.port));
    assertFinding(found, "ok", /./);
    assert.doesNotMatch(JSON.stringify(found), /secret/);
  });

  await t.test("doctor reports that no server answers, also for a cluster", async () => {
    const port = await findFreePort();
    for (const url of [withPassword(port), `${withPassword(port)},${withPassword(port)}`]) {
      const found = await look(url);
      const detail = new RegExp(`redis://127\\.0\\.0\\.1:${port}.*: .`);
      assertFinding(found, "fault", detail, /Start Redis, or correct REDIS_URL/);
      assert.doesNotMatch(JSON.stringify(found), /secret/);
    }
  });
});

test("doctor explains a partner that is not a usable Redis", { timeout: 60_000 }, async (t) => {
  const DATABASE_URL = `sqlite:${makeFolder(t)}/store.db`;
  const redis = await startRedis(t);
  const alone = await startRedis(t, "--cluster-enabled", "yes");
  const at = (port: number) => `redis://:a-secret@127.0.0.1:${port}`;
  const silent = await startSilentPeer(t);
  const garbage = await startPeer(t, (socket) => void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  const closing = await startPeer(t, (socket) => void socket.destroy());
  const states: Record<string, { url: string; mend: RegExp }> = {
    "a host that does not exist": {
      url: "redis://nothing.invalid:6379",
      mend: /name of the host is not known|No answer/,
    },
    "a partner that never answers": { url: at(silent), mend: /^No answer in time\. Check .* not frozen/ },
    "a cluster that never answers": {
      url: [at(silent), at(silent), at(silent)].join(","),
      mend: /^No answer in time/,
    },
    "another program": { url: at(garbage), mend: /^Another program answers at this address/ },
    "a partner that hangs up": { url: at(closing), mend: /closed the connection .* rediss:\/\// },
    "a server without TLS": {
      url: redis.url.replace("redis:", "rediss:"),
      mend: /If the server has no TLS, write redis:\/\//,
    },
    "a single server that is listed as a cluster": {
      url: `${redis.url},${redis.url}`,
      mend: /^This server is not part of a cluster: set REDIS_URL to one address/,
    },
    "a cluster without slots": {
      url: alone.url,
      mend: /^The cluster does not serve all slots\. Run: redis-cli/,
    },
  };
  const looks = Object.values(states).map(async ({ url, mend }) => {
    const found = await check({ DATABASE_URL, REDIS_URL: url }, "redis");
    assertFinding(found, "fault", /; until it works, each node admits its share of the limits$/, mend);
    assert.doesNotMatch(JSON.stringify(found), /secret/);
  });
  await Promise.all(looks);
});

test("doctor checks every server of a Redis Cluster and names the one that fails", async (t) => {
  const DATABASE_URL = `sqlite:${makeFolder(t)}/store.db`;
  const servers = await startCluster(t);
  const REDIS_URL = servers.map(({ url }) => url).join(",");
  const look = () => check({ DATABASE_URL, REDIS_URL }, "redis");
  assertFinding(await look(), "ok", /./);
  for (const { url } of servers) {
    // The key of the test write belongs to one of them, which would accept it.
    const alone = await check({ DATABASE_URL, REDIS_URL: url }, "redis");
    const mend = /^List the servers of the cluster in REDIS_URL/;
    assertFinding(alone, "fault", /one of 3 servers of a cluster;/, mend);
  }
  for (const server of servers) {
    assert.match(await server.command("DBSIZE"), /^:0\r/, "the check leaves no key");
    await server.command("CONFIG", "SET", "maxmemory", "1");
    assertFinding(await look(), "fault", new RegExp(`: 127\\.0\\.0\\.1:${server.port}: .*OOM`));
    await server.command("CONFIG", "SET", "maxmemory", "0");
  }
  const [, , last] = servers;
  await last?.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
  assert.match((await look()).detail, /maxmemory-policy is allkeys-lru/);
  await last?.stop();
  const found = await look();
  assert.match(found.detail, new RegExp(`: 127\\.0\\.0\\.1:${last?.port}: connection refused;`));
});
