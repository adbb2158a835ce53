// The stop of the process: every request gets a response or a refused connection, and no client can delay it.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import SqliteConnection from "better-sqlite3";
import { openForCommand } from "../../../src/command-stores.ts";
import { readConfig } from "../../../src/config/config.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { type Service, startService } from "../../harness/servers/service.ts";

const CLIENTS = 16;
const STOPS = Number(process.env.TEST_STOPS ?? 2);
/** Less than the 8 s after which all connections are cut, and enough for a slow machine. */
const PROMPT_MS = 6_000;
/** Added to the service: a request for /healthz?hang gets no response, and global timers are 20 times as fast. */
const HANGING_REQUEST = `
  import { ServerResponse } from "node:http";
  const { end } = ServerResponse.prototype;
  ServerResponse.prototype.end = function (...args) {
    return this.req.url === "/healthz?hang" ? this : end.apply(this, args);
  };
  const start = setTimeout;
  globalThis.setTimeout = (work, ms, ...args) => start(work, ms / 20, ...args);
`;

test("a stop under load resets no connection", async (t) => {
  const outcomes: Record<string, number> = {};
  for (let i = 0; i < STOPS; i++) {
    const service = await startService(t);
    const count = (outcome: string) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    };
    const clients = Array.from({ length: CLIENTS }, () => askUntilRefused(service, count));
    while ((outcomes.answered ?? 0) < 500 * (i + 1)) await new Promise(setImmediate);
    assert.equal(await service.stop(), 0);
    await Promise.all(clients);
  }
  t.diagnostic(JSON.stringify(outcomes));
  assert.equal(outcomes.refused, STOPS * CLIENTS);
  assert.deepEqual(Object.keys(outcomes).sort(), ["answered", "answered, to be closed", "refused"]);
});

test("pipelined requests during the drain are all answered, and only the last response closes the connection", async (t) => {
  const service = await startService(t, { DRAIN_SECONDS: "1" });
  const { port, url } = service;
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  await once(socket, "connect");
  const startMs = performance.now();
  const stopped = service.stop();
  while ((await fetch(`${url}/readyz`)).status !== 503) await new Promise(setImmediate);
  let text = "";
  socket.on("data", (part) => (text += part));
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
  await once(socket, "close");
  const answers = text.split("HTTP/1.1 200 OK").slice(1);
  assert.deepEqual(
    answers.map((answer) => /^connection: close\r$/im.test(answer)),
    [false, false, true],
  );
  assert.equal(await stopped, 0);
  const ms = performance.now() - startMs;
  assert.ok(ms >= 1_000, `DRAIN_SECONDS is 1, and the stop took ${Math.round(ms)} ms`);
});

test("every request whose headers arrived before the stop is answered with 201 and stored", async (t) => {
  const service = await startService(t, { LOG_LEVEL: "info" });
  const requests = await Promise.all(Array.from({ length: CLIENTS }, () => beginPost(service)));
  service.process.kill("SIGTERM");
  await untilStopping(service);
  const responses = await Promise.all(requests.map((request) => request.finish()));
  await once(service.process, "exit");
  assert.equal(service.process.exitCode, 0);
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([201]));
  assert.ok(responses.every(({ location }) => location.startsWith(`${service.url}/v1/pets/`)));
  const stores = await openForCommand(readConfig(service.environment));
  t.after(() => stores.close());
  assert.equal((await stores.db.all("SELECT id FROM pets")).length, CLIENTS);
});

test("a request that takes 2 s of the stop gets its response", async (t) => {
  const path = join(makeFolder(t), "store.db");
  const service = await startService(t, { DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: "info" });
  const request = await beginPost(service);
  const other = new SqliteConnection(path);
  t.after(() => other.close());
  // While another process holds the lock, a write waits for 2 s and is then answered with 503.
  other.exec("BEGIN IMMEDIATE");
  service.process.kill("SIGTERM");
  await untilStopping(service);
  const startMs = performance.now();
  assert.equal((await request.finish()).status, 503);
  assert.ok(performance.now() - startMs > 1_500, "the request was slow");
  other.exec("ROLLBACK");
  if (service.process.exitCode === null) await once(service.process, "exit");
  assert.equal(service.process.exitCode, 0);
});

test("a second signal ends the process immediately with 1, while a request is unfinished", async (t) => {
  const service = await startService(t, { LOG_LEVEL: "info" });
  const { socket } = await beginPost(service);
  socket.on("error", () => {});
  service.process.kill("SIGTERM");
  await untilStopping(service);
  assert.equal(await service.stop("SIGTERM"), 1);
  assert.doesNotMatch(service.output.stderr, /"stopped"/);
});

test("clients that are slow or silent cannot delay the stop beyond 6 s", async (t) => {
  const service = await startService(t);
  const { port, adminKey, call } = service;
  const list = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`;
  for (let i = 0; i < 100; i++)
    await call("POST", "/pets", { body: { name: "x".repeat(250), categoryId: 1 } });
  const clients = {
    "half of its headers": open(port, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n"),
    "half of its body": open(port, `${post(adminKey, 100)}Expect: 100-continue\r\n\r\n{"name"`),
    "one byte after another": open(port, `${post(adminKey, 10_000)}Expect: 100-continue\r\n\r\n`),
    "a body that is too large": open(port, `${post(adminKey, 10_000_000)}\r\n`),
    "requests, and reads no answer": open(port, list.repeat(300)),
  };
  const bytes = setInterval(() => clients["one byte after another"].write("x"), 100);
  t.after(() => clearInterval(bytes));
  let received = "";
  clients["half of its body"].setEncoding("utf8").on("data", (text) => {
    received += text;
  });
  for (const socket of Object.values(clients)) {
    socket.on("error", () => {});
    t.after(() => socket.destroy());
  }
  // A response or "100 Continue" proves that the bytes sent before have arrived.
  const answered = Object.values(clients).slice(1);
  await Promise.all(answered.map((socket) => once(socket, "readable")));

  const startMs = performance.now();
  assert.equal(await service.stop(), 0);
  const ms = performance.now() - startMs;
  assert.ok(ms < PROMPT_MS, `the stop took ${Math.round(ms)} ms`);
  assert.match(received, /HTTP\/1\.1 408 Request Timeout[\s\S]*"request_timeout"/);
});

test("a request that never gets its response is cut off at the time limit of the stop", async (t) => {
  const added = `data:text/javascript,${encodeURIComponent(HANGING_REQUEST)}`;
  const { port, url, stop } = await startService(t, { NODE_OPTIONS: `--import=${added}` });
  const socket = open(port, "GET /healthz?hang HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.on("error", () => {});
  t.after(() => socket.destroy());
  await once(socket, "connect");
  // The service has read the first request when it answers a later one.
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  const limit = pause(PROMPT_MS, "still running", { ref: false });
  assert.equal(await Promise.race([stop(), limit]), 0);
});

/** A POST whose headers have arrived and whose body is sent by `finish`. */
async function beginPost({ url, adminKey }: Service) {
  const body = JSON.stringify({ name: "Late", categoryId: 1 });
  const headers = {
    authorization: `Bearer ${adminKey}`,
    "content-type": "application/json",
    "content-length": body.length,
    expect: "100-continue",
  };
  const request = http.request(`${url}/v1/pets`, { method: "POST", headers, agent: false });
  request.flushHeaders();
  await once(request, "continue");
  return {
    socket: request,
    async finish(): Promise<{ status: number | undefined; location: string }> {
      request.end(body);
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      response.resume();
      await once(response, "end");
      return { status: response.statusCode, location: response.headers.location ?? "" };
    },
  };
}

async function untilStopping({ output, process }: Service): Promise<void> {
  while (!output.stderr.includes('"stopping"')) await once(process.stderr as Readable, "data");
}

function post(key: string | undefined, bytes: number): string {
  const head = ["POST /v1/pets HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`];
  return `${[...head, "Content-Type: application/json", `Content-Length: ${bytes}`].join("\r\n")}\r\n`;
}

function open(port: number, text: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  return socket;
}

/** One connection per request, until connections are refused. */
async function askUntilRefused({ port, adminKey }: Service, count: (outcome: string) => void): Promise<void> {
  const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`;
  for (;;) {
    const outcome = await ask(port, request);
    count(outcome);
    if (outcome === "refused") return;
  }
}

function ask(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (!text.endsWith("[]")) return;
      const isLast = /^connection: close\r$/im.test(text);
      resolve(isLast ? "answered, to be closed" : "answered");
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const isRefused = error.code === "ECONNREFUSED" && error.syscall === "connect";
      resolve(isRefused ? "refused" : `${error.syscall} ${error.code}`);
    });
    socket.on("end", () => resolve("closed without an answer"));
    socket.write(request);
  });
}
