// Partners of one key that flood, delay or repeat their webhooks: requests and webhooks of others are not held up. Each
// duration is compared with the same service without the attack.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { readConfig } from "../../../src/config/config.ts";
import { systemClock } from "../../../src/domain/basics/clock.ts";
import { describeWebhook } from "../../../src/domain/webhooks/webhook.ts";
import { openDatabase } from "../../../src/engines.ts";
import { createKeyStore } from "../../../src/storage/stores/keys/api-keys.ts";
import { createResolver } from "../../../src/webhooks/resolver.ts";
import { openEmptyStore } from "../../contract/engines.ts";
import { stampAt } from "../../harness/clients/audit.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { createClock } from "../../harness/servers/app.ts";
import { ADMIN_API_KEY } from "../../harness/servers/node.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";
import { type Service, startService } from "../../harness/servers/service.ts";
import { createDispatchScene } from "../../unit/webhooks/dispatch-scene.ts";
import { type Names, startNameServer } from "../../unit/webhooks/name-server.ts";

const ENVIRONMENT = { ...RECEIVER_SETTINGS, ADMIN_API_KEY };
const PET = { name: "Rex", categoryId: 3 };
/** Without the bounds, the attacks made requests wait 10 to 1,000 times as long. */
const RATIO_MAX = 5;
const FLOODED_MIN = 10;
/** Ends a measurement during which the attack does not take place. */
const CREATES_MAX = 1_000;

/** The median of creates by another key, one after the other: `count`, and more while `goesOn`. */
async function measureCreates({ call }: Service, count: number, goesOn = () => false): Promise<number> {
  const durations: number[] = [];
  while (durations.length < count || (goesOn() && durations.length < CREATES_MAX)) {
    const startedMs = performance.now();
    assert.equal((await call("POST", "/pets", { body: PET })).status, 201);
    durations.push(performance.now() - startedMs);
    await pause(10);
  }
  return durations.toSorted((a, b) => a - b)[durations.length >> 1] as number;
}

async function createWebhooks(service: Service, body: { url: string; types?: string[] }, count = 10) {
  const { key } = (await service.call("POST", "/keys", { body: { name: "attacker", plan: "business" } }))
    .json;
  const ids: number[] = [];
  for (let i = 0; i < count; i++) {
    const answer = await service.call("POST", "/webhooks", { body, key });
    assert.equal(answer.status, 201, answer.text);
    ids.push(answer.json.id);
  }
  return { key: key as string, ids };
}

async function startReceivers(t: TestContext, status: number) {
  const worker = new Worker(new URL("./thread-receivers.ts", import.meta.url), { workerData: status });
  t.after(() => worker.terminate());
  const [{ port }] = (await once(worker, "message")) as [AddressInfo];
  return { worker, url: `http://127.0.0.1:${port}/` };
}

function assertNotSlower(t: TestContext, withMs: number, withoutMs: number): void {
  const figures = `${withMs.toFixed(1)} ms with the attack, ${withoutMs.toFixed(1)} ms without`;
  t.diagnostic(figures);
  assert.ok(withMs < RATIO_MAX * withoutMs, figures);
}

test("ten receivers that send interim responses without end do not slow down other keys", async (t) => {
  const { worker, url } = await startReceivers(t, 500);
  const service = await startService(t, ENVIRONMENT);
  await createWebhooks(service, { url });
  await measureCreates(service, 20);
  const withoutMs = await measureCreates(service, 60);
  let flooded = 0;
  worker.on("message", () => (flooded += 1));
  worker.postMessage("flood");
  // A failing webhook gets an attempt a second: 60 creates may end before the next one.
  const withMs = await measureCreates(service, 60, () => flooded < FLOODED_MIN);
  t.diagnostic(`${flooded} flooded requests`);
  assert.ok(flooded >= FLOODED_MIN, "requests were flooded during the creates");
  assertNotSlower(t, withMs, withoutMs);
});

test("140 replays of ten webhooks do not slow down creates of another key", async (t) => {
  const { url } = await startReceivers(t, 204);
  const first = await startService(t, ENVIRONMENT);
  const { key, ids } = await createWebhooks(first, { url, types: ["pet.updated"] });
  await first.stop();
  await addHistory(first.environment.DATABASE_URL ?? "", 20_000);
  const service = await startService(t, first.environment);
  await measureCreates(service, 20);
  const withoutMs = await measureCreates(service, 20);
  const [event] = (await service.call("GET", "/events?limit=1")).json;
  const body = { after: `${event.id.split("_")[1]}-0` };
  const replay = async (index: number) =>
    (await service.call("POST", `/webhooks/${ids[index % 10]}/replay`, { key, body })).status;
  const statuses = await Promise.all(Array.from({ length: 140 }, (_, index) => replay(index)));
  assert.deepEqual(
    statuses.filter((status) => status !== 200 && status !== 409),
    [],
  );
  const withMs = await measureCreates(service, 20);
  const again = await Promise.all(ids.map((_, index) => replay(index)));
  assert.ok(again.includes(409), "a replay is still running");
  assertNotSlower(t, withMs, withoutMs);
});

/** As if the events had been there before the webhooks. */
async function addHistory(databaseUrl: string, count: number): Promise<void> {
  const db = await openDatabase(readConfig({ DATABASE_URL: databaseUrl }), false);
  const insert = `INSERT INTO history (number, what, pet_id, state_after, at_ms)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    SELECT i, 'pet.updated', 77, '{"status":"sold","name":"x","categoryId":"1"}', 10 FROM n`;
  await db.transaction((tx) => tx.run(insert), { deadlineMs: 60_000 });
  await db.transaction((tx) => tx.run(`UPDATE webhooks SET number = ${count}`));
  await db.close();
}

const EVENTS = 60;
const SLOW_WEBHOOKS = 14;
/** 25 % of the 14 s that such receivers take, and of the duration from which on they count as slow. */
const ANSWER_MS = 3_500;
const SLOW_MS = 500;

/** How long it takes until two honest webhooks have all events, beside slow receivers. One has the key of the attackers. */
async function measureHonest(t: TestContext, slowWebhooks: number): Promise<number> {
  const db = await openEmptyStore(t, "SQLite");
  const { nowMs, monotonicMs } = systemClock;
  const scene = createDispatchScene(t, db, { ...createClock(0), nowMs, monotonicMs });
  const keys = createKeyStore(db);
  const createKey = async (byte: number) => {
    const secret = { hash: Buffer.alloc(32, byte), hint: "x" };
    return (await keys.create({ name: "x", plan: "free", access: "manage" }, secret, stampAt(nowMs()))).id;
  };
  const [attacker = 0n, second, other] = [await createKey(1), await createKey(2), await createKey(3)];
  const slow = await startReceiver(t, (response) => {
    setTimeout(() => response.writeHead(200).end(), ANSWER_MS);
  });
  for (let i = 0; i < slowWebhooks; i++) await scene.create(slow.url, { keyId: i < 9 ? attacker : second });
  const honest = [await startReceiver(t), await startReceiver(t)];
  await scene.create(honest[0]?.url ?? "", { keyId: attacker });
  await scene.create(honest[1]?.url ?? "", { keyId: other });
  const node = scene.startNode({ roundMs: 100, slowMs: SLOW_MS });
  await scene.addPets(EVENTS);
  const startedMs = performance.now();
  await Promise.all(honest.map((each) => each.until(EVENTS)));
  const durationMs = performance.now() - startedMs;
  await node.stop();
  return durationMs;
}

test("14 webhooks that answer 200 at the last moment do not hold up those of others, nor of their own key", async (t) => {
  const withoutMs = await measureHonest(t, 0);
  assertNotSlower(t, await measureHonest(t, SLOW_WEBHOOKS), withoutMs);
});

const SILENT = Array.from({ length: 8 }, (_, index) => `silent-${index}.example.net`);

/**
 * How long it takes until an honest webhook has all events, beside webhooks of the same key whose names are never answered.
 * With a limit, because one that is held up fails, and then waits for minutes.
 */
async function measureNamed(t: TestContext, silent: string[], limitMs?: number): Promise<number> {
  const names: Names = { "honest.example.net": ["127.0.0.1"] };
  for (const name of silent) names[name] = "silent";
  const { server, asked } = await startNameServer(t, names);
  const missing = join(makeFolder(t), "missing");
  const resolve = createResolver({ servers: [server], hostsFile: missing, searchFile: missing });
  const { nowMs, monotonicMs } = systemClock;
  const db = await openEmptyStore(t, "SQLite");
  const scene = createDispatchScene(t, db, { ...createClock(0), nowMs, monotonicMs });
  const honest = await startReceiver(t);
  const { port } = new URL(honest.url);
  // They come first in every round.
  for (const name of silent) await scene.create(`http://${name}:${port}/`);
  const { id } = await scene.create(`http://honest.example.net:${port}/`);
  const node = scene.startNode({ roundMs: 100, resolve });
  await scene.addPets(EVENTS);
  const startedMs = performance.now();
  const limit = limitMs === undefined ? [] : [pause(limitMs, undefined, { ref: false })];
  await Promise.race([honest.until(EVENTS), ...limit]);
  const durationMs = performance.now() - startedMs;
  await node.stop();
  const events = new Set(honest.received.map(({ event }) => event.id));
  assert.equal(events.size, EVENTS, "every event");
  assert.deepEqual(
    silent.filter((name) => !asked.includes(name)),
    [],
    "every silent name was looked up",
  );
  const webhook = await scene.webhooks.find(id);
  assert.ok(webhook !== undefined && describeWebhook(webhook).failingSince === undefined);
  return durationMs;
}

test("eight webhooks whose names are never answered do not hold up another one of their key", async (t) => {
  const withoutMs = await measureNamed(t, []);
  assertNotSlower(t, await measureNamed(t, SILENT, RATIO_MAX * withoutMs), withoutMs);
});
