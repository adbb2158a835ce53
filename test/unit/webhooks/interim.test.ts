// Receivers and proxies that send without end before their response: the attempt ends early, and says why.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptResult } from "../../../src/webhooks/sender.ts";
import { attempt, flood, replyWith, SENT_BYTES_MAX, startFlood, startRaw, startTls } from "./scene.ts";

const PROCESSING = "HTTP/1.1 102 Processing\r\n\r\n";
const HINTS = `HTTP/1.1 103 Early Hints\r\nLink: <${"x".repeat(1_000)}>\r\n\r\n`;
const FINAL = "HTTP/1.1 204 No Content\r\n\r\n";
const ENDED = "The server sent too much before its response.";

/** Repeated lines of a server, and their meaning after CONNECT, where Node takes any status for the final one. */
const FLOODS: Record<string, { text: string; refusal: string }> = {
  "102 Processing": { text: PROCESSING, refusal: "The proxy refused the connection with 102." },
  "103 Early Hints": { text: HINTS, refusal: "The proxy refused the connection with 103." },
  "blank lines": { text: "\r\n", refusal: ENDED },
};

function assertEndedEarly(result: AttemptResult, sentBytes: number, error = ENDED): void {
  assert.deepEqual([result.status, result.error], [undefined, error]);
  assert.ok(sentBytes < SENT_BYTES_MAX, `${sentBytes} bytes were taken from it`);
}

for (const [what, { text, refusal }] of Object.entries(FLOODS)) {
  test(`a receiver that sends ${what} without end fails the attempt early`, async (t) => {
    const { port, sent } = await startFlood(t, text);
    assertEndedEarly(await attempt(`http://127.0.0.1:${port}/`), await sent);
  });

  test(`a proxy that sends ${what} without end instead of a tunnel fails the attempt early`, async (t) => {
    const { port, sent } = await startFlood(t, text);
    const proxies = { httpsProxy: `http://127.0.0.1:${port}` };
    assertEndedEarly(await attempt("https://hooks.example.net/", { proxies }), await sent, refusal);
  });

  test(`a receiver that sends ${what} without end over TLS fails the attempt early`, async (t) => {
    const sent = Promise.withResolvers<number>();
    const { port, ca } = await startTls(t, (socket) => void flood(socket, text).then(sent.resolve));
    const url = `https://hooks.example.net:${port}/`;
    assertEndedEarly(await attempt(url, { ca, addresses: [["127.0.0.1"]] }), await sent.promise);
  });
}

test("a proxy that forwards 102 Processing without end fails the attempt early", async (t) => {
  const { port, sent } = await startFlood(t, PROCESSING);
  const proxies = { httpProxy: `http://127.0.0.1:${port}` };
  assertEndedEarly(await attempt("http://hooks.example.net/", { proxies }), await sent);
});

test("8 interim responses before the final one are accepted, 9 are not", async (t) => {
  const send = async (count: number) => {
    const port = await startRaw(t, replyWith(PROCESSING.repeat(count) + FINAL));
    return attempt(`http://127.0.0.1:${port}/`);
  };
  assert.equal((await send(8)).status, 204);
  assert.equal((await send(9)).error, ENDED);
});

test("64 KiB before the final response are accepted, more is not", async (t) => {
  const send = async (bytes: number) => {
    const port = await startRaw(t, (socket) => {
      socket.once("data", () => {
        socket.write("\r\n".repeat(bytes / 2));
        // Separate, so that the response is not in the piece that crosses the limit.
        setImmediate(() => socket.write(FINAL));
      });
    });
    return attempt(`http://127.0.0.1:${port}/`);
  };
  assert.equal((await send(32_768)).status, 204);
  assert.equal((await send(262_144)).error, ENDED);
});

test("a response whose chunks are mostly extensions is cut, and counts with its status", async (t) => {
  const chunk = `1;${"x".repeat(8_000)}\r\na\r\n`;
  const { port, sent } = await startFlood(t, chunk, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  const { status, body } = await attempt(`http://127.0.0.1:${port}/`);
  assert.equal(status, 200);
  assert.ok(body.length < 100, `${body.length} chunks were read`);
  assert.ok((await sent) < SENT_BYTES_MAX);
});
