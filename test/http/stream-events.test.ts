// streamEvents: server-sent events on real sockets; starts, resumes, ends, and is limited.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type EventStreamClient, openEventStream } from "../harness/clients/event-stream.ts";
import { column } from "../harness/clients/pages.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

const REX = { name: "Rex", categoryId: 1 };
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

async function addPets({ call }: Pick<AppHarness, "call">, count: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => call("POST", "/pets", { body: REX })),
  );
  for (const { status, text } of answers) assert.equal(status, 201, text);
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("GET /events/stream", TESTS_END, async (t) => {
  const app = await startApp(t, {
    timeouts: { headersMs: 10_000, requestMs: 15_000, checkEveryMs: 2_000, heartbeatMs: 200 },
  });
  const { call, url, logged } = app;
  const open = streamsOf(t, app);
  await addPets(app, 3);
  const page = await call("GET", "/events?limit=100");
  const [epoch] = /[0-9a-f]{16}/.exec(page.headers.link ?? "") ?? [];

  await t.test(
    "starts with retry and a position, then has the events of listEvents in the same bytes",
    async () => {
      const stream = await open();
      assert.equal(stream.status, 200);
      assert.equal(stream.headers["content-type"], "text/event-stream");
      assert.equal(stream.headers["cache-control"], "no-cache, no-transform");
      assert.equal(stream.headers["x-accel-buffering"], "no");
      for (const name of ["x-request-id", "x-ratelimit-remaining", "ratelimit", "x-content-type-options"])
        assert.ok(name in stream.headers, name);
      assert.deepEqual(await stream.next(), { retry: "3000", id: `${epoch}-0` });
      const frames = [await stream.next(), await stream.next(), await stream.next()];
      assert.equal(`[${frames.map(({ data }) => data).join(",")}]`, page.text);
      assert.deepEqual(
        frames.map(({ id, event }) => [id, event]),
        [1, 2, 3].map((number) => [`${epoch}-${number}`, "pet.created"]),
      );
      stream.close();
    },
  );

  await t.test("has later events as they happen, also several together, without a gap", async () => {
    const stream = await open("?after=now");
    assert.deepEqual(await stream.next(), { retry: "3000", id: `${epoch}-3` });
    await addPets(app, 1);
    assert.deepEqual(await stream.numbers(1), [4]);
    await addPets(app, 20);
    assert.deepEqual(await stream.numbers(20), range(5, 24));
    stream.close();
  });

  await t.test("continues behind Last-Event-ID, whatever `after` says", async () => {
    const first = await open("?after=now");
    await first.next();
    await addPets(app, 2);
    await first.numbers(2);
    first.close();
    await addPets(app, 3);
    const second = await open("?after=now", { headers: { "last-event-id": first.lastId() } });
    assert.deepEqual(await second.numbers(3), range(27, 29));
    second.close();
  });

  await t.test("reads a long history in pages while it grows, each event once", async () => {
    await addPets(app, 330);
    const stream = await open();
    const [numbers] = await Promise.all([stream.numbers(29 + 330 + 60), addPets(app, 60)]);
    assert.deepEqual(numbers, range(1, 29 + 330 + 60));
    stream.close();
  });

  await t.test("has only the wanted events that the key may see", async () => {
    const { key } = await app.createKey({ access: "adopt" });
    const [own, orders, one] = [
      await open("?after=now&type=order.*", { key }),
      await open("?after=now&type=order.*"),
      await open("?after=now&petId=2"),
    ];
    await call("POST", "/store/orders", { body: { petId: 1 } });
    await call("POST", "/store/orders", { key, body: { petId: 2 } });
    const nextOrder = async (stream: EventStreamClient) =>
      JSON.parse((await stream.next(true)).data ?? "").data.order.id;
    assert.equal(await nextOrder(own), 2);
    assert.deepEqual([await nextOrder(orders), await nextOrder(orders)], [1, 2]);
    assert.deepEqual(
      [(await one.next(true)).event, (await one.next(true)).event],
      ["pet.updated", "order.created"],
    );
    for (const stream of [own, orders, one]) stream.close();
  });

  await t.test("has comments while nothing happens, with the position once it has moved", async () => {
    const stream = await open("?after=now&type=category.deleted");
    const { id } = await stream.next();
    assert.deepEqual(await stream.next(), {});
    await addPets(app, 1);
    let frame = await stream.next();
    while (frame.id === undefined) frame = await stream.next();
    assert.equal(frame.id, `${epoch}-${Number(id?.split("-")[1]) + 1}`);
    assert.equal(frame.data, undefined);
    stream.close();
  });

  await t.test("is charged once and logged once, when it starts", async () => {
    const { key } = await app.createKey();
    const remaining = async () => (await call("GET", "/usage", { key })).json.minute.remaining;
    const before = await remaining();
    const stream = await open("?after=now", { key, headers: { "x-request-id": "the-stream" } });
    await stream.next();
    await addPets(app, 1);
    await stream.numbers(1);
    assert.equal(await remaining(), before - 1);
    const linesOf = () =>
      logged
        .join("")
        .split("\n")
        .filter((line) => line.includes("the-stream"));
    assert.equal(linesOf().length, 1);
    assert.match(linesOf()[0] ?? "", /"operation":"streamEvents".*"status":200/);
    stream.close();
    await stream.ended;
    await call("GET", "/usage", { key });
    assert.equal(linesOf().length, 1);
  });

  await t.test("answers HEAD with the same headers and without a stream", async () => {
    const answer = await call("HEAD", "/events/stream?after=now");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "text/event-stream");
    assert.equal(answer.text, "");
  });

  await t.test("rejects what listEvents rejects", async () => {
    assertError(await call("GET", "/events/stream?type=pet"), "invalid_parameter");
    assertError(await call("GET", "/events/stream?after=x"), "invalid_cursor");
    assertError(await call("GET", "/events/stream", { headers: { "last-event-id": "x" } }), "invalid_cursor");
    assertError(await call("GET", "/events/stream", { key: undefined }), "missing_api_key");
    const reset = await call("GET", `/events/stream?after=${"0".repeat(16)}-1`);
    assertError(reset, "feed_reset");
    assert.equal(reset.headers.link, `<${url}/v1/events>; rel="first"`);
  });

  await t.test("refuses a sixth stream of a key until one is closed", async () => {
    const { key } = await app.createKey();
    const five = await Promise.all(range(1, 5).map(() => open("?after=now", { key })));
    assert.deepEqual(column(five, "status"), [200, 200, 200, 200, 200]);
    const refused = await call("GET", "/events/stream?after=now", { key });
    assertError(refused, "too_many_streams");
    assert.match(refused.headers["retry-after"] ?? "", /^\d+$/);
    assert.equal((await open("?after=now")).status, 200, "another key is not concerned");
    assert.equal(await countStreams(url), 6);
    five[0]?.close();
    while ((await countStreams(url)) > 5);
    assert.equal((await open("?after=now", { key })).status, 200);
  });
});

/** As the metrics report it. */
async function countStreams(url: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  return Number(/^animal_store_event_streams (\d+)$/m.exec(await answer.text())?.[1]);
}

test("A stream ends", TESTS_END, async (t) => {
  const app = await startApp(t, { environment: { DRAIN_SECONDS: "2" } });
  const { call, clock } = app;
  const open = streamsOf(t, app);
  const admin = await open("?after=now");

  await t.test("when its key is revoked, and others go on", async () => {
    const { id, key } = await app.createKey({ access: "browse" });
    const stream = await open("?after=now", { key });
    assert.equal((await call("DELETE", `/keys/${id}`)).status, 204);
    await stream.ended;
    await addPets(app, 1);
    assert.deepEqual(await admin.numbers(1), [1]);
  });

  await t.test("when its key gets another access", async () => {
    const { id, key } = await app.createKey({ access: "manage" });
    const stream = await open("?after=now", { key });
    assert.equal((await call("PATCH", `/keys/${id}`, { body: { access: "browse" } })).status, 200);
    await stream.ended;
  });

  await t.test("after 13 to 17 minutes, not before", async () => {
    const { key } = await app.createKey();
    const ended = (stream: EventStreamClient) => {
      const state = { isEnded: false };
      void stream.ended.then(() => {
        state.isEnded = true;
      });
      return state;
    };
    const old = await open("?after=now", { key });
    clock.advance(12.9 * 60_000);
    const fresh = await open("?after=now", { key });
    const freshState = ended(fresh);
    // Streams are checked together: when the next one ends, the others were checked too.
    const { id, key: revoked } = await app.createKey();
    const oldState = ended(old);
    const witness = await open("?after=now", { key: revoked });
    await call("DELETE", `/keys/${id}`);
    await witness.ended;
    assert.equal(oldState.isEnded, false);
    clock.advance(4.1 * 60_000);
    await old.ended;
    assert.equal(freshState.isEnded, false);
  });

  await t.test("first when the service stops, which then still answers", async () => {
    const stream = await open("?after=now");
    await stream.next();
    const stopped = app.stop();
    await stream.ended;
    assert.equal((await call("GET", "/pets")).status, 200);
    // A client that connects now is told to come again.
    const late = await open("?after=now");
    assert.equal((await late.next()).retry, "3000");
    await late.ended;
    await stopped;
  });
});
