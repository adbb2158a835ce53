// The caller of an operation: its key, and how its changes are recorded.

import type { FastifyRequest } from "fastify";
import type { ChangeOrigin } from "../../domain/animals/history.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Actor, AuditOrigin } from "../../domain/keys/audit.ts";
import type { HttpServices } from "../services.ts";

type Caller = Pick<FastifyRequest, "apiKey">;
type Clock = Pick<HttpServices, "clock">;

/** Every operation of /v1 has one: the guard has admitted it. */
export function callerOf({ apiKey }: Caller): ApiKey {
  return apiKey as ApiKey;
}

/** For the history. */
export function stampOf(request: Caller, { clock }: Clock): ChangeOrigin & { keyId: bigint } {
  return { keyId: callerOf(request).id, atMs: clock.nowMs() };
}

/** For the audit log. */
export function actorOf(request: Caller): Actor {
  return { keyId: callerOf(request).id };
}

/** For the audit log. */
export function auditStampOf(request: Caller, { clock }: Clock): AuditOrigin {
  return { actor: actorOf(request), atMs: clock.nowMs() };
}
