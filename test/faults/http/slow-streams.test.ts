// Streams and the time limits of connections: silent streams, and clients that read slowly or not at all.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { readConfig } from "../../../src/config/config.ts";
import { openDatabase } from "../../../src/engines.ts";
import { openEventStream, untilStreams } from "../../harness/clients/event-stream.ts";
import { parseRaw, requestText, sendRaw } from "../../harness/clients/socket.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { PATIENT_DATABASE_MS } from "../../harness/runner/patience.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../../harness/servers/app.ts";
import { range } from "../../harness/servers/event-history.ts";
import { assertRawError } from "../../http/assertions.ts";

/** A stream of new events, closed with the test. */
async function openStream(
  t: TestContext,
  { url }: AppHarness,
  options: { query?: string; headers?: Record<string, string> } = {},
) {
  const { query = "?after=now", headers = {} } = options;
  const stream = await openEventStream(`${url}/v1/events/stream${query}`, { key: ADMIN_KEY, headers });
  t.after(stream.close);
  return stream;
}

test("A silent stream and a waiting request last longer than the time of a request, which ends a slow one", async (t) => {
  const timeouts = { headersMs: 100, requestMs: 150, checkEveryMs: 20, stalledMs: 100 };
  const app = await startApp(t, { timeouts });
  const stream = await openStream(t, app);
  await stream.next();
  const waiting = app.call("GET", "/events?after=now&wait=1&type=order.*");
  const lines = ["Content-Type: application/json", "Content-Length: 100"];
  const unfinished = requestText("POST /v1/pets", { key: ADMIN_KEY, lines, body: '{"name"' });
  for (let each = 0; each < 3; each++) {
    const answer = parseRaw(await sendRaw(app.port, unfinished));
    assertRawError(answer, 408, "request_timeout");
  }
  await app.addPet();
  assert.deepEqual(await stream.numbers(1), [1]);
  const { status, text } = await waiting;
  assert.deepEqual([status, text], [200, "[]"]);
});

/** 20 MB, more than the sockets of both sides buffer. Those of one read are more than a stream may have pending. */
const LARGE_EVENTS = 4_000;
const LARGE_STATE = `{"status":"sold","name":"${"x".repeat(5_000)}","categoryId":"1"}`;

/** As another process would. */
async function addLargeEvents(url: string, count = LARGE_EVENTS): Promise<void> {
  const db = await openDatabase(readConfig({ DATABASE_URL: url }), false, {
    deadlineMs: PATIENT_DATABASE_MS,
  });
  const insert = `INSERT INTO history (number, what, pet_id, state_after, at_ms)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    SELECT i + (SELECT coalesce(max(number), 0) FROM history), 'pet.updated', 77, '${LARGE_STATE}', 10 FROM n`;
  await db.transaction((tx) => tx.run(insert));
  await db.close();
}

/** A client that reads nothing, and the service's side of its connection. */
async function openUnread({ port, service }: AppHarness, query: string): Promise<{ theirs: Socket }> {
  const socket = connect(port, "127.0.0.1").pause();
  const [theirs] = (await once(service.app.server, "connection")) as [Socket];
  socket.on("error", () => {});
  theirs.on("close", () => socket.destroy());
  socket.write(requestText(`GET /v1/events/stream${query}`, { key: ADMIN_KEY }));
  return { theirs };
}

test("Many large events", { timeout: 120_000 }, async (t) => {
  const timeouts = { headersMs: 5_000, requestMs: 5_000, checkEveryMs: 20, stalledMs: 400 };
  const { DATABASE_URL = "" } = await freshEngines(t);
  const app = await startApp(t, { timeouts, environment: { DATABASE_URL } });
  const all = range(1, LARGE_EVENTS);

  await t.test("large events reach slow clients, and end the stream of one that reads nothing", async () => {
    const { theirs } = await openUnread(app, "?after=now");
    const [quick, slow] = [await openStream(t, app), await openStream(t, app)];
    for (const stream of [quick, slow]) await stream.next();
    const unreadEnded = once(theirs, "close");
    await addLargeEvents(DATABASE_URL);
    const startMs = performance.now();
    let isRead = false;
    const readSlowly = async () => {
      while (!isRead) {
        slow.pause();
        if (performance.now() - startMs < 3 * timeouts.stalledMs) await pause(20);
        slow.resume();
        await pause(1);
      }
    };
    const reading = readSlowly();
    assert.deepEqual(await quick.numbers(LARGE_EVENTS), all);
    assert.deepEqual(await slow.numbers(LARGE_EVENTS), all);
    isRead = true;
    await reading;
    assert.ok(performance.now() - startMs > timeouts.stalledMs, "it took longer than a stalled client may");
    await unreadEnded;
    assert.ok(theirs.bytesWritten > 0, "it was answered");
    for (const stream of [quick, slow]) stream.close();
  });

  await t.test("many old events end the stream of a client that reads nothing", async () => {
    const { theirs } = await openUnread(app, "");
    await once(theirs, "close");
    assert.ok(theirs.bytesWritten > 0, "it was answered");
    await untilStreams(app, 0);
  });
});

test("A stream that does not read new events is cut long before its connection stalls, and resumes without a gap", {
  timeout: 60_000,
}, async (t) => {
  const { DATABASE_URL = "" } = await freshEngines(t);
  // A stalled connection is never noticed.
  const timeouts = { headersMs: 5_000, requestMs: 5_000, checkEveryMs: 60_000 };
  const app = await startApp(t, { timeouts, environment: { DATABASE_URL } });
  const quick = await openStream(t, app);
  const connected = once(app.service.app.server, "connection");
  const unread = await openStream(t, app);
  const [theirs] = (await connected) as [Socket];
  for (const stream of [quick, unread]) await stream.next();
  unread.pause();
  let [sent, pendingBytesMax] = [0, 0];
  while (!theirs.destroyed) {
    await addLargeEvents(DATABASE_URL, 95);
    assert.deepEqual(await quick.numbers(95), range(sent + 1, sent + 95));
    sent += 95;
    pendingBytesMax = Math.max(pendingBytesMax, theirs.writableLength);
  }
  assert.ok(pendingBytesMax <= 1024 * 1024, `${pendingBytesMax} bytes`);
  unread.resume();
  await unread.ended;
  const headers = { "last-event-id": unread.lastId() };
  const resumed = await openStream(t, app, { headers });
  const last = Number(unread.lastId().split("-")[1]);
  assert.ok(last < sent, "the client had not read everything");
  assert.deepEqual(await unread.numbers(last), range(1, last));
  assert.deepEqual(await resumed.numbers(sent - last), range(last + 1, sent));
});
