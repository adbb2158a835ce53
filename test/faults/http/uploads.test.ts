// Uploads that are slow, end too early or lie about their length: each gets its response, and none keeps memory.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { countStatuses } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { openUpload, type Uploader } from "../../harness/clients/uploads.ts";
import { SCENE_MS } from "../../harness/runner/patience.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { makePng } from "../images/files.ts";

const LARGEST = 12 * 1024 * 1024;
/** Four of the largest uploads of one key may be in memory, and eight of all keys. */
const AT_ONCE = 4;
/** With an attack, an upload of another key takes at most this many times as long: both share the cores of the machine. */
const RATIO_MAX = 6;

async function startScene(t: TestContext, requestMs = 15_000) {
  const app = await startApp(t, { timeouts: { headersMs: requestMs, requestMs, checkEveryMs: 20 } });
  // On a busy machine it may itself take longer than `requestMs`.
  const body = { name: "Rex", categoryId: 1 };
  while ((await app.call("POST", "/pets", { body })).status === 408);
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
  const upload = (body: string | Buffer, key = ADMIN_KEY) =>
    app.call("POST", "/pets/1/photos", { body, headers: { "content-type": "image/png" }, key });
  /** A whole upload that is no image. Its response shows whether its body was read. */
  const tryUpload = async (key = ADMIN_KEY, bytes: string | Buffer = "no image") =>
    (await upload(bytes, key)).json.code;
  /** The median time of photos that are added one after the other. `before` runs before each, `after` after each. */
  const measurePhotos = async (hooks: { before?: () => Promise<unknown>; after?: () => void } = {}) => {
    const tookMs: number[] = [];
    for (const colour of ["red", "green", "blue"]) {
      const image = await drawImage(colour, { width: 320, height: 240 });
      await hooks.before?.();
      const startMs = performance.now();
      assert.equal((await upload(image)).status, 201);
      tookMs.push(performance.now() - startMs);
      hooks.after?.();
    }
    return tookMs.toSorted((a, b) => a - b)[1] as number;
  };
  return { ...app, open, fill, untilReceived, upload, tryUpload, measurePhotos };
}

/** `waitMs`: it may also wait this long. */
function assertNotSlower(t: TestContext, withMs: number, withoutMs: number, waitMs = 0): void {
  const figures = `${withMs.toFixed(0)} ms with the attack, ${withoutMs.toFixed(0)} ms without, ${waitMs.toFixed(0)} ms allowed to wait`;
  t.diagnostic(figures);
  assert.ok(withMs < RATIO_MAX * withoutMs + waitMs, figures);
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
  const { fill, upload, tryUpload, call } = await startScene(t);
  const endings: Record<string, (socket: Socket) => void> = {
    "a reset": (socket) => socket.resetAndDestroy(),
    "a closed connection": (socket) => socket.destroy(),
    "half of the connection closed": (socket) => socket.end(),
  };
  for (const [what, end] of Object.entries(endings))
    await t.test(`uploads that end with ${what} free their memory`, async () => {
      for (const { socket } of await fill()) end(socket);
      while ((await tryUpload()) === "unavailable") await pause(10);
    });
  // As those before it, this one finds all memory free.
  for (const { socket } of await fill()) socket.destroy();
  while ((await tryUpload()) === "unavailable") await pause(10);
  assert.equal((await upload("x")).status, 400);
  assert.deepEqual((await call("PATCH", "/pets/1/photos", { body: { order: [] } })).json, []);
});

test("A key whose uploads fill half of the memory gets 503 with Retry-After; others are not affected", async (t) => {
  const { open, fill, upload, tryUpload, call, createKey } = await startScene(t);
  const { key } = await createKey({ plan: "business" });
  const uploads = await fill(key);
  const refused = await upload(Buffer.alloc(1_000_000), key);
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
  const { upload, measurePhotos, createKey } = await startScene(t);
  const { key } = await createKey({ plan: "business" });
  const large = makePng({ width: 7_000, height: 7_000 });
  const attack = Array.from({ length: 10 }, () => upload(large, key));
  await measurePhotos();
  assert.deepEqual(countStatuses(await Promise.all(attack)), { 201: 3, 503: 7 });
});

test("Uploads of one key that are announced and not sent take no time and no memory from others", async (t) => {
  const { open, tryUpload, untilReceived, measurePhotos, createKey } = await startScene(t, SCENE_MS);
  const { key } = await createKey({ plan: "business" });
  const sendAll = () =>
    Promise.all(Array.from({ length: AT_ONCE }, () => tryUpload(ADMIN_KEY, Buffer.alloc(LARGEST))));
  // The first photo starts what later ones find ready.
  await measurePhotos();
  const without = { tookMs: await measurePhotos(), codes: await sendAll() };
  const silent = Array.from({ length: 2 * AT_ONCE }, () => open([`Content-Length: ${LARGEST}`], key));
  await untilReceived(silent);
  const tookMs = await measurePhotos();
  assert.deepEqual(await sendAll(), without.codes);
  assert.deepEqual(without.codes, Array(AT_ONCE).fill("invalid_image"));
  assertNotSlower(t, tookMs, without.tookMs);
  for (const { socket } of silent) assert.equal(socket.bytesRead, 0, "the attack lasted to the end");
});

test("A photo of another key waits for one image of a key that sends many large ones, at most", async (t) => {
  const { upload, createKey, measurePhotos } = await startScene(t);
  const { key } = await createKey({ plan: "business" });
  const large = makePng({ width: 7_000, height: 7_000 });
  await measurePhotos();
  const withoutMs = await measurePhotos();
  const attack: Promise<number>[] = [];
  let processed = 0;
  const sendLarge = async () => {
    const { status } = await upload(large, key);
    if (status === 201) processed += 1;
    return status;
  };
  const startMs = performance.now();
  assert.equal(await sendLarge(), 201);
  const largeMs = performance.now() - startMs;
  let processedBefore = 0;
  const waitedFor: number[] = [];
  const withMs = await measurePhotos({
    before: async () => {
      const sent = Array.from({ length: 10 }, sendLarge);
      attack.push(...sent);
      // When one is refused, as many as possible are processed or wait.
      await Promise.any(sent.map(async (status) => assert.equal(await status, 503)));
      processedBefore = processed;
    },
    after: () => waitedFor.push(processed - processedBefore),
  });
  // A count, and not only a time: it depends less on how busy the machine is.
  assert.ok((waitedFor.toSorted()[1] as number) <= 1, `images of the attack before it: ${waitedFor}`);
  assertNotSlower(t, withMs, withoutMs, largeMs);
  await Promise.all(attack);
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
