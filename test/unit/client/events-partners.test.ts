// Following through bad partners: proxies that hold the stream back, servers that freeze, trickle or send too much.

import assert from "node:assert/strict";
import { pipeline, Readable } from "node:stream";
import { test } from "node:test";
import { column } from "../../harness/clients/pages.ts";
import {
  cursor,
  eventOf,
  finish,
  message,
  page,
  refuse,
  startFeed,
  startFollower,
  stay,
  take,
} from "./feed-server.ts";
import { clientOf } from "./scene.ts";

const SHORT_MS = 400;
const TESTS_END = { timeout: 20_000 };
const never = () => {};

/** Bytes without a line end, until the connection is closed. */
const trickle = (response: Parameters<ReturnType<typeof stay>>[0]) => {
  const timer = setInterval(() => response.write("x"), SHORT_MS / 10);
  response.on("close", () => clearInterval(timer));
};

const withoutStream: Record<string, ReturnType<typeof stay>> = {
  "answers 404": refuse(404, "route_not_found"),
  "answers 405": refuse(405, "method_not_allowed"),
  "answers 406 with the page of a proxy": (response) => response.writeHead(406).end("<html>"),
  "answers with another content type": (response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
  "never answers": never,
  "sends the headers and nothing else": stay(),
  "sends bytes but never a whole line": (response) => {
    stay()(response);
    trickle(response);
  },
};

for (const [what, play] of Object.entries(withoutStream))
  test(`polls where the stream ${what}`, TESTS_END, async (t) => {
    const { requests, client, waits } = await startFollower(
      t,
      play,
      page([1, 2], cursor(2)),
      page([], cursor(90)),
      page([2, 91], cursor(91)),
      never,
    );
    const feed = client.events({ after: "now", types: ["pet.*"], petId: 3, timeoutMs: SHORT_MS });
    assert.deepEqual(await take(feed, 3), [1, 2, 91], "91 is not repeated, and neither is 2");
    assert.deepEqual(column(requests, "path"), [
      "/v1/events/stream",
      "/v1/events",
      "/v1/events",
      "/v1/events",
    ]);
    const filter = { limit: "100", type: "pet.*", petId: "3" };
    assert.deepEqual(requests[1]?.query, { after: "now", ...filter });
    assert.deepEqual(requests[2]?.query, { after: cursor(2), ...filter, wait: "25" });
    assert.deepEqual(requests[3]?.query, { after: cursor(90), ...filter, wait: "25" });
    assert.deepEqual(waits, []);
    await requests[0]?.closed;
  });

test("a poll may take as long as it waits and timeoutMs more", TESTS_END, async (t) => {
  const { client, waits } = await startFollower(
    t,
    refuse(404, "route_not_found"),
    page([], cursor(1)),
    (response) => setTimeout(() => page([2], cursor(2))(response), 5 * SHORT_MS),
  );
  assert.deepEqual(await take(client.events({ timeoutMs: SHORT_MS }), 1), [2]);
  assert.deepEqual(waits, []);
});

for (const [what, laterMs] of Object.entries({
  "a while of polling": 20 * 60_000,
  "its clock was set back while it polls": -1,
}))
  test(`goes back to the stream after ${what}`, TESTS_END, async (t) => {
    let nowMs = 0;
    const { url, requests } = await startFeed(
      t,
      refuse(404, "route_not_found"),
      page([1], cursor(1)),
      (response) => {
        nowMs = laterMs;
        page([2], cursor(2))(response);
      },
      stay(message(3)),
    );
    const { client } = clientOf(url, { runtime: { nowMs: () => nowMs } });
    assert.deepEqual(await take(client.events(), 3), [1, 2, 3]);
    assert.equal(requests[3]?.path, "/v1/events/stream");
    assert.equal(requests[3]?.query.after, cursor(2));
  });

test("does not ask again and again where the service answers empty pages at once", TESTS_END, async (t) => {
  const empty = page([], cursor(1));
  const { url } = await startFeed(
    t,
    refuse(404, "route_not_found"),
    empty,
    empty,
    empty,
    empty,
    page([2], cursor(2)),
  );
  const { client, waits } = clientOf(url, {});
  assert.deepEqual(await take(client.events(), 1), [2]);
  assert.deepEqual(waits, [3000, 6000, 12_000]);
});

test("a poll retries 503, and throws 410 and 401", TESTS_END, async (t) => {
  const away = refuse(503, "unavailable");
  const first = [refuse(404, "route_not_found"), away, away, page([1], cursor(1))];
  for (const [status, code, name] of [
    [410, "feed_reset", "FeedResetError"],
    [401, "invalid_api_key", "AuthenticationError"],
  ] as const) {
    const { client } = await startFollower(t, ...first, refuse(status, code));
    await assert.rejects(take(client.events(), 2), { name, code, operation: "listEvents" });
  }
});

test("throws where neither the stream nor the pages come from the service", TESTS_END, async (t) => {
  const html: ReturnType<typeof stay> = (response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  const missing = refuse(404, "route_not_found");
  for (const [name, ...plays] of [
    ["UnexpectedAnswerError", html],
    ["NotFoundError", missing],
    ["UnexpectedAnswerError", missing, page([], undefined)],
  ] as const) {
    const { client } = await startFollower(t, ...plays);
    await assert.rejects(take(client.events(), 1), { name });
  }
});

const lost: Record<string, ReturnType<typeof stay>> = {
  "that freezes": stay(message(1)),
  "that sends a byte now and then": (response) => {
    stay(message(1))(response);
    trickle(response);
  },
};

for (const [what, play] of Object.entries(lost))
  test(`opens a stream again ${what}, and closes the old one`, TESTS_END, async (t) => {
    const { requests, client } = await startFollower(t, play, stay(message(1), message(2)));
    assert.deepEqual(await take(client.events({ idleTimeoutMs: SHORT_MS }), 2), [1, 2]);
    assert.equal(requests[1]?.query.after, cursor(1));
    await requests[0]?.closed;
  });

test("a caller that is slow does not make the stream silent", TESTS_END, async (t) => {
  const { requests, client } = await startFollower(t, stay(message(1), message(2)));
  for await (const { number } of client.events({ idleTimeoutMs: SHORT_MS })) {
    if (number === 2) break;
    await new Promise((resolve) => setTimeout(resolve, 3 * SHORT_MS));
  }
  assert.equal(requests.length, 1);
});

test("comments keep a stream without events alive", TESTS_END, async (t) => {
  const { requests, client } = await startFollower(t, (response) => {
    stay(": hi\n\n")(response);
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      response.write(sent < 10 ? ": hi\n" : message(1));
    }, SHORT_MS / 2);
    response.on("close", () => clearInterval(timer));
  });
  assert.deepEqual(await take(client.events({ idleTimeoutMs: 3 * SHORT_MS }), 1), [1]);
  assert.equal(requests.length, 1);
});

test("a redirect is not followed: its target would get the key", TESTS_END, async (t) => {
  const other = await startFeed(t, stay(message(1)));
  const { requests, client } = await startFollower(t, (response) =>
    response.writeHead(307, { location: `${other.url}/v1/events/stream` }).end(),
  );
  await assert.rejects(take(client.events(), 1), { name: "UnexpectedAnswerError" });
  assert.deepEqual([requests.length, other.requests.length], [1, 0]);
});

test("refuses a line without end, long before it has read 1 GB", TESTS_END, async (t) => {
  let sent = 0;
  const piece = Buffer.alloc(65_536, "x");
  function* endless() {
    for (;;) {
      sent += piece.length;
      yield piece;
    }
  }
  const { requests, client } = await startFollower(t, (response) => {
    stay("data: ")(response);
    pipeline(Readable.from(endless()), response, () => {});
  });
  await assert.rejects(take(client.events(), 1), { name: "UnexpectedAnswerError" });
  await requests[0]?.closed;
  assert.ok(sent < 64 * 1_048_576, `${sent} bytes`);
});

const wrong: Record<string, string> = {
  "text that is not JSON": "data: {\n\n",
  "JSON that is no event": "data: [1]\n\n",
  "an event whose id has another number": `data: ${JSON.stringify({ ...eventOf(1), number: 2 })}\n\n`,
  "an event without an epoch": `data: ${JSON.stringify({ ...eventOf(1), id: "evt_1" })}\n\n`,
  "an id that is no position": "id: 17\n\n",
};

for (const [what, text] of Object.entries(wrong))
  test(`throws UnexpectedAnswerError for ${what}`, TESTS_END, async (t) => {
    const { requests, client } = await startFollower(t, finish(": hi\n\n", text));
    await assert.rejects(take(client.events(), 1), { name: "UnexpectedAnswerError" });
    assert.equal(requests.length, 1);
  });
