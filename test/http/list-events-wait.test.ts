// listEvents with `wait`: a request that waits takes the place of a stream, until its client has gone.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/engines.ts";
import { openEventStream, untilStreams } from "../harness/clients/event-stream.ts";
import { column, nextPath } from "../harness/clients/pages.ts";
import { parseRaw, requestText, sendRaw } from "../harness/clients/socket.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

/** A response that does not come would otherwise hold up the file. */
const TESTS_END = { timeout: 120_000 };
const NOTHING = "/events?after=now&wait=25&type=category.deleted";

const requestOf = (key: string, path = NOTHING, lines: string[] = [], body = "") =>
  requestText(`GET /v1${path}`, { key, lines, body });

/** The cursor at the end of the feed. */
async function newestCursor({ call }: AppHarness): Promise<string> {
  return nextPath(await call("GET", "/events?after=now")).split("after=")[1] ?? "";
}

async function startPlaces(t: TestContext) {
  const app = await startApp(t);
  const sockets: Socket[] = [];
  const closeAll = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    return untilStreams(app, 0);
  };
  const open = (t: TestContext, bytes: string): Socket => {
    const socket = connect(app.port, "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    t.after(closeAll);
    socket.write(bytes);
    return socket;
  };
  /** Five requests of a new key wait, each on a connection of its own. */
  async function fillPlaces(t: TestContext) {
    const { id, key } = await app.createKey({ access: "browse" });
    const first = open(t, requestOf(key));
    for (let each = 1; each < 5; each++) open(t, requestOf(key));
    await untilStreams(app, 5);
    return { id, key, first };
  }
  return { ...app, app, open, fillPlaces };
}

test("A request that waits for events takes the place of a stream", TESTS_END, async (t) => {
  const { app, call, createKey, url, addPet, fillPlaces } = await startPlaces(t);

  await t.test("the sixth waiting request of a key gets 429, and so does a stream", async (t) => {
    const { id, key } = await fillPlaces(t);
    for (const path of [NOTHING, "/events/stream?after=now"]) {
      const refused = await call("GET", path, { key });
      assertError(refused, "too_many_streams", /5 open streams and waiting requests/);
      assert.match(refused.headers["retry-after"] ?? "", /^\d+$/);
    }
    assert.equal((await call("GET", `/keys/${id}/usage`)).json.streams, 5);
    assert.equal((await call("GET", "/events?after=now&wait=1&type=order.*")).status, 200, "of another key");
  });

  await t.test("a request that is answered at once takes no place", async (t) => {
    await addPet();
    const { key } = await fillPlaces(t);
    for (const path of ["/events?wait=25", "/events?after=now", "/events?after=now&wait=0"])
      assert.equal((await call("GET", path, { key })).status, 200, path);
  });

  await t.test("a waiting request is refused where streams have all places", async (t) => {
    const { key } = await createKey({ access: "browse" });
    for (let each = 0; each < 5; each++)
      t.after((await openEventStream(`${url}/v1/events/stream?after=now`, { key })).close);
    t.after(() => untilStreams(app, 0));
    assertError(await call("GET", NOTHING, { key }), "too_many_streams");
  });
});

test("A request that waits for events frees its place when its client leaves", TESTS_END, async (t) => {
  const { app, call, createKey, port, open, fillPlaces } = await startPlaces(t);

  const departures: Record<string, (socket: Socket) => void> = {
    "closes the connection": (socket) => socket.destroy(),
    "resets the connection": (socket) => socket.resetAndDestroy(),
    "closes its side of the connection": (socket) => socket.end(),
  };
  for (const [what, leave] of Object.entries(departures))
    await t.test(`a waiting request frees its place when the client ${what}`, async (t) => {
      const { key, first } = await fillPlaces(t);
      leave(first);
      await untilStreams(app, 4);
      open(t, requestOf(key));
      await untilStreams(app, 5);
    });

  const early: Record<string, string> = {
    "with the request": requestOf(ADMIN_KEY),
    "with the request, after a body": requestOf(ADMIN_KEY, NOTHING, ["Content-Length: 3"], "abc"),
    "with the request, pipelined": requestOf(ADMIN_KEY, "/categories") + requestOf(ADMIN_KEY),
  };
  for (const [when, bytes] of Object.entries(early))
    await t.test(`a waiting request is answered at once if the client closes its side ${when}`, async () => {
      const text = await sendRaw(port, bytes, { halfClose: true });
      const { status, headers, body } = parseRaw(text.slice(text.lastIndexOf("HTTP/1.1")));
      assert.deepEqual([status, body], [200, "[]"]);
      assert.match(headers.link ?? "", /rel="next"/);
      await untilStreams(app, 0);
    });

  await t.test("waiting requests on one connection free all places, without a warning", async (t) => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    t.after(() => process.off("warning", note));
    const keys: string[] = [];
    for (let each = 0; each < 3; each++) keys.push((await createKey({ access: "browse" })).key);
    const socket = open(t, keys.map((key) => requestOf(key).repeat(5)).join(""));
    await untilStreams(app, 15);
    socket.end();
    await untilStreams(app, 0);
    await new Promise(setImmediate);
    assert.deepEqual(warnings, []);
  });

  await t.test("the connection of a waiting request is kept for the next request", async (t) => {
    const request = requestOf(ADMIN_KEY, "/events?after=now&wait=25&type=category.updated");
    const socket = open(t, "");
    for (const name of ["Dogs", "Cats"]) {
      socket.write(request);
      await untilStreams(app, 1);
      const received = once(socket, "data");
      await call("PUT", "/categories/7", { body: { name } });
      const { status, body } = parseRaw(String((await received)[0]));
      assert.deepEqual([status, JSON.parse(body)[0].data.category.name], [200, name]);
    }
  });
});

test("A request that waits gets its events", TESTS_END, async (t) => {
  const app = await startApp(t);
  const { call, createKey, addPet } = app;

  await t.test("a waiting request gets the events of its filter, in the bytes of a page", async () => {
    const rex = (await addPet()).id;
    const luna = (await addPet({ name: 'Lu"na ä' })).id;
    const start = await newestCursor(app);
    const { key } = await createKey({ access: "adopt" });
    const queries = [`petId=${luna}`, "type=pet.deleted", "type=order.*"];
    const waits = queries.map((query, index) =>
      call("GET", `/events?after=${start}&wait=25&${query}`, index === 2 ? { key } : {}),
    );
    await untilStreams(app, 3);
    await call("POST", "/store/orders", { body: { petId: rex } });
    await call("PATCH", `/pets/${luna}`, { body: { name: "Bella" } });
    await call("POST", "/store/orders", { key, body: { petId: luna } });
    await call("PATCH", "/store/orders/2", { key, body: { status: "cancelled" } });
    await call("DELETE", `/pets/${luna}`);
    const answers = await Promise.all(waits);
    const [ofLuna, deleted, own] = answers.map(({ json }) => json);
    assert.equal(ofLuna[0].type, "pet.updated");
    assert.deepEqual(column(deleted, "type"), ["pet.deleted"]);
    assert.deepEqual([own[0].type, own[0].data.order.id], ["order.created", 2], "its own order");
    for (const answer of answers) {
      assertCommon(answer);
      assert.match(nextPath(answer), /wait=25/);
      const position = Number(nextPath(answer).split("-").at(-1));
      assert.ok(position >= answer.json.at(-1).number, "after the last event");
    }
    const again = await call("GET", `/events?after=${start}&type=pet.deleted&wait=25`);
    assert.equal(again.text, answers[1]?.text);
  });

  await t.test("a waiting request gets an empty page when its time is over", async () => {
    const { key } = await createKey({ access: "browse" });
    const waiting = call("GET", `/events?after=${await newestCursor(app)}&wait=1&type=order.*`, { key });
    await addPet();
    const answer = await waiting;
    assert.equal(answer.text, "[]");
    assert.equal(nextPath(answer).split("after=")[1], await newestCursor(app));
    await untilStreams(app, 0);
  });

  await t.test("with after=now a waiting request gets the next event", async () => {
    const waiting = call("GET", "/events?after=now&wait=25");
    let isDone = false;
    void waiting.then(() => {
      isDone = true;
    });
    // The request may arrive after the first of these.
    while (!isDone) await addPet();
    assert.equal((await waiting).json[0].type, "pet.created");
  });
});

test("A request that waits for events ends early", TESTS_END, async (t) => {
  const app = await startApp(t, { environment: { DRAIN_SECONDS: "0" } });
  const { call, createKey, addPet } = app;
  const wait = async (key = ADMIN_KEY) => {
    const waiting = call("GET", NOTHING, { key });
    await untilStreams(app, 1);
    // An array, because a promise would be awaited.
    return [waiting] as const;
  };

  await t.test("a waiting request gets 401 when its key is revoked", async () => {
    const { id, key } = await createKey({ access: "browse" });
    const [waiting] = await wait(key);
    assert.equal((await call("DELETE", `/keys/${id}`)).status, 204);
    assertError(await waiting, "invalid_api_key");
    await untilStreams(app, 0);
  });

  await t.test("a waiting request gets an empty page when its key gets another access", async () => {
    const { id, key } = await createKey({ access: "manage" });
    const [waiting] = await wait(key);
    assert.equal((await call("PATCH", `/keys/${id}`, { body: { access: "browse" } })).status, 200);
    const { status, text } = await waiting;
    assert.deepEqual([status, text], [200, "[]"]);
  });

  await t.test("a waiting request gets 410 and the start when the store gets a new epoch", async () => {
    const [waiting] = await wait();
    const db = await openDatabase(readConfig(app.engines), false, { deadlineMs: PATIENT_DATABASE_MS });
    await db.transaction((tx) => tx.run(`UPDATE store SET epoch = '${"f".repeat(16)}'`));
    await db.close();
    await addPet();
    const answer = await waiting;
    assertError(answer, "feed_reset");
    assert.equal(answer.headers.link, `<${app.url}/v1/events>; rel="first"`);
    await untilStreams(app, 0);
  });

  await t.test("a waiting request gets an empty page when the service stops", async () => {
    const [waiting] = await wait();
    await app.stop();
    const { status, text } = await waiting;
    assert.deepEqual([status, text], [200, "[]"]);
  });
});
