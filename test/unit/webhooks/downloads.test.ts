// Downloads from servers that answer well, badly, slowly, too much or not at all.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createAddressRules } from "../../../src/webhooks/addresses.ts";
import { createDownload, DownloadError } from "../../../src/webhooks/downloads.ts";
import { createTargets } from "../../../src/webhooks/targets.ts";
import { flood, PATIENT_MS, SENT_BYTES_MAX, SHORT_MS, startTls } from "./scene.ts";

const BYTES_MAX = 64 * 1024;
const FILE = "x".repeat(BYTES_MAX);
const PROXIES = { httpsProxy: undefined, httpProxy: undefined, noProxy: [] };
const ANSWER = "HTTP/1.1 200 OK\r\n";

interface Options {
  allow?: string[];
  downloadMs?: number;
  address?: string;
  path?: string;
}

/** Downloads from a server that answers a request in this way. */
async function download(t: TestContext, answer: (socket: Socket) => unknown, options: Options = {}) {
  const {
    allow = ["127.0.0.1"],
    downloadMs = PATIENT_MS,
    address = "127.0.0.1",
    path = "/rex.webp",
  } = options;
  const server = await startTls(t, (socket) => void answer(socket));
  const rules = createAddressRules({ allowHttp: false, allow, findOwn: () => [] });
  const resolve = async () => [{ address, family: 4 as const }];
  const targets = createTargets({ rules, proxies: PROXIES, resolve });
  const run = createDownload({ targets, connectMs: PATIENT_MS, downloadMs, ca: server.ca });
  const url = `https://hooks.example.net:${server.port}${path}`;
  return { ...server, result: run(url, BYTES_MAX) };
}

test("reads a file up to its limit", async (t) => {
  const head = `${ANSWER}Content-Length: ${FILE.length}\r\n\r\n`;
  const { result, received } = await download(t, (socket) => socket.end(head + FILE), { path: "/a.png?b=c" });
  assert.equal(String(await result), FILE);
  assert.match(received[0] ?? "", /^GET \/a\.png\?b=c HTTP\/1\.1\r\n/);
  assert.doesNotMatch(received[0] ?? "", /authorization|cookie/i);
});

const refused: Record<string, [message: RegExp, answer: (socket: Socket) => unknown, options?: Options]> = {
  "drops the connection": [/closed/, (socket) => socket.destroy()],
  "closes the connection without an answer": [/closed/, (socket) => socket.end()],
  "never answers": [/^No response within 0\.15 s\.$/, () => {}, { downloadMs: SHORT_MS }],
  "sends a byte at a time": [
    /^No response within 0\.15 s\.$/,
    (socket) => {
      socket.write(`${ANSWER}Content-Length: 1000\r\n\r\n`);
      const timer = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(timer));
    },
    { downloadMs: SHORT_MS },
  ],
  "stops in the middle": [
    /^the connection was closed before the end of the file$/,
    (socket) => socket.end(`${ANSWER}Content-Length: 1000\r\n\r\nhalf`),
  ],
  "announces 1 GB": [
    /^it is larger than 0\.0625 MiB$/,
    (socket) => socket.write(`${ANSWER}Content-Length: 1073741824\r\n\r\n`),
  ],
  redirects: [
    /^the server redirects to another address \(status 302\)$/,
    (socket) => socket.end(`HTTP/1.1 302 Found\r\nLocation: https://hooks.example.net/\r\n\r\n`),
  ],
  "answers with an error": [
    /^the server answers with status 404$/,
    (socket) => socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
  ],
  "does not speak HTTP": [/^The response is not valid HTTP/, (socket) => socket.end("hello\r\n\r\n")],
  "is at a private address": [
    /^url must not lead to a private network/,
    () => assert.fail("a request was sent"),
    { allow: [], address: "10.0.0.1" },
  ],
  "is this machine": [
    /^url must not lead to a private network/,
    () => assert.fail("a request was sent"),
    { allow: [] },
  ],
};
for (const [what, [message, answer, options]] of Object.entries(refused))
  test(`a server that ${what} is refused`, async (t) => {
    const { result } = await download(t, answer, options);
    await assert.rejects(result, (error) => {
      assert.ok(error instanceof DownloadError, String(error));
      assert.match(error.message, message);
      return true;
    });
  });

const endless: Record<string, [message: RegExp, head: string, text: string]> = {
  "an endless file": [/it is larger than/, `${ANSWER}\r\n`, "x"],
  "a file of endless tiny chunks": [
    /sent too much/,
    `${ANSWER}Transfer-Encoding: chunked\r\n\r\n`,
    "1\r\nx\r\n",
  ],
  "an answer of endless interim responses": [/sent too much/, "", "HTTP/1.1 103 Early Hints\r\n\r\n"],
};
for (const [what, [message, head, text]] of Object.entries(endless))
  test(`${what} is cut`, async (t) => {
    const sent = Promise.withResolvers<number>();
    const { result } = await download(t, (socket) => {
      socket.write(head);
      void flood(socket, text).then(sent.resolve);
    });
    await assert.rejects(result, message);
    assert.ok((await sent.promise) < SENT_BYTES_MAX, `${await sent.promise} bytes were sent`);
  });
