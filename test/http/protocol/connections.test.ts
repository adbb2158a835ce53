// The limits of connections: in all, per address, and for a client that reads nothing.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createRangeCheck } from "../../../src/tools/address-ranges.ts";
import { column } from "../../harness/clients/pages.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../../harness/servers/app.ts";

const ASK = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

function open(t: TestContext, port: number): Socket {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  t.after(() => socket.destroy());
  return socket;
}

/** "open" when it is served, "closed" when it is closed without a response. */
async function tryConnection(t: TestContext, port: number): Promise<{ socket: Socket; became: string }> {
  const socket = open(t, port);
  socket.write(ASK);
  const became = await Promise.race([
    once(socket, "data").then(() => "open"),
    once(socket, "close").then(() => "closed"),
  ]);
  return { socket, became };
}

async function rejected({ outside }: Pick<AppHarness, "outside">, reason: string): Promise<number> {
  const { text } = await outside("GET", "/metrics", { key: ADMIN_KEY });
  const line = new RegExp(`^animal_store_connections_rejected_total\\{reason="${reason}"\\} (\\d+)$`, "m");
  return Number(line.exec(text)?.[1]);
}

test("closes and counts connections from one address beyond MAX_CONNECTIONS_PER_ADDRESS, until earlier ones have ended", async (t) => {
  const app = await startApp(t, { environment: { MAX_CONNECTIONS_PER_ADDRESS: "3" } });
  const connections = await Array.fromAsync(Array(5), () => tryConnection(t, app.port));
  assert.deepEqual(column(connections, "became"), ["open", "open", "open", "closed", "closed"]);
  connections[0]?.socket.destroy();
  // The service notices the end a moment later.
  let again = await tryConnection(t, app.port);
  for (let i = 0; i < 100 && again.became === "closed"; i++) again = await tryConnection(t, app.port);
  assert.equal(again.became, "open");
  again.socket.destroy();
  await once(again.socket, "close");
  for (let count = Number.NaN; Number.isNaN(count); ) {
    count = await rejected(app, "address").catch(() => Number.NaN);
    assert.ok(Number.isNaN(count) || count >= 2, `${count} were counted`);
  }
});

/** Connections of one test: each is known to the service before the next is opened. */
async function startScene(t: TestContext, environment: Record<string, string>) {
  const { port, service, outside } = await startApp(t, { environment });
  const openKnown = async (bytes = "") => {
    const accepted = once(service.app.server, "connection") as Promise<[Socket]>;
    const socket = open(t, port);
    const closed = once(socket, "close").then(() => "closed");
    const [theirs] = await accepted;
    const answered = once(socket, "data").then(([chunk]) => String(chunk));
    const arrived = theirs.bytesRead;
    if (bytes !== "") socket.write(bytes);
    while (theirs.bytesRead < arrived + bytes.length && !theirs.destroyed) await pause(1);
    return { socket, theirs, closed, answered };
  };
  return { outside, open: openKnown };
}

const HALF_A_HEAD = "GET /healthz HTTP/1.1\r\nHos";

test("beyond MAX_CONNECTIONS, the connection that has been idle longest is closed for a new one", async (t) => {
  const { open, ...app } = await startScene(t, { MAX_CONNECTIONS: "4" });
  const silent = await open();
  const half = await open(HALF_A_HEAD);
  const answered = await open(ASK);
  await answered.answered;
  const later = await open();

  const first = await open(ASK);
  assert.match(await first.answered, /^HTTP\/1\.1 200 /);
  assert.equal(await silent.closed, "closed");
  // A request makes it the one that was idle last.
  answered.socket.write(ASK);
  await once(answered.socket, "data");
  await open();
  assert.equal(await half.closed, "closed");
  await open();
  assert.equal(await later.closed, "closed");
  assert.equal(first.theirs.destroyed, false);
  await open();
  assert.equal(await first.closed, "closed");
  assert.equal(answered.theirs.destroyed, false, "its last request was later");
  assert.ok((await rejected(app, "idle")) >= 4);
  assert.equal(await rejected(app, "total"), 0);
});

test("beyond MAX_CONNECTIONS, a connection with a request is never closed", async (t) => {
  const { open, ...app } = await startScene(t, { MAX_CONNECTIONS: "3" });
  const head = `Host: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n`;
  const body = '{"name":"Rex","categoryId":1}';
  const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const streaming = await open(`GET /v1/events/stream HTTP/1.1\r\n${head}\r\n`);
  await streaming.answered;
  const waiting = await open(`GET /v1/events?after=now&wait=25 HTTP/1.1\r\n${head}\r\n`);
  const sending = await open(`POST /v1/pets HTTP/1.1\r\n${head}${json}\r\n${body.slice(0, 5)}`);
  const refused = await open(ASK);
  assert.equal(await refused.closed, "closed");
  for (const { theirs } of [streaming, waiting, sending]) assert.equal(theirs.destroyed, false);
  sending.socket.write(body.slice(5));
  assert.match(await sending.answered, /^HTTP\/1\.1 201 /);
  assert.match(await waiting.answered, /^HTTP\/1\.1 200 /);
  const next = await open(ASK);
  assert.match(await next.answered, /^HTTP\/1\.1 200 /, "those that are idle now make room");
  assert.equal(streaming.theirs.destroyed, false);
  next.socket.destroy();
  assert.equal(await rejected(app, "total"), 1);
});

test("a pipeline makes its connection idle with its last response", async (t) => {
  const { open } = await startScene(t, { MAX_CONNECTIONS: "2" });
  const head = `Host: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n\r\n`;
  const pipeline = await open(`${ASK}GET /v1/events?after=now&wait=25 HTTP/1.1\r\n${head}`);
  await pipeline.answered;
  const other = await open();
  await open();
  assert.equal(await other.closed, "closed", "the pipeline has a request");
  assert.equal(pipeline.theirs.destroyed, false);
});

test("connections that come at the same time make room for each of them", async (t) => {
  const { service, port } = await startApp(t, { environment: { MAX_CONNECTIONS: "3" } });
  const accepted: Socket[] = [];
  service.app.server.on("connection", (socket) => accepted.push(socket));
  for (let opened = 0; opened < 20; opened++) open(t, port);
  while (accepted.length < 20) await once(service.app.server, "connection");
  assert.deepEqual(
    accepted.map(({ destroyed }) => !destroyed),
    accepted.map((_, index) => index >= 17),
  );
});

test("connections of clients that have gone leave room", async (t) => {
  const { open, ...app } = await startScene(t, { MAX_CONNECTIONS: "2" });
  const stays = await open(ASK);
  await stays.answered;
  for (let round = 0; round < 5; round++) {
    const { socket, theirs, answered } = await open(round % 2 === 0 ? ASK : `${ASK}${HALF_A_HEAD}`);
    await answered;
    const ended = once(theirs, "close");
    socket.destroy();
    await ended;
  }
  assert.equal(stays.theirs.destroyed, false);
  assert.equal(await rejected(app, "idle"), 0);
});

test("trusted proxies may exceed the limit of one address, not the limit of all connections", async (t) => {
  const { open } = await startScene(t, {
    MAX_CONNECTIONS_PER_ADDRESS: "1",
    MAX_CONNECTIONS: "3",
    TRUST_PROXY: "127.0.0.0/8",
  });
  const opened = [await open(), await open(), await open(), await open()];
  assert.equal(await opened[0]?.closed, "closed");
  assert.deepEqual(
    opened.map(({ theirs }) => theirs.destroyed),
    [true, false, false, false],
  );
});

test("an address is trusted if it is listed, in a listed range, or written in IPv6 form", () => {
  const isTrusted = createRangeCheck(["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::1"]);
  const trusted = ["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.1", "2001:db8::7", "::1"];
  const others = ["11.1.2.3", "::ffff:11.1.2.3", "192.0.2.2", "2001:db9::7", "::2", "fe80::1%eth0"];
  assert.deepEqual(trusted.filter(isTrusted), trusted);
  assert.deepEqual(others.filter(isTrusted), []);
});

test("A client that reads no bytes", async (t) => {
  const timeouts = { headersMs: 5_000, requestMs: 5_000, checkEveryMs: 20, stalledMs: 400 };
  const { service, port } = await startApp(t, { timeouts });
  const flood = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(400);

  await t.test("a client that reads nothing is reset while bytes wait for it", async () => {
    const socket = connect(port, "127.0.0.1").pause();
    const [theirs] = (await once(service.app.server, "connection")) as [Socket];
    socket.on("error", () => {});
    socket.write(flood);
    await once(theirs, "close");
    assert.ok(theirs.bytesWritten > 0, "it was answered");
    socket.destroy();
  });

  await t.test("a client stays connected while it reads slowly, or while no bytes wait for it", async () => {
    const idle = connect(port, "127.0.0.1");
    idle.write(ASK);
    await once(idle, "data");
    const slow = connect(port, "127.0.0.1");
    slow.write(flood);
    slow.end();
    const startMs = performance.now();
    const head = "HTTP/1.1 200 OK";
    let answers = 0;
    let end = "";
    for await (const chunk of slow) {
      // A chunk may end in the middle of a head.
      const text = end + (chunk as Buffer).toString("latin1");
      answers += text.split(head).length - 1;
      end = text.slice(1 - head.length);
      if (performance.now() - startMs < 3 * timeouts.stalledMs) await pause(5);
    }
    assert.ok(performance.now() - startMs > timeouts.stalledMs, "it took longer than a stalled client may");
    assert.equal(answers, 400);
    idle.write(ASK);
    await once(idle, "data");
    idle.destroy();
  });
});
