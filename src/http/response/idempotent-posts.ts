// How every POST is answered: at once, or by Idempotency-Key as the first time.

import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AnswerKeys, decryptAnswer, encryptAnswer } from "../../domain/answer-cipher.ts";
import type { Stamp } from "../../domain/history.ts";
import {
  digestIdempotencyScope,
  type IdempotentRequest,
  type PostStores,
  readIdempotencyKey,
} from "../../domain/idempotency.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { bearerOf } from "../request/authenticate.ts";
import type { HttpServices } from "../services.ts";
import { JSON_TYPE } from "./common-headers.ts";

/** What the work of a POST amounts to. */
interface Done<T> {
  status: number;
  location?: string;
  body: T;
}

type Services = Pick<HttpServices, "pets" | "orders" | "keyRing" | "idempotency" | "clock">;

/** The bytes of the body are what a repeated request is compared by; to be noted before they are parsed. */
export function fingerprintBody(request: FastifyRequest): void {
  if (request.method !== "POST" || request.headers["idempotency-key"] === undefined) return;
  const bytes = Buffer.isBuffer(request.body) ? request.body : "";
  request.fingerprint = createHash("sha256").update(bytes).digest();
}

export function stampOf(
  request: FastifyRequest,
  { clock }: Pick<Services, "clock">,
): Stamp & { keyId: bigint } {
  return { keyId: (request.apiKey as ApiKey).id, atMs: clock.nowMs() };
}

/** `work` must change things through the stores that it is given. */
export async function answerPost<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  work: (stores: PostStores) => Promise<Done<T>>,
): Promise<T> {
  const header = request.headers["idempotency-key"];
  if (header === undefined) {
    const { status, location, body } = await work(services);
    if (location !== undefined) reply.header("location", location);
    reply.code(status);
    return body;
  }
  // Two such headers come as one text with a space in it, which is no key.
  const idempotencyKey = readIdempotencyKey(String(header));
  const once = describeOnce(request, idempotencyKey, services.clock.nowMs());
  const { seal, open } = sealOf(request, { idempotencyKey, name: once.name });
  const answer = await services.idempotency.perform(once, async (stores) => {
    const { status, location, body } = await work(stores);
    // The reply serialises by the schema of its status.
    const text = reply.code(status).serialize(body as object) as string;
    return { status, location, body: seal(Buffer.from(text)) };
  });
  if (answer.location !== undefined) reply.header("location", answer.location);
  if (answer.isReplayed) reply.header("idempotent-replayed", "true");
  reply.code(answer.status).type(JSON_TYPE);
  // Text is sent as it is.
  return open(answer.body).toString() as T;
}

function describeOnce(request: FastifyRequest, idempotencyKey: string, nowMs: number): IdempotentRequest {
  const { method, apiKey, fingerprint, params, route } = request;
  // Not as it was written, which may be in more than one way.
  const path = `${route.url} ${Object.values(params as object).join(" ")}`;
  const name = digestIdempotencyScope({ keyId: (apiKey as ApiKey).id, method, path, idempotencyKey });
  return { name, fingerprint: fingerprint as Buffer, nowMs };
}

/** Answers with a secret in them are kept in a form that only their caller can read. */
function sealOf(
  request: FastifyRequest,
  names: Omit<AnswerKeys, "callerSecret">,
): Record<"seal" | "open", (body: Buffer) => Buffer> {
  if (!request.route.config.hasSecret) return { seal: (body) => body, open: (body) => body };
  const keys = { callerSecret: bearerOf(request), ...names };
  return { seal: (body) => encryptAnswer(body, keys), open: (body) => decryptAnswer(body, keys) };
}
