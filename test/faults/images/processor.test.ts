// Processes that convert images: how many at a time, how long, and what happens when one fails.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { getPriority } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import type { ImageProcessor } from "../../../src/domain/animals/stored-image.ts";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import { createImageProcessor, findImageFault } from "../../../src/images/processor.ts";
import { readResult, writeResult } from "../../../src/images/result.ts";
import { WORKER_FILE } from "../../../src/images/worker.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { PATIENT_IMAGE_MS } from "../../harness/runner/patience.ts";
import { claimJpeg, detailed } from "./files.ts";

const SOURCES = join(WORKER_FILE, "../..");
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

function makeProcessor(
  t: TestContext,
  options: { workerFile?: string; limitMs?: number } = {},
): ImageProcessor {
  const processor = createImageProcessor({ limitMs: PATIENT_IMAGE_MS, ...options });
  t.after(() => processor.close());
  return processor;
}

function writeWorker(t: TestContext, code: string): string {
  const file = join(makeFolder(t), "worker.mjs");
  writeFileSync(file, code);
  return file;
}

async function failureOf(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => assert.fail("the image was processed"),
    (each) => each,
  );
  assert.ok(error instanceof ServiceError, error);
  return error;
}

test("converts an image, and the process runs to its end despite signals", async (t) => {
  const bytes = await detailed(700, 500).jpeg().toBuffer();
  const child = spawn(process.execPath, [WORKER_FILE], { env: {}, stdio: ["pipe", "pipe", "inherit"] });
  const output = buffer(child.stdout);
  // More than the pipe holds, so that the worker is reading when this is written.
  const padded = Buffer.concat([bytes, Buffer.alloc(4_000_000)]);
  await new Promise((resolve) => child.stdin.write(padded, resolve));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) child.kill(signal);
  child.stdin.end();
  const result = readResult(await output);
  assert.ok(result !== undefined && "image" in result);
  const { image } = result;
  const again = await makeProcessor(t).processImage(bytes, 1n);
  assert.deepEqual(image, again);
  assert.deepEqual([image.width, image.height], [700, 500]);
  assert.deepEqual(
    image.variants.map(({ width, bytes }) => [width, bytes.toString("latin1", 8, 12)]),
    [
      [640, "WEBP"],
      [320, "WEBP"],
    ],
  );
});

test("refuses bytes that are no image, and damaged images, with invalid_image", async (t) => {
  const { processImage } = makeProcessor(t);
  for (const bytes of [Buffer.from("text"), JPEG_START]) {
    const { body } = await failureOf(processImage(bytes, 1n));
    assert.deepEqual([body.code, body.status], ["invalid_image", 400]);
  }
});

test("refuses progressive JPEG files that need more than 320 MB, whatever their header claims", async (t) => {
  const { processImage } = makeProcessor(t);
  const message =
    "The image needs more than 320 MB of memory. Save it without interlacing (PNG) or progressive encoding (JPEG), or make it smaller.";
  for (const colours of [{ isCmyk: true }, { isCmyk: true, sampling: 0x22 }]) {
    const bytes = await claimJpeg(7_000, colours);
    assert.deepEqual((await failureOf(processImage(bytes, 1n))).body, {
      code: "invalid_image",
      message,
      status: 400,
    });
  }
  const { width, height } = await processImage(await claimJpeg(7_000), 1n);
  assert.deepEqual([width, height], [7_000, 7_000]);
});

test("without sharp: 503, and the reason for the operator", async (t) => {
  const folder = makeFolder(t);
  for (const part of ["images", "domain"])
    cpSync(join(SOURCES, part), join(folder, part), { recursive: true });
  const workerFile = join(folder, "images/worker.ts");
  const error = await failureOf(makeProcessor(t, { workerFile }).processImage(JPEG_START, 1n));
  assert.deepEqual([error.code, error.body.status], ["unavailable", 503]);
  assert.match(error.message, /image library cannot be loaded.*doctor/);
  assert.match(String(error.cause), /Cannot find package 'sharp'/);
  assert.match(String(await findImageFault(workerFile)), /Cannot find package 'sharp'/);
});

test("here, images can be processed", async () => {
  assert.equal(await findImageFault(), undefined);
});

/** Workers that report to the test and wait for its word. */
async function startHeldWorkers(t: TestContext) {
  const waiting: Socket[] = [];
  let started = () => {};
  const server = createServer((socket) => {
    waiting.push(socket);
    started();
  });
  server.listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const done = writeResult({ invalid: "done" }).toString("base64");
  const workerFile = writeWorker(
    t,
    `import { connect } from "node:net";
     import { getPriority } from "node:os";
     const socket = connect(${port}, "127.0.0.1", () => socket.write(String(getPriority())));
     socket.once("end", () => process.stdout.write(Buffer.from("${done}", "base64"), () => process.exit(0)));
     socket.resume();`,
  );
  return {
    workerFile,
    waiting,
    async next(): Promise<Socket> {
      while (waiting.length === 0) await new Promise<void>((resolve) => (started = resolve));
      return waiting.shift() as Socket;
    },
  };
}

test("one image of a key at a time, two wait, and the next is refused with Retry-After", async (t) => {
  const workers = await startHeldWorkers(t);
  const { processImage } = makeProcessor(t, { workerFile: workers.workerFile });
  const results = Array.from({ length: 3 }, () => failureOf(processImage(JPEG_START, 1n)));
  const refused = await failureOf(processImage(JPEG_START, 1n));
  assert.deepEqual([refused.code, refused.retryAfterSeconds], ["unavailable", 2]);
  assert.match(refused.message, /^3 images of this key are being processed\./);

  const first = await workers.next();
  results.push(failureOf(processImage(JPEG_START, 2n)), failureOf(processImage(JPEG_START, 3n)));
  let running = [first, await workers.next()];
  for (let left = 2; left > 0; left -= 1) {
    assert.equal(workers.waiting.length, 0, "no third process");
    const [oldest, other] = running as [Socket, Socket];
    oldest.end();
    running = [other, await workers.next()];
  }
  for (const socket of running) socket.end();
  (await workers.next()).end();
  for (const { code, message } of await Promise.all(results))
    assert.deepEqual([code, message], ["invalid_image", "done"]);

  const later = failureOf(processImage(JPEG_START, 1n));
  (await workers.next()).end();
  assert.equal((await later).code, "invalid_image", "the places are free again");
});

test("an image that has waited too long gets 503 with Retry-After", async (t) => {
  const workerFile = writeWorker(t, "setInterval(() => {}, 1e6);");
  const { processImage } = makeProcessor(t, { workerFile, limitMs: 200 });
  const owners = [1n, 2n, 3n, 4n, 5n, 6n];
  const refused = await Promise.all(owners.map((owner) => failureOf(processImage(JPEG_START, owner))));
  const late = refused.filter(({ message }) => /^Too many images are being processed/.test(message));
  assert.ok(late.length > 0);
  for (const { code, retryAfterSeconds } of late)
    assert.deepEqual([code, retryAfterSeconds], ["unavailable", 2]);
});

test("workers have a lower priority than the service", async (t) => {
  const workers = await startHeldWorkers(t);
  const { processImage } = makeProcessor(t, { workerFile: workers.workerFile });
  const result = failureOf(processImage(JPEG_START, 1n));
  const socket = await workers.next();
  const [sent] = await once(socket, "data");
  assert.ok(Number(sent) > getPriority(), `priority ${sent}`);
  socket.end();
  await result;
});

test("workers get no setting and no secret of the service", async (t) => {
  const workerFile = writeWorker(
    t,
    `process.stdout.write(JSON.stringify({ invalid: Object.keys(process.env).join() }) + "\\n");`,
  );
  const { message } = await failureOf(makeProcessor(t, { workerFile }).processImage(JPEG_START, 1n));
  assert.deepEqual(
    message.split(",").filter((name) => name !== "NODE_COMPILE_CACHE"),
    ["JPEGMEM"],
  );
});

test("closing ends running and waiting work", async (t) => {
  const workers = await startHeldWorkers(t);
  const processor = makeProcessor(t, { workerFile: workers.workerFile });
  const results = [1n, 2n, 3n].map((owner) => failureOf(processor.processImage(JPEG_START, owner)));
  await workers.next();
  processor.close();
  for (const { code, message } of await Promise.all(results))
    assert.deepEqual([code, message], ["unavailable", "The image could not be processed."]);
});

const FAILING: Record<string, { code: string; limitMs?: number; message: RegExp; cause: RegExp }> = {
  "takes too long": {
    // As the real worker, which finishes its image when the service is asked to stop.
    code: 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6);',
    limitMs: 1_000,
    message: /took longer than 1 s/,
    cause: /^undefined$/,
  },
  crashes: { code: "process.abort();", message: /could not be processed/, cause: /SIGABRT/ },
  "fails with an error": {
    code: 'throw new Error("broken library");',
    message: /could not be processed/,
    cause: /code 1.*broken library/s,
  },
  "ends without a result": { code: "", message: /could not be processed/, cause: /code 0/ },
  "ends in the middle of its result": {
    code: `process.stdout.write('{"image":{"variants":[{"width":1,"size":9}]}}\\nRIFF');`,
    message: /could not be processed/,
    cause: /code 0/,
  },
};

for (const [what, { code, limitMs = PATIENT_IMAGE_MS, message, cause }] of Object.entries(FAILING)) {
  test(`a worker that ${what}: 503, without details for the client`, { timeout: 30_000 }, async (t) => {
    const error = await failureOf(
      makeProcessor(t, { workerFile: writeWorker(t, code), limitMs }).processImage(JPEG_START, 1n),
    );
    assert.equal(error.body.status, 503);
    assert.match(error.message, message);
    assert.match(String(error.cause), cause);
  });
}

test("without file descriptors an image is refused, and the service goes on", async () => {
  const program = `
    import { closeSync, openSync } from "node:fs";
    import { createImageProcessor } from ${JSON.stringify(join(SOURCES, "images/processor.ts"))};
    const files = [];
    try { for (;;) files.push(openSync("/dev/null")); } catch {}
    const failure = await createImageProcessor().processImage(Buffer.alloc(64, "\xff\xd8\xff", "latin1"), 1n).catch((error) => error);
    for (const file of files) closeSync(file);
    console.log(failure.code, failure.cause.code);
  `;
  const limited = `ulimit -n 64; exec "$0" --input-type=module --eval "$1"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", limited, process.execPath, program]);
  assert.equal(stdout, "unavailable EMFILE\n");
});
