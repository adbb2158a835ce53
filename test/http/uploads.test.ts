// Uploads that are slow, end too early or lie about their length: each gets its response, and none keeps memory.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { ADMIN_KEY, startApp } from "../harness/app.ts";
import { drawImage } from "../harness/images.ts";
import { openUpload, type Uploader } from "../harness/uploads.ts";
import { makePng } from "../images/files.ts";

const LARGEST = 12 * 1024 * 1024;
/** Four of the largest uploads of one key may be in memory, and eight of all keys. */
const AT_ONCE = 4;

async function startScene(t: TestContext, requestMs = 15_000) {
  const app = await startApp(t, { timeouts: { headersMs: requestMs, requestMs, checkEveryMs: 20 } });
  // On a busy machine it may itself take longer than `requestMs`.
  const add = () => app.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  while ((await add()).status === 408);
  const open = (lines: string[], key = ADMIN_KEY) => openUpload(t, app.url, { key, lines });
  const accepted = new Map<number | undefined, Socket>();
  app.service.app.server.on("connection", (socket) => accepted.set(socket.remotePort, socket));
  /** Resolves to the service's sockets when it has received everything that was sent. */
  const untilReceived = async (uploads: Uploader[]): Promise<Socket[]> => {
    for (const { socket } of uploads)
      while ((accepted.get(socket.localPort)?.bytesRead ?? 0) < socket.bytesWritten) await pause(5);
    return uploads.map(({ socket }) => accepted.get(socket.localPort) as Socket);
  };
  /** As many uploads as one key may have in memory, each without its last byte. */
  const fill = async (key = ADMIN_KEY) => {
    const uploads = Array.from({ length: AT_ONCE }, () => open([`Content-Length: ${LARGEST}`], key));
    for (const { socket } of uploads) socket.write(Buffer.alloc(LARGEST - 1));
    await untilReceived(uploads);
    assert.equal(await tryUpload(key), "unavailable");
    return uploads;
  };
  /** A whole upload that is no image. Its response tells whether its body was read. */
  const tryUpload = async (key = ADMIN_KEY, body: string | Buffer = "no image") => {
    const headers = { "content-type": "image/png" };
    return (await app.call("POST", "/pets/1/photos", { body, headers, key })).json.code;
  };
  return { ...app, open, fill, untilReceived, tryUpload };
}

test("An upload of single bytes gets no more time than any request, and 408", async (t) => {
  const { open, tryUpload } = await startScene(t, 300);
  const { socket, answer } = open(["Content-Length: 1000000"]);
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
  const { socket, answer } = open([`Content-Length: ${blocks * block.length}`, "Connection: close"]);
  // Another request with the time of every request, begun before most of the upload is sent.
  const other = open(["Content-Length: 1000000"]);
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
  const { socket, answer } = open(["Content-Length: 8"]);
  socket.write("no image");
  await once(socket, "data");
  socket.write(`POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n`);
  socket.write("Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{");
  assert.match((await answer).body, /"code":"invalid_image".*"code":"request_timeout"/s);
});

test("Uploads that end too early store nothing and free their memory", async (t) => {
  const { fill, tryUpload, call } = await startScene(t);
  const image = { "content-type": "image/png" };
  const endings: Record<string, (socket: Socket) => void> = {
    "a reset": (socket) => socket.resetAndDestroy(),
    "a closed connection": (socket) => socket.destroy(),
    "half of the connection closed": (socket) => socket.end(),
  };
  for (const [what, end] of Object.entries(endings)) {
    await t.test(what, async () => {
      for (let round = 0; round < 2; round++) {
        for (const { socket } of await fill()) end(socket);
        while ((await tryUpload()) === "unavailable") await pause(10);
      }
    });
  }
  assert.equal((await call("POST", "/pets/1/photos", { body: "x", headers: image })).status, 400);
  assert.deepEqual((await call("PATCH", "/pets/1/photos", { body: { order: [] } })).json, []);
});

test("A key whose uploads fill half of the memory gets 503 with Retry-After; others are not affected", async (t) => {
  const { open, fill, tryUpload, call, createKey } = await startScene(t);
  const { key } = await createKey({ plan: "business" });
  const uploads = await fill(key);
  const refused = await call("POST", "/pets/1/photos", {
    body: Buffer.alloc(1_000_000),
    headers: { "content-type": "image/png" },
    key,
  });
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "2"]);
  assert.match(refused.json.message, /^Too many photos are being uploaded\./);
  const announced = open([`Content-Length: ${LARGEST}`], key);
  assert.equal((await announced.answer).status, 503, "before its body is read");
  assert.equal((await call("GET", "/pets", { key })).status, 200, "other requests are served");
  for (let sent = 0; sent < AT_ONCE; sent++)
    assert.equal(await tryUpload(ADMIN_KEY, Buffer.alloc(LARGEST)), "invalid_image");
  for (const { socket } of uploads) socket.write("x");
  await Promise.all(uploads.map(({ nextData }) => nextData()));
  assert.equal(await tryUpload(key), "invalid_image");
});

test("Uploads of all keys together have a limit too", async (t) => {
  const { fill, tryUpload, createKey } = await startScene(t);
  const [first, second] = [await createKey({ plan: "business" }), await createKey({ plan: "business" })];
  const uploads = [...(await fill(first.key)), ...(await fill(second.key))];
  assert.equal(await tryUpload(), "unavailable");
  for (const { socket } of uploads) socket.destroy();
  while ((await tryUpload()) === "unavailable") await pause(10);
});

test("Memory that runs out in the middle of uploads refuses some of them, and the others end", async (t) => {
  const { open, tryUpload } = await startScene(t);
  const [count, block] = [12, Buffer.alloc(1024 * 1024)];
  const head = `${block.length.toString(16)}\r\n`;
  const uploads = Array.from({ length: count }, () =>
    open(["Transfer-Encoding: chunked", "Connection: close"]),
  );
  for (let sent = 0; sent < 9; sent++)
    for (const { socket } of uploads)
      if (socket.writable) socket.write(Buffer.concat([Buffer.from(head), block, Buffer.from("\r\n")]));
  for (const { socket } of uploads) if (socket.writable) socket.write("0\r\n\r\n");
  const answers = await Promise.all(uploads.map(({ answer }) => answer));
  const refused = answers.filter(({ status }) => status === 503);
  const read = answers.filter(({ status }) => status === 400);
  assert.equal(refused.length + read.length, count, answers.map(({ status }) => status).join(" "));
  // Each needs 12 MiB in the end, and 48 MiB are for one key.
  assert.ok(refused.length > 0 && read.length > 0, `${read.length} of ${count} were read`);
  for (const { headers } of refused)
    assert.deepEqual([headers["retry-after"], headers.connection], ["2", "close"]);
  assert.equal(await tryUpload(), "invalid_image");
});

test("Images of one key that take long keep no other key out", async (t) => {
  const { call, createKey } = await startScene(t);
  const { key } = await createKey({ plan: "business" });
  const large = makePng({ width: 7_000, height: 7_000 });
  const headers = { "content-type": "image/png" };
  const attack = Array.from({ length: 10 }, () =>
    call("POST", "/pets/1/photos", { body: large, headers, key }).then(({ status }) => status),
  );
  const others: number[] = [];
  for (const colour of ["red", "green", "blue"]) {
    const body = await drawImage(colour, { width: 320, height: 240 });
    others.push((await call("POST", "/pets/1/photos", { body, headers })).status);
  }
  assert.deepEqual(others, [201, 201, 201]);
  const statuses = await Promise.all(attack);
  assert.deepEqual(
    [statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 503).length],
    [3, 7],
  );
});

test("The bytes of an image that is processed count as memory, also when its client has left", async (t) => {
  const { open, tryUpload, untilReceived } = await startScene(t);
  const image = makePng({ width: 7_000, height: 7_000 });
  const body = Buffer.concat([image, Buffer.alloc(LARGEST - image.length)]);
  const uploads = Array.from({ length: AT_ONCE }, () => open([`Content-Length: ${LARGEST}`]));
  const [held, ...processed] = uploads as [Uploader, ...Uploader[]];
  held.socket.write(body.subarray(0, -1));
  for (const { socket } of processed) socket.write(body);
  const [, ...theirs] = await untilReceived(uploads);
  // Not once(), which rejects at the error that a reset is.
  const closed = Promise.all(theirs.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  for (const { socket } of processed) socket.resetAndDestroy();
  await closed;
  assert.equal(await tryUpload(), "unavailable");
  while ((await tryUpload()) === "unavailable") await pause(20);
});

test("An upload in very many small chunks is refused: each costs the service more than its client", async (t) => {
  const { open, tryUpload } = await startScene(t);
  const { socket, answer } = open(["Transfer-Encoding: chunked"]);
  for (let sent = 0; sent <= 100; sent++) socket.write("1\r\nx\r\n".repeat(1_000));
  const { status, body } = await answer;
  assert.deepEqual([status, JSON.parse(body).message], [400, "The body has too many small chunks."]);
  assert.equal(await tryUpload(), "invalid_image");
});

test("A service that stops does not wait for an upload that is not finished", async (t) => {
  const { open, stop, tryUpload } = await startScene(t);
  const { socket, answer } = open([`Content-Length: ${LARGEST}`]);
  socket.write("\x89PNG");
  await tryUpload();
  const stopped = stop();
  assert.equal(JSON.parse((await answer).body).code, "request_timeout");
  await stopped;
});
