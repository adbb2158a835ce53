// streamEvents: server-sent events on real sockets; starts, resumes, ends, and is limited.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type EventStreamClient, openEventStream, untilStreams } from "../harness/clients/event-stream.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";
import { range } from "../harness/servers/event-history.ts";
import { assertError } from "./assertions.ts";

/** An event or an end that does not come would otherwise hold up the file. */
const TESTS_END = { timeout: 120_000 };

/** Streams of this app, closed with the test. */
function streamsOf(t: TestContext, { url }: AppHarness) {
  return async (query = "", options: { key?: string; headers?: Record<string, string> } = {}) => {
    const stream = await openEventStream(`${url}/v1/events/stream${query}`, { key: ADMIN_KEY, ...options });
    t.after(stream.close);
    return stream;
  };
}

const addPets = ({ addPet }: AppHarness, count: number) =>
  Promise.all(Array.from({ length: count }, () => addPet()));

test("GET /events/stream sends events", TESTS_END, async (t) => {
  const timeouts = { headersMs: 10_000, requestMs: 15_000, checkEveryMs: 2_000, heartbeatMs: 200 };
  const app = await startApp(t, { timeouts });
  const { call } = app;
  await addPets(app, 3);
  const page = await call("GET", "/events?limit=100");
  const [epoch] = /[0-9a-f]{16}/.exec(page.headers.link ?? "") ?? [];

  await t.test("a stream starts with retry and a position, then sends the bytes of listEvents", async (t) => {
    const stream = await streamsOf(t, app)();
    const { status, headers } = stream;
    assert.deepEqual([status, headers["content-type"]], [200, "text/event-stream"]);
    assert.equal(headers["cache-control"], "no-cache, no-transform");
    assert.equal(headers["x-accel-buffering"], "no");
    for (const name of ["x-request-id", "x-ratelimit-remaining", "ratelimit", "x-content-type-options"])
      assert.ok(name in headers, name);
    assert.deepEqual(await stream.next(), { retry: "3000", id: `${epoch}-0` });
    const frames = [await stream.next(), await stream.next(), await stream.next()];
    assert.equal(`[${frames.map(({ data }) => data).join(",")}]`, page.text);
    const heads = frames.map(({ id, event }) => `${id} ${event}`);
    assert.deepEqual(
      heads,
      [1, 2, 3].map((number) => `${epoch}-${number} pet.created`),
    );
  });

  await t.test("a stream sends later events as they happen, without a gap", async (t) => {
    const stream = await streamsOf(t, app)("?after=now");
    assert.deepEqual(await stream.next(), { retry: "3000", id: `${epoch}-3` });
    await addPets(app, 1);
    assert.deepEqual(await stream.numbers(1), [4]);
    await addPets(app, 20);
    assert.deepEqual(await stream.numbers(20), range(5, 24));
  });

  await t.test("a stream continues after Last-Event-ID, whatever `after` says", async (t) => {
    const open = streamsOf(t, app);
    const first = await open("?after=now");
    await first.next();
    await addPets(app, 2);
    await first.numbers(2);
    first.close();
    await addPets(app, 3);
    const second = await open("?after=now", { headers: { "last-event-id": first.lastId() } });
    assert.deepEqual(await second.numbers(3), range(27, 29));
  });

  await t.test("a stream reads a long history in pages while it grows, each event once", async (t) => {
    await addPets(app, 330);
    const stream = await streamsOf(t, app)();
    const [numbers] = await Promise.all([stream.numbers(29 + 330 + 60), addPets(app, 60)]);
    assert.deepEqual(numbers, range(1, 29 + 330 + 60));
  });

  await t.test("a stream sends only the wanted events that the key may see", async (t) => {
    const open = streamsOf(t, app);
    const { key } = await app.createKey({ access: "adopt" });
    const own = await open("?after=now&type=order.*", { key });
    const orders = await open("?after=now&type=order.*");
    const one = await open("?after=now&petId=2");
    await call("POST", "/store/orders", { body: { petId: 1 } });
    await call("POST", "/store/orders", { key, body: { petId: 2 } });
    const nextOrder = async (stream: EventStreamClient) =>
      JSON.parse((await stream.next(true)).data ?? "").data.order.id;
    assert.equal(await nextOrder(own), 2);
    assert.deepEqual([await nextOrder(orders), await nextOrder(orders)], [1, 2]);
    const types = [(await one.next(true)).event, (await one.next(true)).event];
    assert.deepEqual(types, ["pet.updated", "order.created"]);
  });

  await t.test("a stream sends comments while nothing happens, and positions that moved", async (t) => {
    const stream = await streamsOf(t, app)("?after=now&type=category.deleted");
    const { id } = await stream.next();
    assert.deepEqual(await stream.next(), {});
    await addPets(app, 1);
    let frame = await stream.next();
    while (frame.id === undefined) frame = await stream.next();
    assert.equal(frame.id, `${epoch}-${Number(id?.split("-")[1]) + 1}`);
    assert.equal(frame.data, undefined);
  });
});

test("GET /events/stream is a request like any other", TESTS_END, async (t) => {
  const app = await startApp(t);
  const { call, url, logged } = app;
  const open = streamsOf(t, app);

  await t.test("a stream is charged once and logged once, when it starts", async () => {
    const { key } = await app.createKey();
    const remaining = async () => (await call("GET", "/usage", { key })).json.minute.remaining;
    const before = await remaining();
    const stream = await open("?after=now", { key, headers: { "x-request-id": "the-stream" } });
    await stream.next();
    await addPets(app, 1);
    await stream.numbers(1);
    assert.equal(await remaining(), before - 1);
    const lines = () => logged.join("").match(/.*the-stream.*/g) ?? [];
    assert.equal(lines().length, 1);
    assert.match(lines()[0] ?? "", /"operation":"streamEvents".*"status":200/);
    stream.close();
    await stream.ended;
    await call("GET", "/usage", { key });
    assert.equal(lines().length, 1);
  });

  await t.test("answers HEAD with the same headers and without a stream", async () => {
    const { status, headers, text } = await call("HEAD", "/events/stream?after=now");
    assert.deepEqual([status, headers["content-type"], text], [200, "text/event-stream", ""]);
  });

  await t.test("rejects what listEvents rejects", async () => {
    assertError(await call("GET", "/events/stream?type=pet"), "invalid_parameter");
    assertError(await call("GET", "/events/stream?after=x"), "invalid_cursor");
    assertError(await call("GET", "/events/stream", { headers: { "last-event-id": "x" } }), "invalid_cursor");
    const reset = await call("GET", `/events/stream?after=${"0".repeat(16)}-1`);
    assertError(reset, "feed_reset");
    assert.equal(reset.headers.link, `<${url}/v1/events>; rel="first"`);
  });

  await t.test("refuses a sixth stream of a key until one is closed", async () => {
    await untilStreams(app, 0);
    const { key } = await app.createKey();
    const five = await Promise.all(range(1, 5).map(() => open("?after=now", { key })));
    for (const { status } of five) assert.equal(status, 200);
    const refused = await call("GET", "/events/stream?after=now", { key });
    assertError(refused, "too_many_streams");
    assert.match(refused.headers["retry-after"] ?? "", /^\d+$/);
    assert.equal((await open("?after=now")).status, 200, "another key is not concerned");
    await untilStreams(app, 6);
    five[0]?.close();
    await untilStreams(app, 5);
    assert.equal((await open("?after=now", { key })).status, 200);
  });
});

test("A stream ends with its key, its access and the service", TESTS_END, async (t) => {
  const app = await startApp(t, { environment: { DRAIN_SECONDS: "2" } });
  const { call } = app;
  const open = streamsOf(t, app);
  const admin = await open("?after=now");

  await t.test("a stream ends when its key is revoked, and others go on", async () => {
    const { id, key } = await app.createKey({ access: "browse" });
    const stream = await open("?after=now", { key });
    assert.equal((await call("DELETE", `/keys/${id}`)).status, 204);
    await stream.ended;
    await addPets(app, 1);
    assert.deepEqual(await admin.numbers(1), [1]);
  });

  await t.test("a stream ends when its key gets another access", async () => {
    const { id, key } = await app.createKey({ access: "manage" });
    const stream = await open("?after=now", { key });
    assert.equal((await call("PATCH", `/keys/${id}`, { body: { access: "browse" } })).status, 200);
    await stream.ended;
  });

  await t.test("a stream ends first when the service stops, which then still answers", async () => {
    const stream = await open("?after=now");
    await stream.next();
    const stopped = app.stop();
    await stream.ended;
    assert.equal((await call("GET", "/pets")).status, 200);
    // A client that connects now is sent a time to wait and nothing else.
    const late = await open("?after=now");
    assert.equal((await late.next()).retry, "3000");
    await late.ended;
    await stopped;
  });
});
