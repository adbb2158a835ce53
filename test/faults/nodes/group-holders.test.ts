// A node that is killed or frozen in the middle of a group: nothing is half done, and other nodes go on.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../../../src/storage/postgres/engine.ts";
import { assertConsistent } from "../../harness/clients/groups.ts";
import { createTestDatabase, openClient } from "../../harness/servers/databases.ts";
import { ADMIN_API_KEY, startNode } from "../../harness/servers/node.ts";
import { startProxy } from "../../harness/servers/proxy.ts";
import { startService } from "../../harness/servers/service.ts";

const ORDER_LOCK = 7305001;
const pet = (name: string) => ({ body: { name, categoryId: 1 } });

/**
 * A node in a process of its own holds the lock of order with a group of two creates and an update, and waits for a
 * reply of the server. Another node uses the same database.
 */
async function startHolder(t: TestContext) {
  const url = new URL(await createTestDatabase(t));
  const direct = url.href;
  const other = await startNode(t, { DATABASE_URL: direct, LOG_LEVEL: "silent" }, { isPatient: false });
  assert.equal((await other.call("POST", "/pets", pet("Rex"))).status, 201);
  const proxy = await startProxy(t, Number(url.port));
  url.port = String(proxy.port);
  const holder = await startService(t, { DATABASE_URL: url.href, ADMIN_API_KEY, LOG_LEVEL: "silent" });
  const db = openPostgres(direct, { poolSize: 1 });
  t.after(() => db.close());

  const client = await openClient(t, direct);
  await client.query(`SELECT pg_advisory_lock(${ORDER_LOCK})`);
  const held = proxy.holdAnswersTo("UPDATE pets");
  // The group of the first waits for the lock, and the others become the next group.
  const first = holder.call("POST", "/pets", pet("before"));
  const waiting = `SELECT 1 FROM pg_locks WHERE objid = ${ORDER_LOCK} AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  while ((await client.query(waiting)).rowCount === 0) await pause(5);
  const writes = Promise.allSettled([
    holder.call("POST", "/pets", pet("one of the group")),
    holder.call("PATCH", "/pets/1", { body: { name: "changed by the group" } }),
    holder.call("POST", "/pets", pet("two of the group")),
  ]);
  // Read by the node after the writes.
  assert.equal((await holder.call("GET", "/pets/1")).status, 200);
  await client.query(`SELECT pg_advisory_unlock(${ORDER_LOCK})`);
  await held;
  assert.equal((await first).status, 201);
  const names = async () => (await db.all("SELECT name FROM pets ORDER BY id")).map(({ name }) => name);
  /** Rejects if the lock of order is not free within a second. */
  const waitForOrder = async () => {
    await client.query("SET lock_timeout = '1s'");
    await client.query(`SELECT pg_advisory_lock_shared(${ORDER_LOCK})`);
    await client.query(`SELECT pg_advisory_unlock_shared(${ORDER_LOCK})`);
  };
  return { holder, other, proxy, db, writes, names, waitForOrder };
}

test("kill -9 of a node in the middle of a group leaves nothing of it, and another node goes on", {
  timeout: 60_000,
}, async (t) => {
  const { holder, other, db, writes, names, waitForOrder } = await startHolder(t);
  const killed = holder.stop("SIGKILL");
  const [, after] = await Promise.all([waitForOrder(), other.call("POST", "/pets", pet("after")), killed]);
  assert.equal(after.status, 201);
  for (const { status } of await writes) assert.equal(status, "rejected");
  assert.deepEqual(await names(), ["Rex", "before", "after"]);
  await assertConsistent(db);
});

test("A frozen node in the middle of a group delays another for less than a second", {
  timeout: 60_000,
}, async (t) => {
  const { holder, other, proxy, db, writes, names, waitForOrder } = await startHolder(t);
  holder.process.kill("SIGSTOP");
  const [, after] = await Promise.all([waitForOrder(), other.call("POST", "/pets", pet("after"))]);
  assert.equal(after.status, 201);
  holder.process.kill("SIGCONT");
  proxy.set("pass");
  for (const answer of await writes)
    assert.equal(answer.status === "fulfilled" && answer.value.json.code, "unavailable");
  assert.deepEqual(await names(), ["Rex", "before", "after"]);
  assert.equal((await holder.call("POST", "/pets", pet("thawed"))).status, 201);
  await assertConsistent(db);
});
