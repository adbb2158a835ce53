// One attempt against receivers that answer well, badly, slowly, too much or not at all.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import type { FailureCause } from "../../../src/domain/webhooks/delivery-failures.ts";
import { VERSION } from "../../../src/tools/program.ts";
import { AttemptError } from "../../../src/webhooks/failures.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { startScripted } from "../../harness/servers/scripted-server.ts";
import {
  attempt,
  BODY,
  EVENT_ID,
  PATIENT_MS,
  replyWith,
  SECRET,
  SENT_BYTES_MAX,
  SHORT_MS,
  startFlood,
  startRaw,
  startTls,
} from "./scene.ts";

/** Long enough for headers on a busy machine. */
const BODY_MS = 2_000;

test("sends the event with the headers of the standard, which its package verifies", async (t) => {
  const receiver = await startScripted(t, { status: 202, body: "thanks" });
  const result = await attempt(`${receiver.url}/hooks?from=store#part`);
  assert.deepEqual({ ...result, durationMs: 0 }, { status: 202, durationMs: 0, body: "thanks" });
  assert.ok(Number.isInteger(result.durationMs) && result.durationMs >= 0);
  const [request] = receiver.requests;
  assert.ok(request);
  assert.deepEqual([request.method, request.url, request.body], ["POST", "/hooks?from=store", BODY]);
  const { headers } = request;
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["user-agent"], `animal-store/${VERSION}`);
  assert.equal(headers["webhook-id"], EVENT_ID);
  assert.equal(headers.host, new URL(receiver.url).host);
  new Webhook(SECRET).verify(request.body, headers as Record<string, string>);
});

test("any status is reported, and no redirect is followed", async (t) => {
  const other = await startScripted(t, {});
  const location = { location: `${other.url}/other` };
  for (const status of [200, 204, 301, 302, 303, 307, 308, 400, 404, 410, 500, 503]) {
    const receiver = await startScripted(t, { status, headers: location, body: "" });
    const result = await attempt(receiver.url);
    assert.deepEqual([result.status, result.error], [status, undefined]);
    assert.equal(receiver.requests.length, 1);
  }
  assert.equal(other.requests.length, 0);
});

test("Retry-After is read as seconds or as a date, and ignored if it is neither", async (t) => {
  const askFor = async (text: string) => {
    const receiver = await startScripted(t, { status: 429, headers: { "retry-after": text } });
    const result = await attempt(receiver.url);
    assert.equal(result.status, 429);
    return result.retryAfterMs;
  };
  assert.equal(await askFor("120"), 120_000);
  assert.equal(await askFor("0"), 0);
  const hourMs = 3_600_000;
  const waitMs = (await askFor(new Date(Date.now() + hourMs).toUTCString())) as number;
  assert.ok(waitMs > hourMs / 2 && waitMs <= hourMs, String(waitMs));
  assert.equal(await askFor("Wed, 21 Oct 2015 07:28:00 GMT"), 0);
  for (const text of ["soon", "-1", "1.5", "2030-01-01", "1e3"]) assert.equal(await askFor(text), undefined);
});

test("the first 1 kB of the response is reported, without half a character", async (t) => {
  const receiver = await startScripted(t, { body: "ä".repeat(1_000) }, { body: `x${"ä".repeat(1_000)}` });
  assert.equal((await attempt(receiver.url)).body, "ä".repeat(512));
  assert.equal((await attempt(receiver.url)).body, `x${"ä".repeat(511)}`);
});

test("an endless response is cut after a few kilobytes, and counts with its status", async (t) => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n";
  const { port, sent } = await startFlood(t, "x", head);
  const result = await attempt(`http://127.0.0.1:${port}/`);
  assert.deepEqual([result.status, result.body], [200, "x".repeat(1024)]);
  assert.ok((await sent) < SENT_BYTES_MAX, `${await sent} bytes were sent`);
});

test("a response that stops after its headers counts with its status", async (t) => {
  const cut = await startRaw(t, (socket) => {
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
  });
  const done = await attempt(`http://127.0.0.1:${cut}/`);
  assert.deepEqual([done.status, done.error, done.body], [200, undefined, "half"]);
  // A byte a minute: the limit of the attempt ends it.
  const slow = await startRaw(t, replyWith("HTTP/1.1 500 Failed\r\nContent-Length: 100\r\n\r\nh"));
  const limited = await attempt(`http://127.0.0.1:${slow}/`, { attemptMs: BODY_MS });
  assert.deepEqual([limited.status, limited.error, limited.body], [500, undefined, "h"]);
});

/** Actions of a receiver on its connection, and the error in the result. */
const WITHOUT_RESPONSE: Record<string, { act: (socket: Socket) => void; error: RegExp }> = {
  "hangs after it has accepted": { act: () => {}, error: /^No response within 0\.15 s\.$/ },
  "sends its headers too slowly": {
    act: (socket) => socket.write("HTTP/1.1 200 OK\r\nX-Slow: "),
    error: /^No response within/,
  },
  "closes at once": {
    act: (socket) => socket.destroy(),
    error: /^The connection was closed before a response\.$/,
  },
  "closes within the headers": {
    act: (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nX-Cut: ")),
    error: /^(?:The connection was closed before a response|The response is not valid HTTP \(HPE_\w+\))\.$/,
  },
  "speaks another protocol": {
    act: (socket) => socket.write("220 mail.example.net ESMTP\r\n"),
    error: /^The response is not valid HTTP \(HPE_\w+\)\.$/,
  },
  "switches protocols": {
    act: replyWith("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    error: /^The connection was closed before a response\.$/,
  },
  "sends endless headers": {
    act: replyWith(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`),
    error: /^The headers of the response are too large\.$/,
  },
};
for (const [what, { act, error }] of Object.entries(WITHOUT_RESPONSE))
  test(`a receiver that ${what} fails the attempt`, async (t) => {
    const port = await startRaw(t, act);
    const attemptMs = error.source.includes("No response") ? SHORT_MS : PATIENT_MS;
    const result = await attempt(`http://127.0.0.1:${port}/`, { attemptMs });
    assert.equal(result.status, undefined);
    assert.match(result.error ?? "", error);
  });

test("a refused connection fails the attempt", async () => {
  const result = await attempt(`http://127.0.0.1:${await findFreePort()}/`);
  assert.deepEqual([result.status, result.error], [undefined, "The connection was refused."]);
});

test("a connection that is not established in time fails the attempt", async (t) => {
  // A server that accepts but never answers the TLS handshake.
  const port = await startRaw(t, () => {});
  const result = await attempt(`https://127.0.0.1:${port}/`, { connectMs: SHORT_MS });
  assert.equal(result.error, "No connection within 0.15 s.");
});

test("a name without an address, and a name server that does not answer, fail the attempt", async () => {
  const unknown = await attempt("https://hooks.example.net/", { addresses: [[]] });
  assert.match(unknown.error ?? "", /^The host name has no address\.$/);
  const sendWith = async (resolve: () => Promise<never>) =>
    (await attempt("https://hooks.example.net/", { resolve, connectMs: SHORT_MS })).error;
  const fail = (cause: FailureCause) => async () => {
    throw new AttemptError(cause);
  };
  assert.equal(await sendWith(fail("look_up_failed")), "The look-up of the host name failed.");
  assert.equal(await sendWith(() => new Promise<never>(() => {})), "No connection within 0.15 s.");
});

test("a URL that is not allowed fails the attempt without a connection", async (t) => {
  const receiver = await startScripted(t, {});
  const result = await attempt(receiver.url, { allow: [] });
  assert.match(result.error ?? "", /127\.0\.0\.1, a loopback address/);
  assert.equal(receiver.requests.length, 0);
});

test("the socket connects to the address that was checked, not to a later answer of DNS", async (t) => {
  const receiver = await startScripted(t, {}, {});
  const { port } = new URL(receiver.url);
  const url = `http://hooks.example.net:${port}/`;
  // The second look-up would give another address.
  const addresses = [["127.0.0.1"], ["127.0.0.2"]];
  assert.equal((await attempt(url, { addresses })).status, 200);
  assert.equal(addresses.length, 1, "one look-up for one attempt");
  const [request] = receiver.requests;
  assert.equal(request?.headers.host, `hooks.example.net:${port}`);
  // The next attempt gets the private address and does not connect.
  const rebound = await attempt(url, { addresses: [["127.0.0.1"]], allow: [] });
  assert.match(rebound.error ?? "", /private network/);
  assert.equal(receiver.requests.length, 1);
});

test("of several addresses only the allowed one is used, and the next one if the first refuses", async (t) => {
  const receiver = await startScripted(t, {}, {});
  const port = Number(new URL(receiver.url).port);
  const url = `http://hooks.example.net:${port}/`;
  let isReached = false;
  // It would answer, so that nothing but the rule keeps the sender away.
  const forbidden = createServer((socket) => {
    isReached = true;
    // A socket that reads nothing does not notice its end.
    socket.resume().on("error", () => {});
    socket.end("HTTP/1.1 418 Reached\r\n\r\n");
  });
  forbidden.listen(port, "127.0.0.9");
  await once(forbidden, "listening");
  const several = () => ({ addresses: [["127.0.0.9", "127.0.0.1"]] });
  assert.equal((await attempt(url, several())).status, 200);
  assert.equal(isReached, false);
  assert.equal((await attempt(url, { ...several(), allow: ["127.0.0.0/8"] })).status, 418, "in their order");
  forbidden.close();
  await once(forbidden, "close");
  assert.equal((await attempt(url, { ...several(), allow: ["127.0.0.0/8"] })).status, 200);
});

test("a trusted certificate for the name is accepted", async (t) => {
  const { port, ca, received, names } = await startTls(t);
  const result = await attempt(`https://hooks.example.net:${port}/`, { ca, addresses: [["127.0.0.1"]] });
  assert.deepEqual([result.status, result.error], [204, undefined]);
  assert.match(received[0] ?? "", /^POST \/ HTTP\/1\.1\r\n/);
  assert.deepEqual(names, ["hooks.example.net"]);
});

test("a self-signed certificate, and one for another name, fail the attempt before anything is sent", async (t) => {
  const { port, ca, received } = await startTls(t);
  const untrusted = await attempt(`https://hooks.example.net:${port}/`, { addresses: [["127.0.0.1"]] });
  assert.equal(untrusted.error, "The TLS connection failed (DEPTH_ZERO_SELF_SIGNED_CERT).");
  const other = await attempt(`https://other.example.net:${port}/`, { ca, addresses: [["127.0.0.1"]] });
  assert.equal(other.error, "The TLS connection failed (ERR_TLS_CERT_ALTNAME_INVALID).");
  const address = await attempt(`https://127.0.0.1:${port}/`, { ca });
  assert.equal(address.error, "The TLS connection failed (ERR_TLS_CERT_ALTNAME_INVALID).");
  assert.deepEqual(received, []);
});

test("a stopping service ends the attempt at once", async (t) => {
  const stopping = new AbortController();
  const port = await startRaw(t, (socket) => socket.once("data", () => stopping.abort()));
  const result = await attempt(`http://127.0.0.1:${port}/`, { signal: stopping.signal });
  assert.deepEqual([result.status, result.error], [undefined, "The service is stopping."]);
  const later = await attempt(`http://127.0.0.1:${port}/`, { signal: stopping.signal });
  assert.equal(later.error, "The service is stopping.");
  // A failed look-up that nothing waits for would end the process.
  const resolve = () => assert.fail("no look-up begins");
  const unknown = await attempt("http://unknown.example/", { signal: stopping.signal, resolve });
  assert.equal(unknown.error, "The service is stopping.");
});

test("nothing stays open after an attempt", async (t) => {
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
  const port = await startRaw(t, (socket) => {
    socket.on("close", () => onClosed());
    socket.once("data", () =>
      socket.write("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"),
    );
  });
  assert.equal((await attempt(`http://127.0.0.1:${port}/`)).body, "ok");
  await closed;
});
