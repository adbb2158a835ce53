// `doctor` on a database with several servers: it lists each with its role, and knows which faults need action.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { migrateStorage } from "../../../src/command-stores.ts";
import { readConfig } from "../../../src/config/config.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { assertFinding, findAll, findOne } from "../../harness/clients/findings.ts";
import { startPostgres } from "../../harness/servers/postgres.ts";
import { disconnect, promote, startStandby, urlOfAll } from "../../harness/servers/replication.ts";

test("doctor lists the servers of a database", { timeout: 120_000 }, async (t) => {
  const primary = await startPostgres(t);
  const url = await primary.createDatabase();
  await migrateStorage(readConfig({ DATABASE_URL: url }));
  const standby = await startStandby(t, primary);
  const DATABASE_URL = urlOfAll([standby, primary], new URL(url).pathname.slice(1));
  const [first, second] = [`127.0.0.1:${standby.port}`, `127.0.0.1:${primary.port}`];
  const lag = async () => {
    const { servers = [] } = await findOne({ DATABASE_URL }, "engine");
    return servers[0];
  };

  await t.test("one host: its role beside the finding as always", async () => {
    const found = await findOne({ DATABASE_URL: url }, "engine");
    assertFinding(found, "ok", /^PostgreSQL \S+; postgres:\/\/127\.0\.0\.1:\d+\/\w+ readable$/);
    assert.deepEqual(found.servers, [{ host: second, role: "primary" }]);
  });

  await t.test("a standby that has everything, in JSON too", async () => {
    while ((await lag())?.lagBytes !== 0) await pause(50);
    const { code, stdout } = await runInHost(["doctor", "--json"], { DATABASE_URL, PORT: "0" });
    assert.equal(code, 0, stdout);
    const found = JSON.parse(stdout).find(({ check }: { check: string }) => check === "engine");
    assertFinding(found, "ok", /standby \(0 bytes, 0 s behind\), 127\.0\.0\.1:\d+ primary$/);
    assert.deepEqual(found.servers, [
      { host: first, role: "standby", lagBytes: 0, lagSeconds: 0 },
      { host: second, role: "primary" },
    ]);
  });

  await t.test("a standby that lags", async () => {
    await disconnect(standby);
    await primary.admin("CREATE TABLE bulk AS SELECT generate_series(1, 1000)");
    const server = await lag();
    assert.equal(server?.role, "standby");
    assert.ok((server?.lagBytes ?? 0) > 1_000);
  });

  await t.test("a standby that does not answer is a warning", async () => {
    await standby.stop();
    const found = await findAll({ DATABASE_URL });
    assertFinding(found.engine, "warning", new RegExp(`${first} does not answer`), /^Start 127/);
    assert.deepEqual(found.engine?.servers?.[0], { host: first, role: "unreachable" });
    assert.notEqual(found.start?.result, "fault");
    await standby.start();
  });

  await t.test("no primary is a fault", async () => {
    await primary.stop();
    const found = await findAll({ DATABASE_URL });
    assertFinding(
      found.engine,
      "fault",
      /^No server takes writes: .* is a standby; .* does not answer/,
      /pg_promote/,
    );
    assert.deepEqual(
      found.engine?.servers?.map(({ role }) => role),
      ["standby", "unreachable"],
    );
    const keys = await runInHost(["keys", "list"], { DATABASE_URL });
    assert.equal(keys.code, 1);
    assert.match(keys.stderr, /The database cannot be used: no server takes writes \(.*is a standby/);
    await primary.start();
  });

  await t.test("two servers that take writes are a warning, and commands use the promoted one", async () => {
    await promote(standby);
    const found = await findOne({ DATABASE_URL }, "engine");
    assertFinding(
      found,
      "warning",
      /primary, .* primary$/,
      /^Two servers take writes\. .* make it a standby again/,
    );
    assert.equal(
      (await runInHost(["keys", "create", "--name", "x", "--plan", "free"], { DATABASE_URL })).code,
      0,
    );
    const count = async (server: typeof primary) => {
      const one = JSON.parse(
        (
          await runInHost(["keys", "list", "--json"], {
            DATABASE_URL: server.urlOf(new URL(url).pathname.slice(1)),
          })
        ).stdout,
      );
      return one.length;
    };
    assert.deepEqual([await count(standby), await count(primary)], [1, 0]);
  });
});
