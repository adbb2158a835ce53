// The benchmark of event streams: a lost, repeated or cut event makes a round invalid.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { startService } from "../../bench/contenders/service.ts";
import { createStores } from "../../bench/data/stores.ts";
import { openReaders } from "../../bench/load/readers.ts";
import { createStreamTally } from "../../bench/load/stream-tally.ts";
import { startWriter } from "../../bench/load/writer.ts";
import { changeAndRead } from "../../bench/measure/streams.ts";
import { openScope } from "../../bench/scope.ts";
import { COMMENT, formatMove, formatOpening } from "../../src/http/events/frames.ts";
import { call } from "../harness/call.ts";
import { listen } from "../harness/listen.ts";

const EPOCH = "0123456789abcdef";
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const OPENING = formatOpening(EPOCH, 7);
const CHANGES = 5;
const REPORT = { requestsPerSecond: 1, p50Us: 1, p99Us: 1, bytesPerResponse: 1 };

const eventText = (number: number) => `id: ${EPOCH}-${number}\nevent: pet.created\ndata: {"a":"b-1"}\n\n`;

test("A tally of a stream", async (t) => {
  const tallyOf = (text: string, chunkLength = text.length) => {
    const tally = createStreamTally();
    for (let at = 0; at < text.length; at += chunkLength) tally.add(text.slice(at, at + chunkLength));
    return [tally.start, tally.last, tally.fault];
  };

  await t.test("finds no fault in events without a gap, wherever the chunks end", () => {
    const text =
      HEAD + OPENING + eventText(8) + COMMENT + formatMove(EPOCH, 8) + eventText(9) + eventText(10);
    for (let length = 1; length <= text.length; length++)
      assert.deepEqual(tallyOf(text, length), [7, 10, undefined], `chunks of ${length}`);
  });

  const wrong: Record<string, { text: string; fault: RegExp }> = {
    "a lost event": { text: eventText(8) + eventText(10), fault: /^event 10 after event 8$/ },
    "a lost first event": { text: eventText(9), fault: /^event 9 after event 7$/ },
    "a repeated event": { text: eventText(8) + eventText(8), fault: /^event 8 after event 8$/ },
    "events in another order": { text: eventText(9) + eventText(8), fault: /^event 9 after event 7$/ },
    "a position behind events that were not sent": {
      text: eventText(8) + formatMove(EPOCH, 9),
      fault: /^event 9 after event 8$/,
    },
  };
  for (const [what, { text, fault }] of Object.entries(wrong))
    await t.test(`finds ${what}`, () => {
      assert.match(String(tallyOf(HEAD + OPENING + text + eventText(11))[2]), fault);
    });

  await t.test("finds a response that is not 200", () => {
    const refused = "HTTP/1.1 429 Too Many Requests\r\n\r\n{}";
    assert.match(String(tallyOf(refused)[2]), /^refused: HTTP\/1\.1 429/);
  });
});

/** What the second of two streams gets instead of the third event. */
type Fault = (stream: ServerResponse, number: number) => void;

/** A service whose animals are only events, with a fault in one stream. */
async function startFaulty(t: TestContext, fault: Fault) {
  const streams: ServerResponse[] = [];
  let created = 0;
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      // As the service does, without chunks.
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, { connection: "close" }).write(formatOpening(EPOCH, 0));
      streams.push(response);
      return;
    }
    created += 1;
    for (const [i, stream] of streams.entries())
      if (i === 1 && created === 3) fault(stream, created);
      else if (!stream.destroyed) stream.write(eventText(created));
    response.writeHead(201).end("{}");
    if (created === CHANGES) server.emit("changed");
  });
  const address = await listen(t, server);
  return {
    url: address,
    changed: once(server, "changed"),
  };
}

function makeScope(t: TestContext) {
  const scope = openScope();
  t.after(() => scope.close());
  return scope;
}

/** The fault of a round with two streams. */
async function runRound(t: TestContext, fault: Fault): Promise<string | undefined> {
  const { url, changed } = await startFaulty(t, fault);
  const server = { url, residentMegabytes: () => 1 };
  const accompany = changeAndRead(
    { scope: makeScope(t) },
    { server, key: "any" },
    { keys: ["any"], streams: 2 },
  );
  const sample = await accompany(() => changed.then(() => REPORT), 0.01);
  assert.deepEqual(sample.residentMegabytes, { settled: 1, end: 1 });
  return sample.fault;
}

test("A round with streams", async (t) => {
  await t.test("is valid if every stream has every event", async (t) => {
    assert.equal(await runRound(t, (stream, number) => stream.write(eventText(number))), undefined);
  });

  const faults: Record<string, { fault: Fault; message: RegExp }> = {
    "lost an event": { fault: () => {}, message: /^stream \d: event 4 after event 2$/ },
    "had an event twice": {
      fault: (stream, number) => stream.write(eventText(number) + eventText(number)),
      message: /^stream \d: event 3 after event 3$/,
    },
    "was cut": { fault: (stream) => stream.destroy(), message: /^stream \d: cut after event 2$/ },
  };
  for (const [what, { fault, message }] of Object.entries(faults))
    await t.test(`is invalid if a stream ${what}`, async (t) => {
      assert.match(String(await runRound(t, fault)), message);
    });
});

test("The streams of the service", async (t) => {
  const scope = makeScope(t);
  const site = { scope, cores: undefined };
  const { server, key } = await startService(site, await createStores(scope).get("embedded", 100));
  const { url } = server;

  await t.test("have one event for each create of the writer", async () => {
    const readers = await openReaders(scope, { url, keys: [key], readers: 4 });
    const writer = startWriter(url, key, 100);
    await call("GET", `${url}/v1/events?after=now&wait=10`, { key });
    const { created, fault } = await writer.stop();
    assert.equal(fault, undefined);
    assert.ok(created > 0);
    const last = readers.start + created;
    assert.equal(await readers.findFault(last), undefined);
    const early = `4 streams end with another event than ${last - 1}, one with ${last}`;
    assert.equal(await readers.findFault(last - 1), early);
    await readers.close();
  });

  await t.test("do not start beyond the limit of a key", async () => {
    const opening = openReaders(scope, { url, keys: [key], readers: 6 });
    await assert.rejects(opening, /^Error: stream \d: refused: HTTP\/1\.1 429/);
  });
});
