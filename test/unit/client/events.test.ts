// Following the stream: order, positions, resuming, errors, and how the loop ends.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { FeedResetError } from "../../../client/src/client.ts";
import { reconnectWaitMs } from "../../../client/src/events/reconnect.ts";
import {
  cursor,
  cut,
  EPOCH,
  eventOf,
  type FeedRequest,
  finish,
  message,
  page,
  refuse,
  reset,
  startFeed,
  startFollower,
  stay,
  take,
} from "./feed-server.ts";
import { clientOf } from "./scene.ts";

test("yields the events in order, and sends the key and the filter", async (t) => {
  const { requests, client } = await startFollower(
    t,
    stay("retry: 3000\nid: 5f0c2b1d-0\n\n", message(1), message(2)),
  );
  const feed = client.events({
    after: cursor(0),
    types: ["pet.*", "order.created"],
    petId: 7n,
  });
  assert.equal(requests.length, 0, "nothing is sent before the loop starts");
  const events = [];
  for await (const event of feed) {
    events.push(event);
    if (events.length === 2) break;
  }
  assert.deepEqual(events, [eventOf(1), eventOf(2)]);
  assert.equal(requests[0]?.path, "/v1/events/stream");
  assert.deepEqual(requests[0]?.query, { after: cursor(0), type: "pet.*,order.created", petId: "7" });
  assert.equal(requests[0]?.headers.authorization, "Bearer ask_live_test");
  assert.equal(requests[0]?.headers.accept, "text/event-stream");
});

test("keeps numbers and identifiers beyond 2^53 exact", async (t) => {
  const big = 9007199254740993n;
  const { requests, client } = await startFollower(
    t,
    finish(message(big)),
    stay(message(big), message(big + 1n)),
  );
  const feed = client.events();
  const seen: unknown[] = [];
  for await (const event of feed) {
    seen.push(event.number, event.type === "pet.created" && event.data.pet.id, feed.cursor);
    if (seen.length === 6) break;
  }
  assert.deepEqual(seen, [big, big, cursor(big), big + 1n, big + 1n, cursor(big + 1n)]);
  assert.equal(requests[1]?.query.after, cursor(big));
});

const ends: Record<string, (response: ServerResponse) => void> = {
  "is ended by the service": (response) => response.end(),
  "is cut": (response) => response.destroy(),
};

for (const [how, end] of Object.entries(ends))
  test(`continues after the last event when the stream ${how}, without repeating any`, async (t) => {
    const { requests, client, waits, afters } = await startFollower(
      t,
      stay(message(1), message(2)),
      stay(message(1), message(2), message(3), message(2), message(4)),
    );
    const numbers: unknown[] = [];
    for await (const { number } of client.events({ after: "now" })) {
      numbers.push(number);
      if (number === 2) end((requests[0] as FeedRequest).response);
      if (number === 4) break;
    }
    assert.deepEqual(numbers, [1, 2, 3, 4]);
    assert.deepEqual(afters(), ["now", cursor(2)]);
    assert.deepEqual(waits, [3000], "the default, as the service has sent no retry");
  });

test("continues after a connection that was reset", async (t) => {
  const { client } = await startFollower(t, reset(message(1)), reset(), stay(message(1), message(2)));
  assert.deepEqual(await take(client.events(), 2), [1, 2]);
});

test("a cut anywhere in the stream loses and repeats nothing", async (t) => {
  const whole = [1, 2, 3, 4].map((number) => message(number)).join("");
  const cuts = fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      // A service that ignores the position: the client has to leave out what it has seen.
      const plays = places.map((place) => cut(": hi\n\n", whole.slice(0, place)));
      const { client } = await startFollower(t, ...plays, stay(": hi\n\n", whole));
      assert.deepEqual(await take(client.events(), 4), [1, 2, 3, 4]);
    }),
    { numRuns: 15 },
  );
});

test("waits at least as long as retry says, twice as long with each stream that brings nothing", async (t) => {
  const empty = finish("retry: 500\n\n");
  const { client, waits } = await startFollower(
    t,
    empty,
    empty,
    empty,
    finish("retry: 500\n\n", message(1)),
    stay(message(2)),
  );
  assert.deepEqual(await take(client.events(), 2), [1, 2]);
  assert.deepEqual(waits, [500, 1000, 2000, 500]);
});

test("a poll that the service has let wait is no failure, also without events", async (t) => {
  let nowMs = 0;
  const waited = (response: ServerResponse) => {
    nowMs += 25_000;
    page([], cursor(1))(response);
  };
  const { url, requests } = await startFeed(
    t,
    refuse(404, "route_not_found"),
    page([1], cursor(1)),
    waited,
    waited,
    waited,
    page([2], cursor(2)),
  );
  const waits: number[] = [];
  const runtime = { nowMs: () => nowMs, random: () => 0, sleep: async (ms: number) => void waits.push(ms) };
  const { client } = clientOf(url, { runtime });
  assert.deepEqual(await take(client.events({ retries: 1 }), 2), [1, 2]);
  assert.deepEqual([waits, requests.length], [[], 6]);
});

test("a silent stream is left, also where fetch ignores its signal", { timeout: 10_000 }, async () => {
  let left = 0;
  const silent = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(": hi\n\n")),
      cancel() {
        left += 1;
      },
    });
  const headers = { "content-type": "text/event-stream" };
  const { client } = clientOf("http://service", {
    fetch: async () => new Response(silent(), { headers }),
    // No time passes, so that both streams count as failures.
    runtime: { nowMs: () => 0, sleep: async () => {} },
  });
  const loop = take(client.events({ idleTimeoutMs: 20, retries: 1 }), 1);
  await assert.rejects(loop, { name: "ConnectionError" });
  assert.equal(left, 2);
});

test("a stream that has lasted is no failure, also without events", async (t) => {
  let nowMs = 0;
  let stepMs = 0;
  const empty = (lastsMs: number) => (response: ServerResponse) => {
    stepMs = lastsMs;
    finish("retry: 500\n\n")(response);
  };
  const { url } = await startFeed(t, empty(0), empty(0), empty(45_000), empty(0), stay(message(1)));
  const waits: number[] = [];
  const { client } = clientOf(url, {
    runtime: {
      nowMs() {
        nowMs += stepMs;
        return nowMs;
      },
      random: () => 0,
      sleep: async (ms) => void waits.push(ms),
    },
  });
  assert.deepEqual(await take(client.events(), 1), [1]);
  assert.deepEqual(waits, [500, 1000, 500, 500]);
});

test("a wait is doubled up to a minute, and longer by a random part of at most half", () => {
  const waitMs = (failures: number, random = 0, retryMs: number | undefined = undefined) =>
    reconnectWaitMs({ retryMs, failures, random });
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 2_000].map((failures) => waitMs(failures)),
    [3_000, 3_000, 6_000, 12_000, 24_000, 48_000, 60_000, 60_000, 60_000],
  );
  assert.deepEqual([waitMs(1, 0.5), waitMs(9, 0.5), waitMs(1, 0.5, 0)], [3_750, 75_000, 2]);
});

test("an id alone moves the position; in the loop body it is that of the event", async (t) => {
  const { requests, client } = await startFollower(
    t,
    finish(`${message(1)}id: ${cursor(500)}\n\n`),
    stay(message(501)),
  );
  const feed = client.events({ after: cursor(0) });
  assert.equal(feed.cursor, cursor(0));
  const inBody = [];
  for await (const _event of feed) {
    inBody.push(feed.cursor);
    if (inBody.length === 2) break;
  }
  assert.deepEqual(inBody, [cursor(1), cursor(501)]);
  assert.equal(requests[1]?.query.after, cursor(500));
});

test("a follower that restarts with the saved position continues there, and so does a second loop", async (t) => {
  const { afters, client } = await startFollower(t, stay(message(1), message(2), message(3)));
  const feed = client.events();
  assert.deepEqual(await take(feed, 1), [1]);
  assert.deepEqual(await take(client.events({ after: feed.cursor }), 1), [2]);
  assert.deepEqual(await take(feed, 2), [2, 3]);
  assert.deepEqual(afters(), [undefined, cursor(1), cursor(1)]);
});

test("latestCursor gives the position behind the newest event", async (t) => {
  const { requests, client } = await startFollower(t, page([], cursor(41)), page([], undefined));
  assert.equal(await client.latestCursor(), cursor(41));
  assert.deepEqual(requests[0]?.query, { after: "now", limit: "1" });
  await assert.rejects(client.latestCursor(), { name: "UnexpectedAnswerError" });
});

test("410 feed_reset is a FeedResetError, and so is an event of another epoch", async (t) => {
  const { client } = await startFollower(
    t,
    refuse(410, "feed_reset"),
    finish(message(8)),
    stay(message(9, "other")),
  );
  await assert.rejects(take(client.events({ after: cursor(7) }), 1), (error) => {
    assert.ok(error instanceof FeedResetError);
    assert.deepEqual([error.code, error.status, error.operation], ["feed_reset", 410, "streamEvents"]);
    return true;
  });
  await assert.rejects(take(client.events({ after: cursor(7) }), 2), FeedResetError);
});

test("410 operation_removed is no FeedResetError", async (t) => {
  const { client } = await startFollower(t, refuse(410, "operation_removed"));
  await assert.rejects(take(client.events(), 1), { name: "OperationRemovedError" });
});

test("waits and tries again after too_many_streams and 503, as Retry-After says", async (t) => {
  const { client, waits } = await startFollower(
    t,
    refuse(429, "too_many_streams", { "retry-after": "5" }),
    ...Array.from({ length: 10 }, () => refuse(503, "unavailable")),
    stay(message(1)),
  );
  assert.deepEqual(await take(client.events(), 1), [1]);
  assert.deepEqual(waits, [5125, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

for (const [status, code, name] of [
  [400, "invalid_parameter", "InvalidRequestError"],
  [401, "invalid_api_key", "AuthenticationError"],
  [403, "insufficient_access", "AccessError"],
  [500, "internal_error", "ServerError"],
] as const)
  test(`throws ${name} at once on ${status}, also when the stream is opened again`, async (t) => {
    const { client, waits } = await startFollower(t, finish(message(1)), refuse(status, code));
    await assert.rejects(take(client.events(), 2), { name, code });
    assert.deepEqual(waits, [3000]);
  });

test("throws after as many failures in a row as retries says", { timeout: 10_000 }, async (t) => {
  const { requests, client } = await startFollower(t, finish(message(1)), finish(": hi\n\n"));
  await assert.rejects(take(client.events({ retries: 2 }), 2), { name: "ConnectionError" });
  assert.equal(requests.length, 4);
});

test("break closes the connection at once, and leaves the signal alone", { timeout: 10_000 }, async (t) => {
  const { requests, client } = await startFollower(t, stay(message(1)));
  const { signal } = new AbortController();
  assert.deepEqual(await take(client.events({ signal }), 1), [1]);
  await requests[0]?.closed;
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("the signal closes the connection at once, and the loop throws its reason", {
  timeout: 10_000,
}, async (t) => {
  const { requests, client } = await startFollower(t, stay(message(1)));
  const ending = new AbortController();
  const reason = new Error("enough");
  const loop = (async () => {
    for await (const _event of client.events({ signal: ending.signal }))
      void nextTick().then(() => ending.abort(reason));
  })();
  await assert.rejects(loop, reason);
  await requests[0]?.closed;
  assert.equal(getEventListeners(ending.signal, "abort").length, 0, "it leaves no listener");
  await assert.rejects(take(client.events({ signal: ending.signal }), 1), reason);
  assert.equal(requests.length, 1);
});

test("return() of the iterator ends a next() that waits", { timeout: 10_000 }, async (t) => {
  const { requests, client } = await startFollower(t, stay(message(1)));
  const events = client.events()[Symbol.asyncIterator]();
  await events.next();
  const waiting = events.next();
  await events.return?.();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  await requests[0]?.closed;
});

test("refuses a second loop at the same time, and options that cannot be sent", async (t) => {
  const { requests, client } = await startFollower(t, stay(message(1)));
  const feed = client.events();
  const first = feed[Symbol.asyncIterator]();
  await first.next();
  await assert.rejects(take(feed, 1), TypeError);
  await first.return?.();
  for (const options of [{ petId: 1.5 }, { retries: -1 }, { timeoutMs: 0 }, { idleTimeoutMs: 0 }])
    assert.throws(() => client.events(options), TypeError, JSON.stringify(options));
  assert.equal(requests.length, 1);
});

test("an error closes the connection at once", { timeout: 10_000 }, async (t) => {
  const { requests, client } = await startFollower(t, stay("data: {\n\n"));
  await assert.rejects(take(client.events(), 1), { name: "UnexpectedAnswerError" });
  await requests[0]?.closed;
});

test("UTF-8 that is cut between chunks stays whole, and a byte order mark is ignored", async (t) => {
  const bytes = Buffer.from(`\ufeff${message(1).replace("Rex 1", "Žofie 🐈")}`);
  const { client } = await startFollower(t, (response) => {
    stay()(response);
    response.socket?.setNoDelay(true);
    const send = (at: number): void => {
      if (at < bytes.length) response.write(bytes.subarray(at, at + 1), () => setImmediate(send, at + 1));
    };
    send(0);
  });
  for await (const event of client.events()) {
    assert.equal(event.type === "pet.created" && event.data.pet.name, "Žofie 🐈");
    assert.equal(event.id, `evt_${EPOCH}_1`);
    break;
  }
});
