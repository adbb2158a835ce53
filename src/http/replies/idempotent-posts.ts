// Performs a POST, or repeats its first response where an Idempotency-Key was used before.

import type { FastifyReply, FastifyRequest } from "fastify";
import {
  digestIdempotencyScope,
  type IdempotentRequest,
  type PostStores,
  readIdempotencyKey,
} from "../../domain/idempotency.ts";
import { type AnswerKeys, decryptAnswer, encryptAnswer } from "../../domain/keys/answer-cipher.ts";
import { bearerOf, callerOf } from "../admission/caller.ts";
import { JSON_TYPE } from "../headers/common-headers.ts";
import type { HttpServices } from "../services.ts";

interface Done<T> {
  status: number;
  location?: string;
  body: T;
}

type Services = Pick<HttpServices, keyof PostStores | "idempotency" | "clock">;

export type AnswerPost = ReturnType<typeof createPostAnswers>;

/**
 * `work` must write through the stores that it is given: they are bound to the transaction. `prepare` is for what must not
 * wait inside it, such as requests to other servers; with an Idempotency-Key, it runs once.
 */
export function createPostAnswers(services: Services) {
  return async <T>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (stores: PostStores) => Promise<Done<T>>,
    prepare?: () => Promise<void>,
  ): Promise<T> => {
    const header = request.headers["idempotency-key"];
    if (header === undefined) {
      if (prepare !== undefined) await prepare();
      const { status, location, body } = await work(services);
      if (location !== undefined) reply.header("location", location);
      reply.code(status);
      return body;
    }
    // Two such headers are joined with a space, which makes an invalid key.
    const idempotencyKey = readIdempotencyKey(String(header));
    const once = describeOnce(request, idempotencyKey, services.clock.nowMs());
    const { seal, open } = sealOf(request, { idempotencyKey, name: once.name });
    const perform = async (stores: PostStores) => {
      const { status, location, body } = await work(stores);
      // Fastify serialises by the schema of the status.
      const text = reply.code(status).serialize(body as object) as string;
      return { status, location, body: seal(Buffer.from(text)) };
    };
    const answer = await services.idempotency.perform(once, perform, prepare);
    if (answer.location !== undefined) reply.header("location", answer.location);
    if (answer.isReplayed) reply.header("idempotent-replayed", "true");
    reply.code(answer.status).type(JSON_TYPE);
    // Fastify sends strings unchanged.
    return open(answer.body).toString() as T;
  };
}

function describeOnce(request: FastifyRequest, idempotencyKey: string, nowMs: number): IdempotentRequest {
  const { method, fingerprint, params, route } = request;
  // Not the path as sent: the same path can be written in several ways.
  const path = `${route.url} ${Object.values(params as object).join(" ")}`;
  const name = digestIdempotencyScope({ keyId: callerOf(request).id, method, path, idempotencyKey });
  return { name, fingerprint: fingerprint as Buffer, nowMs };
}

/** Stored responses with a secret are encrypted, so that only their caller can read them. */
function sealOf(
  request: FastifyRequest,
  names: Omit<AnswerKeys, "callerSecret">,
): Record<"seal" | "open", (body: Buffer) => Buffer> {
  if (!request.route.config.hasSecret) return { seal: (body) => body, open: (body) => body };
  const keys = { callerSecret: bearerOf(request), ...names };
  return { seal: (body) => encryptAnswer(body, keys), open: (body) => decryptAnswer(body, keys) };
}
