// One attempt to deliver an event: a signed POST to the URL of a webhook. Never throws, and is bounded in time and bytes.

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Clock } from "../domain/basics/clock.ts";
import { readRetryAfter } from "../domain/webhooks/attempt-schedule.ts";
import { ATTEMPT_MS, CONNECT_MS } from "../domain/webhooks/attempt-timeouts.ts";
import { sayFailure } from "../domain/webhooks/delivery-failures.ts";
import { VERSION } from "../tools/program.ts";
import { AttemptError, describeFailure } from "./failures.ts";
import { openRequest, orAborted, startLimits } from "./request.ts";
import { boundResponse } from "./response-bounds.ts";
import { signMessage } from "./signature.ts";
import type { Targets } from "./targets.ts";

const RESPONSE_BYTES_MAX = 4_096;
const SHOWN_BYTES_MAX = 1_024;

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
      const request = await openRequest(target, { method: "POST", headers, limits, ca });
      boundResponse(request);
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
