// kill -9 at any moment loses no acknowledged animal or photo, and needs no repair. KILL_ROUNDS sets how often.

import assert from "node:assert/strict";
import http from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import SqliteConnection from "better-sqlite3";
import { type Call, createCall } from "../../harness/clients/call.ts";
import type { Environment } from "../../harness/clients/commands.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { startService } from "../../harness/servers/service.ts";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);
const KEY = "a-key-that-survives-all-rounds";

interface Load {
  /** Sends requests one after another while `isAlive`. It rejects once the service is killed. */
  work(call: Call, isAlive: () => boolean, round: number, worker: number): Promise<void>;
  workers: number;
  /** Everything that the service has acknowledged so far. */
  acknowledged: Map<number, string>;
}

/** Kills the service once per round under this load. Resolves to the settings of the store. */
async function killUnder(t: TestContext, { work, workers, acknowledged }: Load): Promise<Environment> {
  let environment: Environment = { ADMIN_API_KEY: KEY };
  for (let round = 0; round < ROUNDS; round++) {
    const service = await startService(t, environment);
    environment = service.environment;
    const before = acknowledged.size;
    let isAlive = true;
    const working = Promise.allSettled(
      Array.from({ length: workers }, (_, worker) => work(service.call, () => isAlive, round, worker)),
    );
    while (acknowledged.size === before) await pause(5);
    // At different times in a round: during the first writes, between writes, during a checkpoint.
    await pause((round * 137) % 700);
    await service.stop("SIGKILL");
    isAlive = false;
    await working;
  }
  t.diagnostic(`${acknowledged.size} acknowledged`);
  return environment;
}

function openFile(t: TestContext, { DATABASE_URL = "" }: Environment): SqliteConnection.Database {
  const db = new SqliteConnection(DATABASE_URL.replace("sqlite:", ""), { readonly: true });
  t.after(() => db.close());
  assert.deepEqual(db.pragma("integrity_check"), [{ integrity_check: "ok" }]);
  return db;
}

test(`${ROUNDS} rounds of kill -9 under write load lose no acknowledged animal`, {
  timeout: 1_200_000,
}, async (t) => {
  const acknowledged = new Map<number, string>();
  const givenTwice: number[] = [];
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  t.after(() => agent.destroy());
  const environment = await killUnder(t, {
    acknowledged,
    workers: 16,
    async work(call, isAlive, round, worker) {
      for (let i = 0; isAlive(); i++) {
        const name = `round ${round} writer ${worker} number ${i}`;
        const { status, json } = await call("POST", "/pets", { body: { name, categoryId: 1 }, agent });
        if (status !== 201) continue;
        if (acknowledged.has(json.id)) givenTwice.push(json.id);
        acknowledged.set(json.id, name);
      }
    },
  });
  const service = await startService(t, environment);
  assert.equal((await service.call("GET", "/pets")).status, 200);
  await service.stop();
  const names = openFile(t, environment).prepare("SELECT name FROM pets WHERE id = ?").pluck();
  const lost = [...acknowledged].filter(([id, name]) => names.get(id) !== name);
  assert.deepEqual([lost, givenTwice], [[], []]);
});

test("kill -9 during uploads leaves nothing partial, and loses no acknowledged photo", {
  timeout: 1_200_000,
}, async (t) => {
  /** The path of a file by the id of its photo. */
  const acknowledged = new Map<number, string>();
  const environment = await killUnder(t, {
    acknowledged,
    workers: 3,
    async work(call, isAlive, round, worker) {
      const { id } = (await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } })).json;
      for (let shade = round; isAlive(); shade += ROUNDS) {
        const body = await drawImage(`rgb(${shade % 256},${worker * 100},0)`, { width: 700, height: 400 });
        const headers = { "content-type": "image/png" };
        const { status, json } = await call("POST", `/pets/${id}/photos`, { body, headers });
        if (status === 201) acknowledged.set(json.id, new URL(json.urls[640]).pathname);
      }
    },
  });
  const service = await startService(t, environment);
  for (const path of new Set([...acknowledged.values()].slice(-20)))
    assert.equal((await createCall(service.url)("GET", path)).headers["content-type"], "image/webp");
  await service.stop();
  const db = openFile(t, environment);
  assert.deepEqual(db.pragma("foreign_key_check"), []);
  const count = (sql: string) => db.prepare(sql).pluck().get() as number;
  assert.ok(count("SELECT count(*) FROM photos") >= acknowledged.size);
  const widths = "SELECT hash, group_concat(width) AS widths FROM image_files GROUP BY hash";
  assert.equal(count(`SELECT count(*) FROM (${widths}) WHERE widths NOT IN ('320,640', '640,320')`), 0);
  const listed = "(SELECT coalesce(sum(json_array_length(photos)), 0) FROM pets)";
  assert.equal(count(`SELECT ${listed} - count(*) FROM photos`), 0, "the animals list the same photos");
  const isWithoutPhoto = "hash NOT IN (SELECT hash FROM photos)";
  const wrong = `SELECT count(*) FROM images WHERE (unreferenced_at_ms IS NOT NULL) <> (${isWithoutPhoto})`;
  assert.equal(count(wrong), 0);
});

test("a kill loses at most 5 s of counts", async (t) => {
  const first = await startService(t, { ADMIN_API_KEY: KEY });
  const { id, key } = await first.createKey();
  for (let i = 0; i < 10; i++) await first.call("GET", "/pets", { key });
  const untilMs = Date.now() + 5_000;
  // The command reads the stored counts, which the next start will load.
  for (;;) {
    const { usage } = JSON.parse((await first.command("keys", "show", String(id), "--json")).stdout);
    if (usage.minute.remaining === 50) break;
    assert.ok(Date.now() < untilMs, "the counts were not stored within 5 s");
    await pause(100);
  }
  await first.stop("SIGKILL");
  const second = await startService(t, first.environment);
  assert.equal((await second.call("GET", "/usage", { key })).json.minute.remaining, 50);
});
