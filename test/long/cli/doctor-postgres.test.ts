// `doctor` on a PostgreSQL server that refuses, is a replica, is frozen, or is another program.

import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { migrateStorage } from "../../../src/command-stores.ts";
import { readConfig } from "../../../src/config/config.ts";
import { assertFinding, findAll, findOne } from "../../harness/clients/findings.ts";
import { startPeer, startSilentPeer } from "../../harness/servers/peer.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { startPostgres } from "../../harness/servers/postgres.ts";
import { startProxy } from "../../harness/servers/proxy.ts";

const SECRET = "a-secret-of-postgres";

/** `encrypted` may connect with TLS only, `unlisted` not at all. */
const HBA = `host all admin 127.0.0.1/32 trust
host all guarded 127.0.0.1/32 scram-sha-256
host all limited 127.0.0.1/32 trust
host all nobody_yet 127.0.0.1/32 trust
hostssl all encrypted 127.0.0.1/32 trust
`;
const ROLES = `CREATE ROLE guarded LOGIN PASSWORD 'another'; CREATE ROLE limited LOGIN CONNECTION LIMIT 0;
  CREATE ROLE encrypted LOGIN; CREATE ROLE unlisted LOGIN`;

type At = (user: string, database?: string) => string;

/** The states of a server on `port`, with the address of each. */
async function listStates(t: TestContext, at: At, port: number) {
  const silent = await startSilentPeer(t);
  const closing = await startPeer(t, (socket) => void socket.destroy());
  const garbage = await startPeer(t, (socket) => void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  const states: Record<string, { url: string; detail: RegExp; mend: RegExp }> = {
    "a wrong password": {
      url: at(`guarded:${SECRET}`),
      detail: /password authentication failed for user "guarded"/,
      mend: /^Correct user and password in DATABASE_URL; .* \\password guarded\. If .*: createuser .* guarded$/,
    },
    "a missing role": {
      url: at("nobody_yet"),
      detail: /role "nobody_yet" does not exist/,
      mend: new RegExp(`createuser -h 127\\.0\\.0\\.1 -p ${port} --pwprompt nobody_yet$`),
    },
    "a missing password": { url: at("guarded"), detail: /password/, mend: /^Correct user and password/ },
    "a missing database": {
      url: at("admin", "nothing"),
      detail: /database "nothing" does not exist/,
      mend: new RegExp(`createdb -h 127\\.0\\.0\\.1 -p ${port} -O admin nothing$`),
    },
    "a server that requires TLS": {
      url: at("encrypted"),
      detail: /no encryption|SSL off/,
      mend: /^If the server requires TLS, add \?sslmode=verify-full/,
    },
    "a server without TLS": {
      url: `${at("admin")}?sslmode=verify-full`,
      detail: /does not support SSL/,
      mend: /^The server has no TLS: remove sslmode/,
    },
    "a user who may not connect from here": {
      url: at("unlisted"),
      detail: /no pg_hba\.conf entry/,
      mend: /Let unlisted connect to animals from this machine: add a line to pg_hba\.conf/,
    },
    "too many connections": {
      url: at("limited"),
      detail: /too many connections/,
      mend: /Raise max_connections, lower DATABASE_POOL_SIZE/,
    },
    "a host that does not exist": {
      url: "postgres://admin@nothing.invalid/animals",
      detail: /ENOTFOUND|EAI_AGAIN|timeout/,
      mend: /nothing\.invalid/,
    },
    "a port where nothing listens": {
      url: peer(await findFreePort()),
      detail: /ECONNREFUSED/,
      mend: /^Is PostgreSQL running\? .* start it: systemctl start postgresql$/,
    },
    "a partner that never answers": {
      url: peer(silent),
      detail: /timeout/,
      mend: /gives no answer in time\. Check host and port .* firewall/,
    },
    "a partner that closes the connection": {
      url: peer(closing),
      detail: /terminated|ECONNRESET/,
      mend: /check that PostgreSQL listens there and not another program/,
    },
    "a partner that sends garbage": {
      url: peer(garbage),
      detail: /./,
      mend: /Check host and port|not another program/,
    },
  };
  return Object.entries(states);
}

function peer(port: number): string {
  return `postgres://admin:${SECRET}@127.0.0.1:${port}/animals`;
}

test("doctor explains why PostgreSQL cannot be used", { timeout: 60_000 }, async (t) => {
  const server = await startPostgres(t);
  const folder = (await server.admin("SHOW data_directory")).rows[0].data_directory;
  await server.admin(ROLES);
  await server.admin("CREATE DATABASE animals");
  await migrateStorage(readConfig({ DATABASE_URL: server.urlOf("animals") }));
  writeFileSync(join(folder, "pg_hba.conf"), HBA);
  await server.stop();
  await server.start();
  const at: At = (user, database = "animals") => `postgres://${user}@127.0.0.1:${server.port}/${database}`;

  for (const [what, { url, detail, mend }] of await listStates(t, at, server.port)) {
    await t.test(`doctor reports ${what}`, async () => {
      const found = await findAll({ DATABASE_URL: url });
      assertFinding(found.engine, "fault", detail, mend);
      assertFinding(found.start, "fault", /would not start, because of the fault in: engine$/);
      assert.doesNotMatch(JSON.stringify(found), new RegExp(SECRET));
    });
  }

  await t.test("doctor accepts the right password", async () => {
    assertFinding(await findOne({ DATABASE_URL: at("guarded:another", "postgres") }, "engine"), "ok", /./);
  });

  await t.test("doctor reports a server that falls silent after the first answers", async (t) => {
    const proxy = await startProxy(t, server.port);
    void proxy.holdAnswersTo("SELECT version()");
    const found = await findOne({ DATABASE_URL: peer(proxy.port) }, "engine");
    assertFinding(found, "fault", /./, /gives no answer in time/);
  });

  await t.test("doctor reports a hot standby, with its schema and without", async () => {
    await server.stop();
    writeFileSync(join(folder, "standby.signal"), "");
    appendFileSync(join(folder, "postgresql.conf"), "hot_standby = on\n");
    await server.start();
    for (const database of ["animals", "postgres"]) {
      const found = await findOne({ DATABASE_URL: at("admin", database) }, "writes");
      const mend = /^It is a replica, or set to be read-only\. Set DATABASE_URL to the primary/;
      assertFinding(found, "fault", /./, mend);
    }
  });

  await t.test("doctor reports a frozen server", async () => {
    server.signal("SIGSTOP");
    const found = await findOne({ DATABASE_URL: at("admin") }, "engine");
    server.signal("SIGCONT");
    assertFinding(found, "fault", /./, /gives no answer in time/);
  });
});
