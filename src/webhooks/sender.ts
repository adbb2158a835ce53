// One attempt to deliver an event: a signed POST to the URL of a webhook. Never throws, and is bounded in time and bytes.

import type { ClientRequest, IncomingMessage } from "node:http";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Clock } from "../domain/basics/clock.ts";
import { readRetryAfter } from "../domain/webhooks/attempt-schedule.ts";
import { type FailureCause, sayFailure } from "../domain/webhooks/delivery-failures.ts";
import { ATTEMPT_MS } from "../domain/webhooks/webhook-limits.ts";
import { http, https } from "../tools/node-http.ts";
import { VERSION } from "../tools/program.ts";
import { targetOf } from "./addresses.ts";
import { AttemptError, describeFailure } from "./failures.ts";
import { openTunnel, proxyOptions } from "./proxy.ts";
import { boundResponse } from "./response-bounds.ts";
import { signMessage } from "./signature.ts";
import type { Target, Targets } from "./targets.ts";

const CONNECT_MS = 5_000;
const RESPONSE_BYTES_MAX = 4_096;
const SHOWN_BYTES_MAX = 1_024;
/** Node's default of 250 ms gives up on all but the last address of a distant host. */
const NEXT_ADDRESS_MS = 1_000;

interface Message {
  url: string;
  eventId: string;
  body: string;
  /** The current one first. */
  secrets: string[];
}

/** Without `status`, no response arrived, and `error` says why. Faults after the headers of a response do not count. */
export interface AttemptResult {
  status?: number;
  durationMs: number;
  error?: string;
  retryAfterMs?: number;
  /** The first 1 kB of the response. */
  body: string;
}

/** An aborted attempt has an `error` like a failed one: check the signal before the result is recorded. */
export type Send = (message: Message, signal: AbortSignal) => Promise<AttemptResult>;

interface SenderOptions {
  targets: Targets;
  clock: Clock;
  connectMs?: number;
  attemptMs?: number;
  /** Certificate authorities that replace Node's. */
  ca?: string;
}

interface Received {
  response?: IncomingMessage;
  chunks: Buffer[];
}

export function createSender(options: SenderOptions): Send {
  const { targets, clock, connectMs = CONNECT_MS, attemptMs = ATTEMPT_MS, ca } = options;
  return async (message, stopping) => {
    const startedMs = clock.monotonicMs();
    const received: Received = { chunks: [] };
    const limits = startLimits(stopping, connectMs, attemptMs);
    let error: string | undefined;
    try {
      const target = await orAborted(() => targets.find(message.url), limits.signal);
      const headers = signHeaders(message, Math.floor(clock.nowMs() / 1000));
      const request = await openRequest(target, { headers, signal: limits.signal, ...(ca && { ca }) });
      boundResponse(request);
      request.on("socket", (socket) => {
        socket.once("encrypted" in socket ? "secureConnect" : "connect", limits.onConnected);
      });
      await exchange(request, message.body, received);
    } catch (failure) {
      error = limits.signal.aborted ? limits.signal.reason.message : describeFailure(failure);
    }
    limits.end();
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    if (received.response === undefined)
      return { durationMs, error: error ?? sayFailure("no_response"), body: "" };
    const { statusCode: status = 0, headers } = received.response;
    const retryAfterMs = readRetryAfter(headers["retry-after"], clock.nowMs());
    return {
      status,
      durationMs,
      body: showBody(received.chunks),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  };
}

/** A signal that is aborted when the service stops or a time limit has passed; its reason says which. */
function startLimits(stopping: AbortSignal, connectMs: number, attemptMs: number) {
  const limit = new AbortController();
  const abort = (cause: FailureCause, ms = 0) => limit.abort(new AttemptError(cause, { seconds: ms / 1000 }));
  const connecting = setTimeout(() => abort("no_connection_in_time", connectMs), connectMs);
  const waiting = setTimeout(() => abort("no_response_in_time", attemptMs), attemptMs);
  const stop = () => abort("service_stopping");
  if (stopping.aborted) stop();
  stopping.addEventListener("abort", stop);
  return {
    signal: limit.signal,
    onConnected: () => clearTimeout(connecting),
    end() {
      clearTimeout(connecting);
      clearTimeout(waiting);
      stopping.removeEventListener("abort", stop);
    },
  };
}

function signHeaders({ eventId, body, secrets }: Message, timestampSeconds: number) {
  return {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "user-agent": `animal-store/${VERSION}`,
    "webhook-id": eventId,
    "webhook-timestamp": timestampSeconds,
    "webhook-signature": signMessage(secrets, { id: eventId, timestampSeconds, body }),
  };
}

interface RequestOptions {
  headers: Record<string, string | number>;
  signal: AbortSignal;
  ca?: string;
}

/** Each attempt has a connection of its own, so that none stays open afterwards. */
async function openRequest(
  { url, proxy, addresses }: Target,
  options: RequestOptions,
): Promise<ClientRequest> {
  const { signal } = options;
  const path = `${url.pathname}${url.search}`;
  const common = { ...options, ...targetOf(url), path, method: "POST", agent: false as const };
  if (proxy === undefined) {
    // The socket connects to the addresses that were checked: a second look-up could give others.
    const lookup: LookupFunction = (_host, _options, callback) => callback(null, addresses);
    const direct = {
      ...common,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    };
    return url.protocol === "https:" ? https.request(direct) : http.request(direct);
  }
  if (url.protocol === "https:") {
    const socket = await openTunnel(proxy, url, signal);
    const { agent, ...tunnelled } = common;
    return https.request({ ...tunnelled, createConnection: () => startTls(socket, tunnelled) });
  }
  const { headers, ...address } = proxyOptions(proxy);
  const forwarded = {
    ...common,
    ...address,
    path: `${url.origin}${path}`,
    headers: { ...options.headers, ...headers, host: url.host },
  };
  return proxy.protocol === "https:" ? https.request(forwarded) : http.request(forwarded);
}

function startTls(socket: Socket, { host, ca }: { host: string; ca?: string }): TLSSocket {
  // SNI is for names only.
  return connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) });
}

/** Resolves when enough of the response is read, or its rest does not arrive. */
async function exchange(request: ClientRequest, body: string, received: Received): Promise<void> {
  const done = new Promise<void>((resolve, reject) => {
    request.on("error", reject);
    request.on("close", () => reject(new AttemptError("connection_closed")));
    request.on("response", (response) => {
      // In the same piece as too many interim responses.
      if (request.destroyed) return;
      received.response = response;
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        received.chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= RESPONSE_BYTES_MAX) resolve();
      });
      for (const event of ["end", "error", "close"]) response.on(event, () => resolve());
    });
  });
  request.end(body);
  await done.finally(() => request.destroy());
}

/** Text of the first bytes, without a character that the limit cuts in two. */
function showBody(chunks: Buffer[]): string {
  const bytes = Buffer.concat(chunks).subarray(0, SHOWN_BYTES_MAX);
  return new TextDecoder().decode(bytes, { stream: bytes.length === SHOWN_BYTES_MAX });
}

/** Does not start the work if the signal is aborted already: nothing would handle its failure. */
async function orAborted<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    start()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
