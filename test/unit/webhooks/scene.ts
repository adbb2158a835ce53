// A sender for tests, and receivers on raw sockets.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { systemClock } from "../../../src/domain/basics/clock.ts";
import { recogniseFailure } from "../../../src/domain/webhooks/delivery-failures.ts";
import { createAddressRules } from "../../../src/webhooks/addresses.ts";
import type { ProxySettings } from "../../../src/webhooks/proxy.ts";
import type { Resolve } from "../../../src/webhooks/resolver.ts";
import { type AttemptResult, createSender } from "../../../src/webhooks/sender.ts";
import { deriveSecret } from "../../../src/webhooks/signature.ts";
import { createTargets } from "../../../src/webhooks/targets.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

export const SECRET = deriveSecret("a-master-key-of-at-least-32-characters", 1n, 1);
export const EVENT_ID = "evt_k3f_7";
export const BODY = '{"id":"evt_k3f_7","type":"pet.created","data":{"pet":{"name":"Æsop"}}}';
/** Longer than any test needs, and far below the limit of a test. */
export const PATIENT_MS = 8_000;
export const SHORT_MS = 150;
const PIECE_BYTES = 65_536;
/** The buffers of two sockets, and the bytes read in the tick that ends the attempt. */
export const SENT_BYTES_MAX = 16 * 1_048_576;

interface AttemptOptions {
  connectMs?: number;
  attemptMs?: number;
  signal?: AbortSignal;
  allow?: string[];
  ca?: string;
  proxies?: Partial<ProxySettings>;
  /** The addresses of every name, one list per look-up. */
  addresses?: string[][];
  resolve?: Resolve;
}

/** Asserts of a failure that the console can translate it. */
export async function attempt(url: string, options: AttemptOptions = {}): Promise<AttemptResult> {
  const { connectMs = PATIENT_MS, attemptMs = PATIENT_MS, allow = ["127.0.0.1"], ca, addresses } = options;
  const rules = createAddressRules({ allowHttp: true, allow, findOwn: () => [] });
  const proxies = { httpsProxy: undefined, httpProxy: undefined, noProxy: [], ...options.proxies };
  const takeNext = async () =>
    (addresses?.shift() ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const targets = createTargets({ rules, proxies, resolve: options.resolve ?? takeNext });
  const send = createSender({ targets, clock: systemClock, connectMs, attemptMs, ...(ca && { ca }) });
  const message = { url, eventId: EVENT_ID, body: BODY, secrets: [SECRET] };
  const result = await send(message, options.signal ?? new AbortController().signal);
  if (result.error !== undefined) assertKnown(result.error);
  return result;
}

/** Without a cause or a code of Node, only the English message of an error is left. */
function assertKnown(error: string): void {
  const { cause, details } = recogniseFailure(error) ?? {};
  assert.ok(cause !== undefined, error);
  if (cause === "request_failed") assert.match(String(details?.code), /^[A-Z0-9_]+$/);
}

/** A TCP server; its connections end with the test. */
export async function startRaw(t: TestContext, onConnection: (socket: Socket) => void): Promise<number> {
  return listen(
    t,
    createServer((socket) => onConnection(socket)),
  );
}

/** Answers the first bytes of a connection with the text. */
export function replyWith(text: string): (socket: Socket) => void {
  return (socket) => void socket.once("data", () => socket.write(text));
}

/** Sends the text again and again until its socket is closed. Resolves to the bytes sent. */
export function flood(socket: Socket, text: string): Promise<number> {
  const piece = Buffer.from(text.repeat(Math.ceil(PIECE_BYTES / text.length)));
  let sentBytes = 0;
  const pump = () => {
    for (let isOpen = true; isOpen && !socket.destroyed; sentBytes += piece.length)
      isOpen = socket.write(piece);
  };
  socket.on("drain", pump);
  pump();
  return new Promise((resolve) => socket.on("close", () => resolve(sentBytes)));
}

/** A server that answers with `head`, and then with the text without end. */
export async function startFlood(t: TestContext, text: string, head = "") {
  const sent = Promise.withResolvers<number>();
  const port = await startRaw(t, (socket) =>
    socket.once("data", () => {
      socket.write(head);
      void flood(socket, text).then(sent.resolve);
    }),
  );
  return { port, sent: sent.promise };
}

export async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    // The sender cuts connections.
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** `alternative` is its subjectAltName. */
export function makeCertificate(
  t: TestContext,
  name: string,
  alternative = `DNS:${name}`,
): { key: string; cert: string } {
  const folder = makeFolder(t);
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const args = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
  ];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${alternative}`];
  execFileSync("openssl", [...args, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

/** A TLS server with a certificate for hooks.example.net that answers every request with 204 by default. */
export async function startTls(
  t: TestContext,
  answer = (socket: Socket) => void socket.end("HTTP/1.1 204 No Content\r\n\r\n"),
) {
  const certificate = makeCertificate(t, "hooks.example.net");
  const received: string[] = [];
  /** The names that clients asked for (SNI). */
  const names: unknown[] = [];
  const server = createTlsServer(certificate, (socket) => {
    names.push(socket.servername);
    socket.on("error", () => {});
    socket.once("data", (bytes) => {
      received.push(String(bytes));
      answer(socket);
    });
  });
  server.on("tlsClientError", () => {});
  return { port: await listen(t, server), ca: certificate.cert, received, names };
}
