// A ban is set and lifted by the clock of Redis, even if the clock of the node or the command differs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hammerUntilBanned } from "../../harness/clients/ban.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { PATIENT_MS } from "../../harness/runner/patience.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { startRedis } from "../../harness/servers/redis.ts";
import { runCommand, startService } from "../../harness/servers/service.ts";

/** Sets the clock of a process, and of the commands beside it, an hour back. */
const HOUR_BEHIND = "--import=data:text/javascript,const{now}=Date;Date.now=()=>now()-3600000";

test("A node whose clock is an hour late lifts a ban", { timeout: 60_000 }, async (t) => {
  const redis = await startRedis(t);
  const { call, environment, createKey } = await startService(t, {
    DATABASE_URL: `sqlite:${makeFolder(t)}/store.db`,
    REDIS_URL: redis.url,
    REDIS_TIMEOUT_MS: PATIENT_MS,
    NODE_OPTIONS: HOUR_BEHIND,
  });
  const { id, key } = await createKey({ plan: "enterprise", perMinute: 1, perDay: 1_000 });
  const unban = async (headers = {}) =>
    assert.equal((await call("POST", `/keys/${id}/unban`, { headers })).status, 200);
  const ways: Record<string, () => Promise<void>> = {
    unbanKey: unban,
    "unbanKey with an Idempotency-Key": () => unban({ "idempotency-key": "once" }),
    "the command `keys unban`": async () =>
      assert.equal((await runCommand(["keys", "unban", String(id)], environment)).code, 0),
  };
  for (const [way, lift] of Object.entries(ways))
    await t.test(`${way} lifts it`, async () => {
      await hammerUntilBanned(call, key);
      await lift();
      assert.equal((await call("GET", "/pets", { key })).json.code, "rate_limit_exceeded");
    });
});

test("`keys unban` on PostgreSQL without REDIS_URL says that it needs the one of the service", async (t) => {
  const redis = await startRedis(t);
  const database = { DATABASE_URL: await createTestDatabase(t) };
  assert.equal((await runInHost(["migrate"], database)).code, 0);
  const create = ["keys", "create", "--name", "x", "--plan", "free"];
  assert.equal((await runInHost(create, database)).code, 0);

  const without = await runInHost(["keys", "unban", "1", "--json"], database);
  assert.equal(without.code, 0, without.stderr);
  assert.match(without.stderr, /REDIS_URL/);
  assert.equal(JSON.parse(without.stdout).id, 1, "what a program reads is JSON alone");

  const withRedis = await runInHost(["keys", "unban", "1"], { ...database, REDIS_URL: redis.url });
  assert.deepEqual([withRedis.code, withRedis.stderr], [0, ""]);
});

test("`keys unban` on SQLite without REDIS_URL needs no note", async (t) => {
  const database = { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db` };
  const create = ["keys", "create", "--name", "x", "--plan", "free", "--create-store"];
  assert.equal((await runInHost(create, database)).code, 0);
  const { code, stderr } = await runInHost(["keys", "unban", "1"], database);
  assert.deepEqual([code, stderr], [0, ""]);
});
