// An error on the fast path fails its own request only; a client that disconnects causes no error.

import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type RequestListener, ServerResponse } from "node:http";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import type { RouteOptions } from "fastify";
import type { Admission } from "../../../src/domain/keys/admission.ts";
import { createFastPath } from "../../../src/http/fast-path/fast-path.ts";
import { budgetAddress } from "../../../src/http/headers/client-address.ts";
import { createRecord } from "../../../src/http/observe/request-log.ts";
import { createPendingRequests, type PendingRequest } from "../../../src/http/server/pending-requests.ts";
import { limitPipeline } from "../../../src/http/server/pipelines.ts";
import { requestText, sendRaw, statusesOf } from "../../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";

const WINDOW = { name: "minute", limit: 9, remaining: 9, resetMs: 0 };
const ADMITTED = { verdict: "admitted", nowMs: 0, windows: [WINDOW] } as unknown as Admission;
const PAGE = { body: "[]", bytes: 2, link: undefined, etag: '"x"' };

function fail(): never {
  throw new Error("broken on purpose");
}

/** The lines of one event-loop tick come in one piece. */
function errorLines(logged: string[]): string[] {
  const lines = logged.join("").split("\n");
  return lines.filter((line) => line !== "" && JSON.parse(line).level >= 50);
}

/** Parts of the fast path that a test can break. `bad` is the key of the request that fails. */
function createParts() {
  const logged: object[] = [];
  const isBad = (key: { id: string }) => key.id === "bad";
  const parts = {
    keyRing: { recall: (secret: string) => ({ id: secret, access: "admin" }) },
    recordKeyUse: () => {},
    gate: { admit: (_key: { id: string }) => ADMITTED, peekAnonymous: () => ADMITTED },
    metrics: { countDecision: () => {} },
    petPages: { recall: (_wanted: object): typeof PAGE | undefined => PAGE },
    clock: { nowMs: () => 0 },
    isStopping: () => false,
    record: (_answered: { key?: { id: string } }) => {},
    log: { error: (line: object) => logged.push(line), warn: () => {} },
    corsOrigins: undefined,
    trustProxy: [],
  };
  return { parts, logged, isBad };
}

async function listenOn(t: TestContext, listener: RequestListener) {
  const server = http.createServer(listener).on("connection", limitPipeline).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return { server, port: (server.address() as { port: number }).port };
}

const STAGES: Record<string, (made: ReturnType<typeof createParts>) => void> = {
  recognising: ({ parts }) => {
    parts.keyRing.recall = (secret) => (secret === "bad" ? fail() : { id: secret, access: "admin" });
  },
  "finding its page": ({ parts }) => {
    parts.petPages.recall = (wanted) => ("limit" in wanted && wanted.limit === 7 ? fail() : PAGE);
  },
  "its headers": ({ parts, isBad }) => {
    parts.gate.admit = (key) => (isBad(key) ? ({ ...ADMITTED, windows: fail } as never) : ADMITTED);
  },
  "its ETag": ({ parts }) => {
    const broken = Object.defineProperty({ ...PAGE }, "etag", { get: fail });
    parts.petPages.recall = (wanted) => ("limit" in wanted && wanted.limit === 7 ? broken : PAGE);
  },
};

for (const [stage, breakStage] of Object.entries(STAGES))
  test(`A request that fails in ${stage} gets 500, and the others of its tick are answered`, async (t) => {
    const made = createParts();
    breakStage(made);
    // Stands for the framework, which answers the requests that failed.
    const framework: RequestListener = (_request, response) => response.writeHead(500).end("{}");
    const fastPath = createFastPath(made.parts as never, made.parts as never);
    fastPath.readRoute({ schema: { operationId: "listPets" } } as RouteOptions);
    const { listener } = createPendingRequests(fastPath.serve(framework));
    const { port } = await listenOn(t, listener);
    const get = (key: string, limit: number, ...lines: string[]) =>
      requestText(`GET /v1/pets?limit=${limit}`, { key, lines });
    const requests = [get("good", 1), get("bad", 7), get("good", 1), get("good", 1, "Connection: close")];
    const text = await sendRaw(port, requests.join(""));
    assert.deepEqual(statusesOf(text), [200, 500, 200, 200]);
  });

const FAILING_GATES = { throws: fail, "rejects later": async () => fail() };
for (const [how, admit] of Object.entries(FAILING_GATES))
  test(`A request whose gate ${how} once is admitted by the framework, and is not failed afterwards`, async () => {
    const { parts } = createParts();
    parts.gate.admit = admit as never;
    const request = {
      method: "GET",
      url: "/v1/pets",
      httpVersionMinor: 1,
      socket: {},
      headers: { authorization: "Bearer x" },
    };
    const pending = { request, response: { headersSent: false }, pipeline: { isEnding: false, socket: {} } };
    const passedOn: unknown[] = [];
    const fastPath = createFastPath(parts as never, parts as never);
    fastPath.readRoute({ schema: { operationId: "listPets" } } as RouteOptions);
    fastPath.serve((each) => passedOn.push(each))([pending as never]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(passedOn, [request]);
    assert.equal((pending as { fault?: unknown }).fault, undefined);
  });

test("An exception in the check of a request's form fails that request only", async () => {
  const served: PendingRequest[] = [];
  const { listener } = createPendingRequests((all) => served.push(...all));
  const socket = { pipeline: { isEnding: false, unanswered: [], socket: {} } };
  const broken = { socket, headers: {}, url: "/", method: "GET", rawHeaders: undefined };
  listener(broken as never, { on: () => {} } as never);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    served.map(({ formFault }) => formFault?.code),
    ["internal_error"],
  );
});

test("A framework that throws fails the request with 500, not the process", () => {
  const { parts, logged } = createParts();
  const heads: number[] = [];
  const response = { headersSent: false, writeHead: (status: number) => heads.push(status), end: () => {} };
  const request = { method: "GET", url: "/healthz", headers: {}, socket: {} };
  const pending = { request, response, pipeline: { isEnding: false, socket: {} } };
  createFastPath(parts as never, parts as never).serve(fail)([pending as never]);
  assert.deepEqual(heads, [500]);
  assert.equal(logged.length, 1);
});

test("A response that cannot be recorded is logged, and the others of its tick are recorded", async () => {
  const counted: string[] = [];
  const lines: string[] = [];
  const record = createRecord({
    metrics: { countRequest: (name: string) => (name === "broken" ? fail() : counted.push(name)) } as never,
    usage: { count: () => {} },
    log: { isLevelEnabled: () => true, error: (line: { reqId: string }) => lines.push(line.reqId) } as never,
  });
  for (const operation of ["first", "broken", "last"])
    record({ requestId: operation, method: "GET", operation, status: 200, ms: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(counted, ["first", "last"]);
  assert.deepEqual(lines, ["broken"]);
});

test("A response that cannot be written becomes 500 in a whole service, and the others are answered", async (t) => {
  const { port, logged } = await startApp(t);
  let isBroken = false;
  // Every head goes through this method of Node; see write-head.ts.
  const prototype = ServerResponse.prototype as ServerResponse & { _storeHeader(...head: unknown[]): void };
  const storeHeader = prototype._storeHeader;
  t.mock.method(prototype, "_storeHeader", function (this: ServerResponse, ...head: unknown[]) {
    if (this.req.headers["x-request-id"] === "bad" && !isBroken) {
      isBroken = true;
      fail();
    }
    storeHeader.apply(this, head);
  });
  const get = (id: string, ...lines: string[]) =>
    requestText("GET /v1/pets", { key: ADMIN_KEY, lines: [`X-Request-Id: ${id}`, ...lines] });
  // The first request brings the key into the cache.
  await sendRaw(port, get("first", "Connection: close"));
  const text = await sendRaw(port, get("a") + get("bad") + get("b", "Connection: close"));
  assert.deepEqual(statusesOf(text), [200, 500, 200]);
  assert.match(text, /"code":"internal_error"/);
  const errors = errorLines(logged);
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? "", /"reqId":"bad".*broken on purpose/);
});

test("A create whose client disconnects before it is admitted is not performed, and is no internal error", async (t) => {
  const { parts } = createParts();
  const asked = Promise.withResolvers<void>();
  const admitted = Promise.withResolvers<Admission>();
  parts.gate.admit = () => {
    asked.resolve();
    return admitted.promise as never;
  };
  const fastPath = createFastPath({ ...parts, pets: { create: fail } } as never, parts as never);
  fastPath.readRoute({ schema: { operationId: "createPet" } } as RouteOptions);
  const passedOn = Promise.withResolvers<unknown>();
  const { listener } = createPendingRequests(
    fastPath.serve(({ pending }) => passedOn.resolve(pending?.fault)),
  );
  const { server, port } = await listenOn(t, listener);
  const connection = once(server, "connection");
  const client = connect(port, "127.0.0.1");
  const lines = ["Content-Type: application/json", "Content-Length: 29"];
  client.write(requestText("POST /v1/pets", { key: "good", lines, body: '{"name":"Rex","categoryId":1}' }));
  await asked.promise;
  const [socket] = await connection;
  // Not `once` of events, which ends with the error before it.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  client.resetAndDestroy();
  await closed;
  admitted.resolve(ADMITTED);
  assert.equal(((await passedOn.promise) as { code?: string }).code, "bad_request");
});

test("A client that has disconnected has no address, which is not logged as an error", async (t) => {
  assert.equal(budgetAddress(undefined, undefined), "unknown");
  const { port, call, logged } = await startApp(t);
  const get = (path: string, key: string) => requestText(`GET ${path}`, { key });
  const requests = [get("/v1/pets", "wrong"), get("/v1/pets/7", ADMIN_KEY), get("/nothing", "wrong")];
  for (let i = 0; i < 60; i++) {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(requests.join(""), () => socket.resetAndDestroy());
    await once(socket, "close");
  }
  assert.equal((await call("GET", "/pets")).status, 200);
  assert.deepEqual(errorLines(logged), []);
});
