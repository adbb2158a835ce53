// kill -9 at any moment loses no acknowledged animal or photo, and needs no repair. KILL_ROUNDS sets how often.

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import SqliteConnection from "better-sqlite3";
import { type Answer, createCall } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { startService } from "../../harness/servers/service.ts";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);
const WRITERS = 16;
const KEY = "a-key-that-survives-all-rounds";

test(`${ROUNDS} rounds of kill -9 under write load lose no acknowledged animal`, {
  timeout: 1_200_000,
}, async (t) => {
  const acknowledged = new Map<number, string>();
  let environment: Record<string, string> = { ADMIN_API_KEY: KEY };

  for (let round = 0; round < ROUNDS; round++) {
    const service = await startService(t, environment);
    environment = service.environment;
    const agent = new http.Agent({ keepAlive: true, maxSockets: WRITERS });
    const call = createCall(`${service.url}/v1`, KEY);
    let isAlive = true;

    const write = async (writer: number) => {
      for (let i = 0; isAlive; i++) {
        const name = `round ${round} writer ${writer} number ${i}`;
        const answer = await call("POST", "/pets", { body: { name, categoryId: round }, agent }).catch(
          () => undefined,
        );
        if (answer?.status === 201) acknowledge(answer, name);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const before = acknowledged.size;
    while (acknowledged.size === before) await pause(5);
    // At different times in a round: during the first writes, between writes, during a checkpoint.
    await pause((round * 137) % 700);
    await service.stop("SIGKILL");
    isAlive = false;
    await Promise.all(writers);
    agent.destroy();
  }

  const path = environment.DATABASE_URL?.replace("sqlite:", "") ?? "";
  const service = await startService(t, environment);
  t.diagnostic(`${acknowledged.size} animals were acknowledged`);
  assert.ok(acknowledged.size > ROUNDS, "the load wrote something");
  assert.equal((await service.call("GET", "/pets", { key: KEY })).status, 200);
  await service.stop();

  const db = new SqliteConnection(path, { readonly: true });
  t.after(() => db.close());
  assert.deepEqual(db.pragma("integrity_check"), [{ integrity_check: "ok" }]);
  const stored = new Map(
    (db.prepare("SELECT id, name FROM pets").all() as Array<{ id: number; name: string }>).map(
      ({ id, name }) => [id, name],
    ),
  );
  const lost = [...acknowledged].filter(([id, name]) => stored.get(id) !== name);
  assert.deepEqual(lost, []);

  function acknowledge(answer: Answer, name: string): void {
    const { id } = answer.json;
    assert.equal(acknowledged.has(id), false, `id ${id} was given twice`);
    acknowledged.set(id, name);
  }
});

test("kill -9 during uploads leaves nothing partial, and loses no acknowledged photo", {
  timeout: 1_200_000,
}, async (t) => {
  /** The path of a file by the id of its photo. */
  const acknowledged = new Map<number, string>();
  let environment: Record<string, string> = { ADMIN_API_KEY: KEY };
  for (let round = 0; round < ROUNDS; round++) {
    const service = await startService(t, environment);
    environment = service.environment;
    const call = createCall(`${service.url}/v1`, KEY);
    const before = acknowledged.size;
    let isAlive = true;
    const upload = async (colour: number) => {
      const { id } = (await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } })).json;
      for (let shade = round; isAlive; shade += ROUNDS) {
        const body = await drawImage(`rgb(${shade % 256},${colour},0)`, { width: 700, height: 400 });
        const answer = await call("POST", `/pets/${id}/photos`, {
          body,
          headers: { "content-type": "image/png" },
        }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.set(answer.json.id, new URL(answer.json.urls[640]).pathname);
      }
    };
    const uploaders = [0, 100, 200].map(upload);
    while (acknowledged.size === before) await pause(5);
    await pause((round * 137) % 400);
    await service.stop("SIGKILL");
    isAlive = false;
    await Promise.allSettled(uploaders);
  }

  const service = await startService(t, environment);
  for (const path of new Set([...acknowledged.values()].slice(-20)))
    assert.equal((await createCall(service.url)("GET", path)).headers["content-type"], "image/webp");
  await service.stop();
  const path = environment.DATABASE_URL?.replace("sqlite:", "") ?? "";
  const db = new SqliteConnection(path, { readonly: true });
  t.after(() => db.close());
  assert.deepEqual(db.pragma("integrity_check"), [{ integrity_check: "ok" }]);
  assert.deepEqual(db.pragma("foreign_key_check"), []);
  const count = (sql: string) => db.prepare(sql).pluck().get() as number;
  t.diagnostic(`${count("SELECT count(*) FROM photos")} photos, of which ${acknowledged.size} acknowledged`);
  assert.ok(count("SELECT count(*) FROM photos") >= acknowledged.size);
  const widths = "SELECT hash, group_concat(width) AS widths FROM image_files GROUP BY hash";
  assert.equal(count(`SELECT count(*) FROM (${widths}) WHERE widths NOT IN ('320,640', '640,320')`), 0);
  const listed = "(SELECT coalesce(sum(json_array_length(photos)), 0) FROM pets)";
  assert.equal(count(`SELECT ${listed} - count(*) FROM photos`), 0, "the animals list the same photos");
  const withoutPhotos = "hash NOT IN (SELECT hash FROM photos)";
  assert.equal(
    count(`SELECT count(*) FROM images WHERE (unreferenced_at_ms IS NOT NULL) <> (${withoutPhotos})`),
    0,
  );
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
