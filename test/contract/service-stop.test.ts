// The stop of a service whose periodic job is still running.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { startApp } from "../harness/servers/app.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";

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
