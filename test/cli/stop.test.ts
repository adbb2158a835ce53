// The stop: clients that come meanwhile get an answer or a clean refusal, and none of them can hold it up.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { type Service, startService } from "../harness/service.ts";

const CLIENTS = 16;
const STOPS = Number(process.env.TEST_STOPS ?? 2);
/** Less than the 8 s after which everything is cut, and more than a slow machine needs for the rest. */
const PROMPT_MS = 6_000;

test("A stop under load resets no connection", async (t) => {
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

test("Requests that are pipelined during the stop are all answered, and only the last answer ends the connection", async (t) => {
  const service = await startService(t, { DRAIN_SECONDS: "2" });
  const { port, url } = service;
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  await once(socket, "connect");
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
});

test("Clients that let the service wait cannot hold up the stop", async (t) => {
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
  let told = "";
  clients["half of its body"].setEncoding("utf8").on("data", (text) => {
    told += text;
  });
  for (const socket of Object.values(clients)) {
    socket.on("error", () => {});
    t.after(() => socket.destroy());
  }
  // An answer, or the invitation to go on, tells that all before it has arrived.
  const answered = Object.values(clients).slice(1);
  await Promise.all(answered.map((socket) => once(socket, "readable")));

  const startMs = performance.now();
  assert.equal(await service.stop(), 0);
  const ms = performance.now() - startMs;
  assert.ok(ms < PROMPT_MS, `the stop took ${Math.round(ms)} ms`);
  assert.match(told, /HTTP\/1\.1 408 Request Timeout[\s\S]*"request_timeout"/);
});

function post(key: string | undefined, bytes: number): string {
  const head = ["POST /v1/pets HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`];
  return `${[...head, "Content-Type: application/json", `Content-Length: ${bytes}`].join("\r\n")}\r\n`;
}

function open(port: number, text: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  return socket;
}

/** One connection per request, until the service takes no more. */
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
