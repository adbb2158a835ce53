// Verifies a delivery to a webhook (Standard Webhooks 1.0.0) and returns its event.

import { type Event, isEvent } from "../events/event.ts";
import { parseJson } from "../json.ts";
import { readHeader, type WebhookHeaders } from "./headers.ts";
import { hasSignature, importSecret, readSignatures } from "./signature.ts";

export type { WebhookHeaders } from "./headers.ts";

/** How far the time of the delivery may be from the time of the receiver, in both directions. */
const TOLERANCE_SECONDS = 5 * 60;

type Reason =
  | "missing_header"
  | "invalid_timestamp"
  | "too_old"
  | "too_new"
  | "invalid_signature"
  | "invalid_body";

/**
 * The request is not a delivery of the service, or it was changed or repeated on the way. Answer 400, and ignore it.
 *
 * @example
 * try {
 *   await verifyWebhook("whsec_…", new Headers(), "{}");
 * } catch (error) {
 *   if (error instanceof WebhookVerificationError) console.log(error.reason, error.message); // missing_header …
 *   else throw error;
 * }
 */
export class WebhookVerificationError extends Error {
  static {
    WebhookVerificationError.prototype.name = "WebhookVerificationError";
  }
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Resolves to the event of a delivery. Rejects with a WebhookVerificationError if the delivery is not genuine, and with a
 * TypeError for a secret or body that cannot be right. `body` must be the bytes as received, not parsed JSON. While a secret
 * is being replaced, pass the old and the new one.
 *
 * @example
 * async function receive(request: Request): Promise<Event> {
 *   return await verifyWebhook("whsec_…", request.headers, await request.text());
 * }
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  options: { nowMs?: () => number } = {},
): Promise<Event> {
  const keys = await Promise.all([secret].flat().map(importSecret));
  if (keys.length === 0) throw new TypeError("secret must be given");
  const bytes = readBytes(body);
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = readHeader(headers, name);
    if (value !== undefined) return value;
    throw new WebhookVerificationError("missing_header", `The header ${name} is missing, empty or repeated.`);
  }) as [string, string, string];
  checkTime(timestamp, (options.nowMs ?? Date.now)());

  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const given = readSignatures(signatures);
  const matches = await Promise.all(keys.map((key) => hasSignature(key, signed, given)));
  if (!matches.includes(true))
    throw new WebhookVerificationError("invalid_signature", "No signature matches the secret and the body.");
  return readEvent(bytes);
}

function checkTime(timestamp: string, nowMs: number): void {
  if (!/^[0-9]{1,12}$/.test(timestamp))
    throw new WebhookVerificationError("invalid_timestamp", "webhook-timestamp is not a number of seconds.");
  const ageSeconds = Math.floor(nowMs / 1000) - Number(timestamp);
  if (ageSeconds > TOLERANCE_SECONDS)
    throw new WebhookVerificationError(
      "too_old",
      `The delivery is ${ageSeconds} seconds old. Check the clock.`,
    );
  if (ageSeconds < -TOLERANCE_SECONDS)
    throw new WebhookVerificationError(
      "too_new",
      `The delivery is ${-ageSeconds} seconds in the future. Check the clock.`,
    );
}

function readBytes(body: unknown): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError("body must be the request body as received, a string or bytes, not parsed JSON");
}

function concatenate(first: Uint8Array, second: Uint8Array): ArrayBuffer {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole.buffer;
}

function readEvent(bytes: Uint8Array): Event {
  const event = parseBody(bytes);
  if (isEvent(event)) return event;
  throw new WebhookVerificationError("invalid_body", "The signature is right, but the body is not an event.");
}

/** Undefined where the bytes are not JSON. */
function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
