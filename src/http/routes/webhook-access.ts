// Which webhooks a caller sees, and who is recorded for a change of one.

import type { FastifyRequest } from "fastify";
import type { AuditStamp } from "../../domain/audit.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { includesAccess } from "../../domain/keys/plan.ts";
import type { Webhook } from "../../domain/webhook.ts";
import { actorOf } from "../response/idempotent-posts.ts";
import type { HttpServices } from "../services.ts";

export function callerOf({ apiKey }: Pick<FastifyRequest, "apiKey">): ApiKey {
  return apiKey as ApiKey;
}

export function stampOf(request: FastifyRequest, { clock }: Pick<HttpServices, "clock">): AuditStamp {
  return { actor: actorOf(request), atMs: clock.nowMs() };
}

/** Undefined for callers who see the webhooks of all keys. */
export function ownerFilter(request: Pick<FastifyRequest, "apiKey">): bigint | undefined {
  const { id, access } = callerOf(request);
  return includesAccess(access, "admin") ? undefined : id;
}

/** Webhooks of others do not exist for a caller without access `admin`. */
export async function getOwn(
  request: Pick<FastifyRequest, "apiKey"> & { params: { webhookId: bigint } },
  { webhooks }: Pick<HttpServices, "webhooks">,
): Promise<Webhook> {
  const webhook = found(await webhooks.find(request.params.webhookId));
  const ownerId = ownerFilter(request);
  if (ownerId !== undefined && webhook.keyId !== ownerId) throw notFound();
  return webhook;
}

export function found(webhook: Webhook | undefined): Webhook {
  if (webhook === undefined) throw notFound();
  return webhook;
}

export function notFound(): ServiceError {
  return new ServiceError("webhook_not_found");
}
