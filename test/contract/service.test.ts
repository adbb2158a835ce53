// The service as a whole: a start that fails, a stop that fails or waits, and the state that it reports.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import SqliteConnection from "better-sqlite3";
import pg from "pg";
import pino from "pino";
import { readConfig } from "../../src/config/config.ts";
import { createService } from "../../src/service/service.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { formatUrl } from "../../src/tools/local-url.ts";
import { column } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { copySqliteStore } from "../harness/servers/stores.ts";

const METRICS_TOKEN = "a-token-for-metrics-only";
const silent = pino({ level: "silent" });

function pathOf({ DATABASE_URL = "" }: Record<string, string>): string {
  return DATABASE_URL.slice("sqlite:".length);
}

/** Changes the store as another process does. */
function changeStore(path: string, sql: string): void {
  const other = new SqliteConnection(path);
  other.exec(sql);
  other.close();
}

test("a service that cannot start releases its store", async (t) => {
  const path = await copySqliteStore(t);
  changeStore(path, "INSERT INTO schema_migrations (version, name, applied_at_ms) VALUES (999, 'future', 0)");
  const config = readConfig({ DATABASE_URL: `sqlite:${path}`, PORT: "0" });
  await assert.rejects(createService(config, { log: silent }), /The database has schema 999/);
  await openSqlite(path, { serving: true }).close();
});

test("a stop whose counts and usage cannot be stored says so, and releases the store", async (t) => {
  const { engines, call, createKey, logged, stop } = await startApp(t);
  const { key } = await createKey();
  assert.equal((await call("GET", "/pets", { key })).status, 200);
  changeStore(pathOf(engines), "DROP TABLE key_counts; DROP TABLE usage_writers");
  await stop();
  const errors = logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
  assert.deepEqual(column(errors, "msg"), ["usage was not stored", "request counts were not stored"]);
  await openSqlite(pathOf(engines), { serving: true }).close();
});

test("the metrics show the age of the oldest delivery in seconds, and a stopping node as not ready", async (t) => {
  const environment = { METRICS_TOKEN, DRAIN_SECONDS: "1" };
  const { engines, service, clock, stop } = await startApp(t, { environment });
  const read = async (name: string) => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const { body: text } = await service.app.inject({ url: "/metrics", headers });
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  };
  assert.equal(await read("animal_store_deliveries_oldest_seconds"), 0);
  // Due in a year, so that no attempt is made.
  const dueMs = clock.nowMs() + 365 * 86_400_000;
  changeStore(
    pathOf(engines),
    `INSERT INTO webhooks (id, key_id, url, number, version, key_fingerprint, created_at_ms)
       VALUES (1, 0, 'https://example.com', 0, 1, 'x', 0);
     INSERT INTO deliveries (webhook_id, number, event_id, type, status, attempts, next_attempt_at_ms, created_at_ms)
       VALUES (1, 1, 'e', 'pet.created', 'pending', 1, ${dueMs}, ${clock.nowMs() - 90_000})`,
  );
  assert.equal(await read("animal_store_deliveries_oldest_seconds"), 90);
  assert.equal(await read("animal_store_ready"), 1);
  const stopped = stop();
  assert.equal(await read("animal_store_ready"), 0);
  await stopped;
});

test("the address of the service on this machine is a URL for every host that it listens on", () => {
  const urls = {
    "127.0.0.1": "http://127.0.0.1:80",
    "0.0.0.0": "http://127.0.0.1:80",
    "::": "http://127.0.0.1:80",
    "::1": "http://[::1]:80",
    "animals.example": "http://animals.example:80",
  };
  for (const [host, url] of Object.entries(urls)) assert.equal(formatUrl(host, 80), url);
});

const HOLD_HOURS = 1;
const WAITS = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'orders'::regclass";
/** Event-loop ticks in which a stop that does not wait would close the database. */
const TICKS = 20;

test("stop() closes the database after the running maintenance job has ended", async (t) => {
  const url = await createTestDatabase(t);
  const environment = { DATABASE_URL: url, ORDER_HOLD_HOURS: String(HOLD_HOURS) };
  const { service, call, clock, stop } = await startApp(t, { environment });
  const pet = await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  assert.equal((await call("POST", "/store/orders", { body: { petId: pet.json.id } })).status, 201);
  clock.advance(HOLD_HOURS * 3_600_000);

  const events: string[] = [];
  const end: () => Promise<void> = pg.Pool.prototype.end;
  t.mock.method(pg.Pool.prototype, "end", function (this: pg.Pool) {
    events.push("database closed");
    return end.call(this);
  });
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    // The job waits in its first query, and needs the database again after it.
    await other.query("BEGIN; LOCK TABLE orders");
    const job = service.runMaintenance().then(() => events.push("job ended"));
    while ((await other.query(WAITS)).rowCount === 0) await pause(5);
    const serverClosed = once(service.app.server, "close");
    const stopped = stop();
    await serverClosed;
    for (let tick = 0; tick < TICKS; tick++) await new Promise(setImmediate);
    assert.deepEqual(events, []);
    await other.query("COMMIT");
    await Promise.all([job, stopped]);
    assert.deepEqual(events, ["job ended", "database closed"]);
    const { rows } = await other.query("SELECT status FROM orders");
    assert.deepEqual(rows, [{ status: "expired" }]);
  } finally {
    await other.end();
  }
});
