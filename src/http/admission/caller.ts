// The caller of an operation: its key, and how its changes are recorded.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { ChangeOrigin } from "../../domain/animals/history.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Actor, AuditOrigin } from "../../domain/keys/audit.ts";
import { isPublishable } from "../../domain/keys/key-secret.ts";
import { type Access, includesAccess } from "../../domain/keys/plan.ts";
import type { HttpServices } from "../services.ts";

/** Node has removed spaces and tabs at the end of the header. A no-break space is part of the key. */
const BEARER = /^bearer(?: [ \t]*(.*))?$/is;
export const CHALLENGE = 'Bearer realm="animal-store"';

type Caller = Pick<FastifyRequest, "apiKey">;
type Clock = Pick<HttpServices, "clock">;

/** Every operation of /v1 has one: hooks have admitted it. */
export function callerOf({ apiKey }: Caller): ApiKey {
  return apiKey as ApiKey;
}

/** Recorded in the history. */
export function originOf(request: Caller, { clock }: Clock): ChangeOrigin & { keyId: bigint } {
  return { keyId: callerOf(request).id, atMs: clock.nowMs() };
}

/** Recorded in the audit log. */
export function actorOf(request: Caller): Actor {
  return { keyId: callerOf(request).id };
}

/** Recorded in the audit log. */
export function auditOriginOf(request: Caller, { clock }: Clock): AuditOrigin {
  return { actor: actorOf(request), atMs: clock.nowMs() };
}

export function bearerOf({ headers }: FastifyRequest): string {
  const [, token = ""] = BEARER.exec(headers.authorization ?? "") ?? [];
  return token;
}

/**
 * The bearer key, or a publishable key in the query; other keys there are ignored. Undefined if there are several. Must be
 * called before validation, which drops `key`.
 */
export function tokenOf(request: FastifyRequest): string | undefined {
  const keys = [(request.query as { key?: string | string[] }).key ?? []].flat();
  request.keyInQuery = keys.find(isPublishable);
  if (request.keyInQuery === undefined) return bearerOf(request);
  const hasBearer = BEARER.test(request.headers.authorization ?? "");
  return hasBearer || keys.length > 1 ? undefined : request.keyInQuery;
}

/** Throws 403 for a publishable key, which has no access to operations but those with `config.publishable`. */
export function refusePublishable({ kind }: ApiKey): void {
  if (kind !== "publishable") return;
  throw new ServiceError("insufficient_access", {
    message: "A publishable key may only read listings, categories, shelters and the site.",
  });
}

/** Throws 403 for any other kind of key: its session has no end. */
export function requirePerson({ kind }: ApiKey): void {
  if (kind === "person") return;
  throw new ServiceError("insufficient_access", {
    message:
      "Only the key of a person's device has a session. Other keys are rotated and revoked by an admin.",
  });
}

export function requireAccess(key: ApiKey, needed: Access, reply: FastifyReply): void {
  if (includesAccess(key.access, needed)) return;
  reply.header("www-authenticate", `${CHALLENGE}, error="insufficient_scope", scope="${needed}"`);
  throw new ServiceError("insufficient_access", {
    message: `The API key has access "${key.access}"; this operation needs "${needed}".`,
  });
}
