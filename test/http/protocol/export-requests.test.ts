// Requests of getExport, with a writer of the test's own: how many run at a time, and clients that are slow or leave.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { type TestContext, test } from "node:test";
import type { AggregatorFileRequest, AggregatorFileWriter } from "../../../src/domain/animals/aggregator.ts";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import { startApp } from "../../harness/servers/app.ts";
import { assertError } from "../assertions.ts";

interface Begun {
  request: AggregatorFileRequest;
  finish(error?: Error): void;
}

/** Every export runs until the test ends it. */
async function startScene(t: TestContext, exportMs = 600_000) {
  const begun: Begun[] = [];
  let onBegin = () => {};
  const writeAggregatorFile: AggregatorFileWriter = (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    begun.push({ request, finish: (error) => (error ? reject(error) : resolve()) });
    request.signal.addEventListener("abort", () => reject(request.signal.reason));
    onBegin();
    return promise;
  };
  const timeouts = { headersMs: 15_000, requestMs: 15_000, checkEveryMs: 2_000, exportMs };
  const app = await startApp(t, { writeAggregatorFile, timeouts, environment: { DRAIN_SECONDS: "0" } });
  t.after(() => {
    for (const { finish } of begun) finish();
  });
  const makeKey = async () => (await app.createKey({ plan: "business" })).key;
  return {
    ...app,
    begun,
    keys: [await makeKey(), await makeKey(), await makeKey()] as [string, string, string],
    ask: (key: string) => app.call("GET", "/exports/petfinder.csv", { key }),
    async untilBegun(count: number): Promise<Begun> {
      while (begun.length < count)
        await new Promise<void>((resolve) => {
          onBegin = resolve;
        });
      return begun[count - 1] as Begun;
    },
    open(key: string) {
      const headers = { authorization: `Bearer ${key}` };
      const request = http.get(`${app.url}/v1/exports/petfinder.csv`, { headers, agent: false });
      // A client that leaves gets an error of its own.
      request.on("error", () => {});
      const response = once(request, "response").then(([found]) => found as http.IncomingMessage);
      response.catch(() => {});
      return { request, response };
    },
  };
}

test("a key runs one export at a time and has one waiting; other keys do not wait for it", async (t) => {
  const { ask, begun, untilBegun, keys } = await startScene(t);
  const [one, other, third] = keys;
  const first = ask(one);
  const running = await untilBegun(1);
  const further = [ask(one), ask(one)];
  const refused = await Promise.race(further);
  assertError(refused, "unavailable", /^This key has a running export, or 2 of other keys are running/);
  assert.equal(refused.headers["retry-after"], "5");
  assert.equal(begun.length, 1, "the other request of the key waits");
  const otherAnswer = ask(other);
  const otherRunning = await untilBegun(2);
  // Both places are taken, so the third key waits.
  const thirdAnswer = ask(third);
  running.finish();
  assert.equal((await first).status, 200);
  const next = await untilBegun(3);
  assert.equal(begun.length, 3);
  otherRunning.finish();
  next.finish();
  (await untilBegun(4)).finish();
  const answers = await Promise.all([otherAnswer, thirdAnswer, ...further]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 503]);
});

test("a client that leaves ends its export, and its place is free", async (t) => {
  const { open, ask, untilBegun, keys } = await startScene(t);
  const [key] = keys;
  const { request } = open(key);
  const { request: export1 } = await untilBegun(1);
  const aborted = once(export1.signal, "abort");
  request.destroy();
  await aborted;
  const answer = ask(key);
  (await untilBegun(2)).finish();
  assert.equal((await answer).status, 200);
});

test("a client that reads nothing holds the export back, so that the file is not kept in memory", async (t) => {
  const { open, call, untilBegun, keys } = await startScene(t);
  const { response } = open(keys[0]);
  const { request, finish } = await untilBegun(1);
  const text = "x".repeat(8 * 1024 * 1024);
  let parts = 0;
  const written = (async () => {
    for (; parts < 10; parts++) await request.write(text);
  })();
  const incoming = await response;
  for (let requests = 0; requests < 5; requests++) await call("GET", "/pets");
  assert.ok(parts < 5, `${parts} parts`);
  incoming.resume();
  await written;
  finish();
  await once(incoming, "end");
});

test("an error after the first bytes ends the connection, so that no client takes half a file", async (t) => {
  const { open, untilBegun, keys, logged } = await startScene(t);
  const { response } = open(keys[0]);
  const { request, finish } = await untilBegun(1);
  await request.write("ID\r\n");
  const incoming = await response;
  const ended = once(incoming, "error");
  incoming.resume();
  finish(new ServiceError("unavailable", { cause: new Error("lost") }));
  const [error] = await ended;
  assert.deepEqual([incoming.statusCode, incoming.complete, error.code], [200, false, "ECONNRESET"]);
  assert.ok(logged.some((line) => line.includes("lost")));
});

test("an error before the first bytes is an ordinary answer", async (t) => {
  const { ask, untilBegun, keys } = await startScene(t);
  const answer = ask(keys[0]);
  (await untilBegun(1)).finish(new ServiceError("unavailable"));
  assertError(await answer, "unavailable");
});

test("an export ends after its time limit, also for a client that reads slowly", async (t) => {
  const { ask, open, untilBegun, keys } = await startScene(t, 2_000);
  const { response } = open(keys[0]);
  const { request } = await untilBegun(1);
  const late = ask(keys[1]);
  await request.write("ID\r\n");
  const incoming = await response;
  const ended = once(incoming, "error");
  incoming.resume();
  await ended;
  assert.equal(incoming.complete, false);
  assertError(await late, "unavailable");
});
