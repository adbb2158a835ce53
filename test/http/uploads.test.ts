// Uploads that are slow, end too early or lie about their length: each gets its response, and none keeps memory.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { ADMIN_KEY, startApp } from "../harness/app.ts";
import { parseRaw, type RawAnswer } from "../harness/socket.ts";

const LARGEST = 12 * 1024 * 1024;
/** Eight of the largest uploads may be in memory. */
const AT_ONCE = 8;

interface Uploader {
  socket: Socket;
  /** Everything received until the service closes the connection. */
  answer: Promise<RawAnswer>;
}

async function startScene(t: TestContext, requestMs = 15_000) {
  const app = await startApp(t, { timeouts: { headersMs: requestMs, requestMs, checkEveryMs: 20 } });
  // On a busy machine it may itself take longer than `requestMs`.
  const add = () => app.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  while ((await add()).status === 408);
  const port = Number(new URL(app.url).port);
  const open = async (lines: string[]): Promise<Uploader> => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    t.after(() => socket.destroy());
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
    const answer = once(socket, "end").then(() => parseRaw(Buffer.concat(chunks).toString()));
    const head = ["POST /v1/pets/1/photos HTTP/1.1", "Host: a", `Authorization: Bearer ${ADMIN_KEY}`];
    socket.write(`${[...head, "Content-Type: image/png", ...lines].join("\r\n")}\r\n\r\n`);
    return { socket, answer };
  };
  /** A whole upload that is no image. Its response tells whether its body was read. */
  const tryUpload = async () => {
    const headers = { "content-type": "image/png" };
    return (await app.call("POST", "/pets/1/photos", { body: "no image", headers })).json.code;
  };
  return { ...app, open, tryUpload };
}

test("An upload of single bytes gets no more time than any request, and 408", async (t) => {
  const { open, tryUpload } = await startScene(t, 300);
  const { socket, answer } = await open(["Content-Length: 1000000"]);
  const timer = setInterval(() => socket.write("x"), 20);
  t.after(() => clearInterval(timer));
  const { status, body, headers } = await answer;
  assert.deepEqual([status, JSON.parse(body).code], [408, "request_timeout"]);
  assert.equal(headers.connection, "close");
  assert.equal(await tryUpload(), "invalid_image");
});

test("A steady upload may take longer than other requests", async (t) => {
  const requestMs = 200;
  const { open } = await startScene(t, requestMs);
  const [blocks, block] = [12, Buffer.alloc(64 * 1024, "x")];
  const { socket, answer } = await open([`Content-Length: ${blocks * block.length}`, "Connection: close"]);
  // Another request with the time of every request, begun before most of the upload is sent.
  const other = await open(["Content-Length: 1000000"]);
  for (let sent = 0; sent < blocks - 1; sent++) {
    socket.write(block);
    await pause(50);
  }
  assert.equal((await other.answer).status, 408, "the time of other requests has passed");
  socket.write(block);
  assert.equal(JSON.parse((await answer).body).code, "invalid_image", "it was read to its end");
});

test("Other requests keep their time after an upload on the same connection", async (t) => {
  const { open } = await startScene(t, 200);
  const { socket, answer } = await open(["Content-Length: 8"]);
  socket.write("no image");
  await once(socket, "data");
  socket.write(`POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n`);
  socket.write("Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{");
  assert.match((await answer).body, /"code":"invalid_image".*"code":"request_timeout"/s);
});

test("Uploads that end too early store nothing and free their memory", async (t) => {
  const { open, tryUpload, call } = await startScene(t);
  const image = { "content-type": "image/png" };
  const endings: Record<string, (socket: Socket) => void> = {
    "a reset": (socket) => socket.resetAndDestroy(),
    "a closed connection": (socket) => socket.destroy(),
    "half of the connection closed": (socket) => socket.end(),
  };
  for (const [what, end] of Object.entries(endings)) {
    await t.test(what, async () => {
      // Twice as many as may be in memory at the same time.
      for (let round = 0; round < 2; round++) {
        const all = await Promise.all(
          Array.from({ length: AT_ONCE }, () => open([`Content-Length: ${LARGEST}`])),
        );
        for (const { socket } of all) socket.write("\x89PNG");
        await untilRefused(tryUpload);
        for (const { socket } of all) end(socket);
        while ((await tryUpload()) === "unavailable") await pause(10);
      }
    });
  }
  assert.equal((await call("POST", "/pets/1/photos", { body: "x", headers: image })).status, 400);
  assert.deepEqual((await call("PATCH", "/pets/1/photos", { body: { order: [] } })).json, []);
});

test("More uploads than fit into memory get 503 with Retry-After before their body is read", async (t) => {
  const { open, tryUpload, call } = await startScene(t);
  const chunked = await Promise.all(
    Array.from({ length: AT_ONCE }, () => open(["Transfer-Encoding: chunked"])),
  );
  await untilRefused(tryUpload);
  const refused = await call("POST", "/pets/1/photos", {
    body: Buffer.alloc(1_000_000),
    headers: { "content-type": "image/png" },
  });
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "2"]);
  assert.match(refused.json.message, /^Too many photos are being uploaded\./);
  assert.equal((await call("GET", "/pets")).status, 200, "other requests are served");
  for (const { socket } of chunked) socket.write("8\r\nno image\r\n0\r\n\r\n");
  await Promise.all(chunked.map(({ socket }) => once(socket, "data")));
  assert.equal(await tryUpload(), "invalid_image");
});

test("An upload in very many small chunks is refused: each costs the service more than its client", async (t) => {
  const { open, tryUpload } = await startScene(t);
  const { socket, answer } = await open(["Transfer-Encoding: chunked"]);
  for (let sent = 0; sent <= 100; sent++) socket.write("1\r\nx\r\n".repeat(1_000));
  const { status, body } = await answer;
  assert.deepEqual([status, JSON.parse(body).message], [400, "The body has too many small chunks."]);
  assert.equal(await tryUpload(), "invalid_image");
});

test("A service that stops does not wait for an upload that is not finished", async (t) => {
  const { open, stop, tryUpload } = await startScene(t);
  const { socket, answer } = await open([`Content-Length: ${LARGEST}`]);
  socket.write("\x89PNG");
  await tryUpload();
  const stopped = stop();
  assert.equal(JSON.parse((await answer).body).code, "request_timeout");
  await stopped;
});

/** The heads of the requests before have arrived when there is no memory left. */
async function untilRefused(tryUpload: () => Promise<string>): Promise<void> {
  while ((await tryUpload()) !== "unavailable") await pause(10);
}
