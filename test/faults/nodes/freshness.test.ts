// A change on one node is visible to the next request on every other node, however it was made.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pino from "pino";
import { readConfig } from "../../../src/config/config.ts";
import { createService } from "../../../src/service/service.ts";
import { type Answer, createCall } from "../../harness/clients/call.ts";
import { PATIENT_DATABASE_MS, PATIENT_MS } from "../../harness/runner/patience.ts";
import { ADMIN_KEY, createClock } from "../../harness/servers/app.ts";
import { askPostgres, createTestDatabase, openClient } from "../../harness/servers/databases.ts";
import { startProxy } from "../../harness/servers/proxy.ts";
import { startRedis } from "../../harness/servers/redis.ts";

const HOUR_MS = 3_600_000;

/** The COMMIT of a POST with an Idempotency-Key, not other work of the node. */
const IDEMPOTENT_COMMIT = ["keepResponse", "COMMIT\0"] as const;

/** Until PostgreSQL has finished the transaction that was cut off, its claim is still held. */
async function repeat(request: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await request();
    if (answer.json.code !== "idempotency_in_progress") return answer;
  }
}

/** Two nodes with one clock; the first reaches PostgreSQL through a proxy. */
async function startPair(t: TestContext) {
  const database = new URL(await createTestDatabase(t));
  const proxy = await startProxy(t, Number(database.port));
  const direct = database.href;
  database.port = String(proxy.port);
  const redis = await startRedis(t);
  const clock = createClock(Date.UTC(2027, 0, 1));
  const log = pino({ level: "silent" });
  const start = async (url: string) => {
    const config = readConfig({
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: PATIENT_MS,
      PORT: "0",
      ADMIN_API_KEY: ADMIN_KEY,
    });
    const service = await createService(config, { log, clock, databaseMs: PATIENT_DATABASE_MS });
    t.after(() => service.stop());
    const address = await service.listen();
    return { service, call: createCall(`${address}/v1`, ADMIN_KEY), outside: createCall(address) };
  };
  return { proxy, clock, database: direct, one: await start(database.href), two: await start(direct) };
}

test("Changes on one node are in the next list of another", async (t) => {
  const { proxy, clock, one, two } = await startPair(t);
  const statuses = async () => {
    const { json } = await two.call("GET", "/pets?limit=100");
    return json.map(({ status }: { status: string }) => status).join(" ");
  };
  /** The other node has the list in its cache before each step. */
  const sees = async (expected: string, step: () => Promise<unknown>) => {
    await statuses();
    await step();
    assert.equal(await statuses(), expected);
  };
  const add = (headers = {}) => one.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 }, headers });
  const move = (status: string) => one.call("PATCH", "/store/orders/1", { body: { status } });

  await t.test("the next list shows an animal, an order, its transitions and its expiry", async () => {
    await sees("available", add);
    await sees("pending", () => one.call("POST", "/store/orders", { body: { petId: 1 } }));
    await sees("available", () => move("cancelled"));
    await sees("pending", () => one.call("POST", "/store/orders", { body: { petId: 1 } }));
    clock.advance(72 * HOUR_MS);
    await sees("available", () => one.service.runMaintenance());
    await sees("sold", () => one.call("PATCH", "/pets/1", { body: { status: "sold" } }));
    await sees("", () => one.call("DELETE", "/pets/1"));
  });

  await t.test("the next list shows an animal and an order with Idempotency-Key", async () => {
    await sees("available", () => add({ "idempotency-key": "a" }));
    const order = { body: { petId: 2 }, headers: { "idempotency-key": "b" } };
    await sees("pending", () => one.call("POST", "/store/orders", order));
  });

  await t.test("the next list shows a create whose response was lost, once it is replayed", async () => {
    await statuses();
    proxy.cutAfter(...IDEMPOTENT_COMMIT);
    assert.equal((await add({ "idempotency-key": "cut" })).json.code, "unavailable");
    const replayed = await repeat(() => add({ "idempotency-key": "cut" }));
    assert.equal(replayed.headers["idempotent-replayed"], "true", replayed.text);
    assert.equal(await statuses(), "pending available");
  });

  await t.test("the next request sees a rotation whose response was lost, once replayed", async () => {
    const { id, key } = (await one.call("POST", "/keys", { body: { name: "x", plan: "pro" } })).json;
    for (const { call } of [one, two]) assert.equal((await call("GET", "/pets", { key })).status, 200);
    const rotation = { body: { graceSeconds: 0 }, headers: { "idempotency-key": "rotate" } };
    proxy.cutAfter(...IDEMPOTENT_COMMIT);
    const rotate = () => one.call("POST", `/keys/${id}/rotate`, rotation);
    assert.equal((await rotate()).json.code, "unavailable");
    assert.equal((await repeat(rotate)).status, 200);
    for (const { call } of [one, two])
      assert.equal((await call("GET", "/pets", { key })).json.code, "invalid_api_key");
  });
});

/** A node reads the state of the site again after this time. */
const SITE_MS = 250;
const PUBLIC_PATHS = [
  "/animals",
  "/animals/1",
  "/shelters/1",
  "/animals.atom",
  "/animals.json",
  "/sitemap.xml",
];

test("The public pages of all nodes open and close within a second of a change on one", async (t) => {
  const { clock, one, two } = await startPair(t);
  await one.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  // Twice: the second response is from the cache.
  for (const [isPublic, status] of [
    [false, 404],
    [true, 200],
    [false, 404],
  ] as const) {
    await one.call("PATCH", "/site", { body: { isPublic } });
    clock.advance(SITE_MS);
    for (const path of [...PUBLIC_PATHS, ...PUBLIC_PATHS])
      assert.equal((await two.outside("GET", path)).status, status, path);
  }
});

/** Advisory lock that COMMIT waits for while a test holds it. */
const COMMIT_LOCK = 42;
const HOLD_COMMITS = `
  CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${COMMIT_LOCK}); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER hold_pets AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait_for_test();
  CREATE CONSTRAINT TRIGGER hold_keys AFTER UPDATE OF revoked_at_ms ON api_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait_for_test()`;
const COMMITS_WAITING = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${COMMIT_LOCK} AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

test("No node keeps what it reads between a change and its COMMIT", async (t) => {
  const { database, one, two } = await startPair(t);
  await askPostgres(database, HOLD_COMMITS);
  const holder = await openClient(t, database);
  /** Sends `change`, reads on the other node while the COMMIT waits, and resolves to the response of the change. */
  const during = async (change: () => ReturnType<typeof one.call>, read: () => Promise<unknown>) => {
    await holder.query(`SELECT pg_advisory_lock(${COMMIT_LOCK})`);
    const answered = change();
    while ((await holder.query(COMMITS_WAITING)).rowCount === 0) await pause(5);
    await read();
    await holder.query(`SELECT pg_advisory_unlock(${COMMIT_LOCK})`);
    return answered;
  };

  await t.test("no node keeps a list of animals", async () => {
    const names = async () => (await two.call("GET", "/pets")).json.map(({ name }: { name: string }) => name);
    const add = () => one.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
    const created = await during(add, async () => assert.deepEqual(await names(), []));
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(await names(), ["Rex"]);
  });

  await t.test("no node keeps a key", async () => {
    const { id, key } = (await one.call("POST", "/keys", { body: { name: "x", plan: "pro" } })).json;
    const status = async () => (await two.call("GET", "/usage", { key })).status;
    const revoke = () => one.call("DELETE", `/keys/${id}`);
    const revoked = await during(revoke, async () => assert.equal(await status(), 200));
    assert.equal(revoked.status, 204, revoked.text);
    assert.equal(await status(), 401);
  });
});
