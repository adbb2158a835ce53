// Restricts callers to the webhooks that they may see.

import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { includesAccess } from "../../domain/keys/plan.ts";
import type { Webhook } from "../../domain/webhooks/webhook.ts";
import { callerOf } from "../admission/caller.ts";
import type { HttpServices } from "../services.ts";

/** Responses of receivers, and whether a host name exists, reveal the network of the operator. */
export function seesCauses(request: Pick<FastifyRequest, "apiKey">): boolean {
  return includesAccess(callerOf(request).access, "admin");
}

/** Undefined for callers who see the webhooks of all keys. */
export function ownerFilter(request: Pick<FastifyRequest, "apiKey">): bigint | undefined {
  return seesCauses(request) ? undefined : callerOf(request).id;
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
