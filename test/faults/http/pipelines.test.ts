// Pipelined requests: all are answered in their order, and only a few run at a time.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { requestText, sendRaw } from "../../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";

/** 32, and a few responses that are written but have not emitted `finish` yet. */
const RUNNING_MAX = 32 + 2;

const get = (path: string, id: number) =>
  requestText(`GET ${path}`, { key: ADMIN_KEY, lines: [`X-Request-Id: ${id}`] });

function post(id: number): string {
  // The line feeds of the body look like the end of a head.
  const body = `{"name":"Rex ${id}",\r\n\r\n"categoryId":1}`;
  const lines = ["Content-Type: application/json", `Content-Length: ${body.length}`, `X-Request-Id: ${id}`];
  return requestText("POST /v1/pets", { key: ADMIN_KEY, lines, body });
}

function mixed(count: number): string {
  const kinds = [(id: number) => get("/v1/pets?limit=3", id), post, (id: number) => get("/openapi.json", id)];
  return Array.from({ length: count }, (_, id) => (kinds[id % kinds.length] as typeof post)(id)).join("");
}

/** The request ids of responses, in the order in which they arrived. */
function requestIds(text: string): number[] {
  return [...text.matchAll(/^x-request-id: (\d+)\r$/gim)].map(([, id]) => Number(id));
}

const rising = (count: number) => Array.from({ length: count }, (_, id) => id);

test("Pipelined requests", async (t) => {
  const { service, call, port } = await startApp(t);
  let running = 0;
  let most = 0;
  let arrived = 0;
  service.app.server.prependListener("request", (_request, response) => {
    arrived += 1;
    running += 1;
    most = Math.max(most, running);
    response.once("finish", () => (running -= 1));
  });

  await t.test("requests are answered in order, also if the client has closed its side", async () => {
    const text = await sendRaw(port, mixed(600), { halfClose: true });
    assert.deepEqual(requestIds(text), rising(600));
    assert.equal(text.match(/HTTP\/1\.1 20[01] /g)?.length, 600);
  });

  await t.test("requests are each answered once when the parser stops at the last one", async () => {
    for (const count of [31, 32, 33, 48, 64]) {
      const requests = Array.from({ length: count }, (_, id) => get("/healthz", id)).join("");
      const withLength = requests.replaceAll("Host: x", "Host: x\r\nContent-Length: 0");
      for (const bytes of [requests, withLength]) {
        const text = await sendRaw(port, bytes, { halfClose: true });
        assert.deepEqual(requestIds(text), rising(count));
        assert.equal(text.match(/HTTP\/1\.1 /g)?.length, count);
      }
    }
  });

  await t.test("requests are all answered in their order, however their bytes are split", async () => {
    const bytes = Buffer.from(mixed(300));
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1").on("data", (part) => (text += part));
    for (let sent = 0, size = 1; sent < bytes.length; sent += size) {
      size = 1 + ((sent * 7_919) % 5_000);
      if (!socket.write(bytes.subarray(sent, sent + size))) await once(socket, "drain");
      await new Promise(setImmediate);
    }
    socket.end();
    await once(socket, "close");
    assert.deepEqual(requestIds(text), rising(300));
  });

  await t.test("about 32 requests run at a time on one connection, at most", () => {
    assert.ok(most > 1, "they were pipelined");
    assert.ok(most <= RUNNING_MAX, `${most} ran at a time`);
  });

  await t.test("requests stay unread while the client does not read, and are answered then", async () => {
    const count = 1_500;
    arrived = 0;
    most = 0;
    const socket = connect(port, "127.0.0.1").pause();
    socket.write(Array.from({ length: count }, (_, id) => get("/openapi.json", id)).join(""));
    for (let before = -1; before !== arrived || arrived === 0; ) {
      before = arrived;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    assert.ok(arrived < count / 2, `${arrived} of ${count} were read`);
    assert.ok(most <= RUNNING_MAX, `${most} ran at a time`);
    assert.equal((await call("GET", "/pets?limit=1")).status, 200, "others are served");
    let text = "";
    socket.setEncoding("latin1").on("data", (part) => (text += part));
    socket.end();
    socket.resume();
    await once(socket, "close");
    assert.deepEqual(requestIds(text), rising(count));
  });

  await t.test("requests are answered before invalid bytes or CONNECT after them get 400", async () => {
    for (const last of ["rubbish\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"]) {
      const text = await sendRaw(port, mixed(100) + last);
      assert.deepEqual(requestIds(text), rising(100));
      assert.match(text.slice(text.lastIndexOf("HTTP/1.1 ")), /^HTTP\/1\.1 400 .*"code":"bad_request"/s);
    }
  });
});

test("CONNECT gets 400, and a client that disconnects after it causes no error", async (t) => {
  const { call, logged, port } = await startApp(t);
  const request = "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n";
  assert.match(await sendRaw(port, request), /^HTTP\/1\.1 400 .*"code":"bad_request"/s);
  for (let i = 0; i < 50; i++) {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(request, () => socket.resetAndDestroy());
    await once(socket, "close");
  }
  assert.equal((await call("GET", "/pets")).status, 200);
  assert.doesNotMatch(logged.join(""), /"level":50/);
});

test("An Upgrade header is ignored", async (t) => {
  const { port } = await startApp(t);
  const lines = ["Connection: Upgrade, close", "Upgrade: websocket"];
  assert.match(await sendRaw(port, requestText("GET /healthz", { lines })), /^HTTP\/1\.1 200 /);
});
