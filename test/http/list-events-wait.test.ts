// listEvents with `wait`: a request that waits takes the place of a stream, until its client has gone.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/engines.ts";
import { openEventStream } from "../harness/clients/event-stream.ts";
import { column } from "../harness/clients/pages.ts";
import { parseRaw, sendRaw } from "../harness/clients/socket.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

/** A response that does not come would otherwise hold up the file. */
const TESTS_END = { timeout: 120_000 };
const NOTHING = "/events?after=now&wait=25&type=category.deleted";

const requestOf = (key: string, path = NOTHING, more = "") =>
  `GET /v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`;

/** Resolves when so many streams and waiting requests are open, as the metrics report it. */
async function untilOpen({ url }: AppHarness, count: number): Promise<void> {
  for (let open = -1; open !== count; ) {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    open = Number(/^animal_store_event_streams (\d+)$/m.exec(await answer.text())?.[1]);
  }
}

test("A request that waits for events", TESTS_END, async (t) => {
  const app = await startApp(t);
  const { call, createKey, url } = app;
  const port = Number(new URL(url).port);

  /** Five requests of a new key wait, each on a connection of its own. */
  async function fillPlaces(t: TestContext): Promise<{ key: string; sockets: Socket[] }> {
    const { key } = await createKey({ access: "browse" });
    const sockets = Array.from({ length: 5 }, () => connect(port, "127.0.0.1"));
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      return untilOpen(app, 0);
    });
    for (const socket of sockets) socket.on("error", () => {}).write(requestOf(key));
    await untilOpen(app, 5);
    return { key, sockets };
  }

  await t.test("counts as a stream: a sixth of a key gets 429, and so does a stream", async (t) => {
    const { key } = await fillPlaces(t);
    for (const path of [NOTHING, "/events/stream?after=now"]) {
      const refused = await call("GET", path, { key });
      assertError(refused, "too_many_streams", /5 open streams and waiting requests/);
      assert.match(refused.headers["retry-after"] ?? "", /^\d+$/);
    }
    const { json } = await call(
      "GET",
      `/keys/${(await call("GET", "/keys?limit=100")).json.at(-1).id}/usage`,
    );
    assert.equal(json.streams, 5);
    assert.equal((await call("GET", "/events?after=now&wait=1&type=order.*")).status, 200, "of another key");
  });

  await t.test("does not count if it is answered at once", async (t) => {
    await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
    const { key } = await fillPlaces(t);
    for (const path of ["/events?wait=25", "/events?after=now", "/events?after=now&wait=0"])
      assert.equal((await call("GET", path, { key })).status, 200, path);
  });

  await t.test("is refused where streams have all places", async (t) => {
    const { key } = await createKey({ access: "browse" });
    for (let each = 0; each < 5; each++) {
      const stream = await openEventStream(`${url}/v1/events/stream?after=now`, { key });
      t.after(stream.close);
    }
    assertError(await call("GET", NOTHING, { key }), "too_many_streams");
    t.after(() => untilOpen(app, 0));
  });

  const departures: Record<string, (socket: Socket) => void> = {
    "closes the connection": (socket) => socket.destroy(),
    "resets the connection": (socket) => socket.resetAndDestroy(),
    "closes its side of the connection": (socket) => socket.end(),
  };
  for (const [what, leave] of Object.entries(departures))
    await t.test(`frees its place when the client ${what}`, async (t) => {
      const { key, sockets } = await fillPlaces(t);
      leave(sockets[0] as Socket);
      await untilOpen(app, 4);
      sockets.push(connect(port, "127.0.0.1"));
      sockets.at(-1)?.write(requestOf(key));
      await untilOpen(app, 5);
    });

  const early: Record<string, string> = {
    "": requestOf(ADMIN_KEY),
    ", after a body": requestOf(ADMIN_KEY, NOTHING, "Content-Length: 3\r\n").concat("abc"),
    ", pipelined": requestOf(ADMIN_KEY, "/categories") + requestOf(ADMIN_KEY),
  };
  for (const [what, bytes] of Object.entries(early))
    await t.test(`is answered at once if the client closes its side with the request${what}`, async () => {
      const text = await sendRaw(port, bytes, { halfClose: true });
      const { status, headers, body } = parseRaw(text.slice(text.lastIndexOf("HTTP/1.1")));
      assert.deepEqual([status, body], [200, "[]"]);
      assert.match(headers.link ?? "", /rel="next"/);
      await untilOpen(app, 0);
    });

  await t.test("frees all places of a connection with several requests", async (t) => {
    const { key } = await createKey({ access: "browse" });
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    t.after(() => process.off("warning", note));
    const { key: other } = await createKey({ access: "browse" });
    const { key: third } = await createKey({ access: "browse" });
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket.write([key, other, third].flatMap((each) => Array(5).fill(requestOf(each))).join(""));
    await untilOpen(app, 15);
    socket.end();
    await untilOpen(app, 0);
    await new Promise(setImmediate);
    assert.deepEqual(warnings, []);
  });

  await t.test("keeps the connection for the next request", async (t) => {
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    const path = "/events?after=now&wait=25&type=category.updated";
    for (const name of ["Dogs", "Cats"]) {
      socket.write(requestOf(ADMIN_KEY, path));
      await untilOpen(app, 1);
      const received = once(socket, "data");
      await call("PUT", "/categories/7", { body: { name } });
      const { status, body } = parseRaw(String((await received)[0]));
      assert.deepEqual([status, JSON.parse(body)[0].data.category.name], [200, name]);
    }
  });

  await t.test(
    "has the events of its filter and its animal, in the bytes of a page without wait",
    async () => {
      const [rex, luna] = await Promise.all(
        ["Rex", "Luna"].map((name) => call("POST", "/pets", { body: { name, categoryId: 1 } })),
      );
      const start = /after=([0-9a-f-]+)/.exec(
        (await call("GET", "/events?after=now")).headers.link ?? "",
      )?.[1];
      const { key } = await createKey({ access: "adopt" });
      const waits = [
        call("GET", `/events?after=${start}&wait=25&petId=${luna?.json.id}`),
        call("GET", `/events?after=${start}&wait=25&type=pet.deleted`),
        call("GET", `/events?after=${start}&wait=25&type=order.*`, { key }),
      ];
      await untilOpen(app, 3);
      await call("POST", "/store/orders", { body: { petId: rex?.json.id } });
      await call("PATCH", `/pets/${luna?.json.id}`, { body: { name: "Bella" } });
      await call("POST", "/store/orders", { key, body: { petId: luna?.json.id } });
      await call("PATCH", "/store/orders/2", { key, body: { status: "cancelled" } });
      await call("DELETE", `/pets/${luna?.json.id}`);
      const answers = await Promise.all(waits);
      const typesOf = ({ json }: { json: Array<{ type: string }> }) => json.map(({ type }) => type);
      const [ofLuna, deleted, own] = answers.map(typesOf);
      assert.equal(ofLuna?.[0], "pet.updated");
      assert.deepEqual(deleted, ["pet.deleted"]);
      assert.equal(own?.[0], "order.created");
      assert.equal(answers[2]?.json[0].data.order.id, 2, "its own order");
      for (const answer of answers) {
        assertCommon(answer);
        const path = /<[^>]*\/v1([^>]+)>; rel="next"/.exec(answer.headers.link ?? "")?.[1] ?? "";
        assert.match(path, /wait=25/);
        const numbers = column(answer.json, "number");
        assert.ok(Number(path.split("-").at(-1)) >= numbers.at(-1), "behind the last event");
      }
      const again = await call("GET", `/events?after=${start}&type=pet.deleted&wait=25`);
      assert.equal(again.text, answers[1]?.text);
    },
  );
});

test("A request that waits for events ends", TESTS_END, async (t) => {
  const app = await startApp(t);
  const { call, createKey } = app;

  await t.test("with 401 when its key is revoked", async () => {
    const { id, key } = await createKey({ access: "browse" });
    const waiting = call("GET", NOTHING, { key });
    await untilOpen(app, 1);
    assert.equal((await call("DELETE", `/keys/${id}`)).status, 204);
    assertError(await waiting, "invalid_api_key");
    await untilOpen(app, 0);
  });

  await t.test("with an empty page when its key gets another access", async () => {
    const { id, key } = await createKey({ access: "manage" });
    const waiting = call("GET", NOTHING, { key });
    await untilOpen(app, 1);
    assert.equal((await call("PATCH", `/keys/${id}`, { body: { access: "browse" } })).status, 200);
    const { status, text } = await waiting;
    assert.deepEqual([status, text], [200, "[]"]);
  });

  await t.test("with 410 and the start of the feed when the store gets another epoch", async () => {
    const waiting = call("GET", NOTHING);
    await untilOpen(app, 1);
    const db = await openDatabase(readConfig(app.engines), false, { deadlineMs: PATIENT_DATABASE_MS });
    await db.transaction((tx) => tx.run(`UPDATE store SET epoch = '${"f".repeat(16)}'`));
    await db.close();
    await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
    const answer = await waiting;
    assertError(answer, "feed_reset");
    assert.equal(answer.headers.link, `<${app.url}/v1/events>; rel="first"`);
    await untilOpen(app, 0);
  });
});
