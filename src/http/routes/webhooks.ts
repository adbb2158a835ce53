// Webhooks, for access `manage` those of the own key, for `admin` all: listWebhooks, createWebhook, getWebhook,
// updateWebhook, deleteWebhook, testWebhook, rotateWebhook, listDeliveries, replayWebhook.

import type { FastifyRequest } from "fastify";
import type { AuditStamp } from "../../domain/audit.ts";
import { ServiceError } from "../../domain/errors.ts";
import { parseEventCursor } from "../../domain/event.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { includesAccess } from "../../domain/keys/plan.ts";
import type { Page } from "../../domain/page.ts";
import { formatDuration } from "../../domain/time.ts";
import {
  checkTypes,
  type Webhook as DomainWebhook,
  describeDelivery,
  describeWebhook,
  type Replay,
  type TestResult,
  type WebhookSecrets,
} from "../../domain/webhook.ts";
import { OLD_SECRET_SIGNS_MS } from "../../domain/webhook-limits.ts";
import { linkOnReset } from "../events/cursor-of-request.ts";
import { actorOf, answerPost } from "../response/idempotent-posts.ts";
import { answerPage, placeById } from "../response/pages.ts";
import { PageQuery } from "../schemas/members.ts";
import {
  ChangedWebhook,
  Deliveries,
  DeliveriesQuery,
  IssuedWebhook,
  NewWebhook,
  Webhook,
  WebhookPatch,
  WebhookPath,
  WebhookReplay,
  Webhooks,
  WebhookTest,
} from "../schemas/webhooks.ts";
import type { HttpServices } from "../services.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

type Store = Pick<HttpServices, "webhooks">;

export const listWebhooks: Route = (app, services) =>
  app.get(
    "/webhooks",
    {
      schema: {
        operationId: "listWebhooks",
        summary: "List webhooks",
        description: "One page of the webhooks of the key, for access `admin` of all keys, in order of id.",
        querystring: PageQuery,
        answer: "A page of webhooks.",
        response: { 200: Webhooks },
      },
      config: { access: "manage" },
    },
    async (request, reply) => {
      services.webhookGateway.requireKey();
      const found = await answerPage(reply, request.query, {
        path: "webhooks",
        base: apiUrl(services),
        read: (page: Page) => services.webhooks.list(page, ownerFilter(request)),
        place: placeById,
      });
      return found.map(describeWebhook);
    },
  );

export const createWebhook: Route = (app, services) =>
  app.post(
    "/webhooks",
    {
      schema: {
        operationId: "createWebhook",
        summary: "Create a webhook",
        description:
          "Every event that the key may see is sent to the URL, at least once and in any order, signed as in Standard Webhooks 1.0.0. Only this response contains the secret.",
        body: NewWebhook,
        answer: "The webhook with its secret.",
        response: { 201: IssuedWebhook },
      },
      config: {
        access: "manage",
        hasSecret: true,
        errors: ["url_not_allowed", "invalid_cursor", "too_many_webhooks", "feed_reset"],
      },
    },
    async (request, reply) => {
      const { webhookGateway } = services;
      const { url, types, description, after = "now" } = request.body;
      const settings = { url, types: checkTypes(types), description };
      const start = after === "now" ? ("now" as const) : parseEventCursor(after);
      let secrets: WebhookSecrets;
      webhookGateway.requireKey();
      return linkOnReset(reply, apiUrl(services, "/events"), () =>
        answerPost(
          request,
          reply,
          services,
          async ({ webhooks }) => {
            const { keyFingerprint, secretOf } = secrets;
            const owned = { ...settings, after: start, keyId: callerOf(request).id, keyFingerprint };
            const webhook = await webhooks.create(owned, stampOf(request, services));
            return {
              status: 201,
              location: apiUrl(services, `/webhooks/${webhook.id}`),
              body: { ...describeWebhook(webhook), secret: secretOf(webhook) },
            };
          },
          async () => {
            await webhookGateway.checkUrl(url);
            secrets = await webhookGateway.openSecrets();
          },
        ),
      );
    },
  );

export const getWebhook: Route = (app, services) =>
  app.get(
    "/webhooks/:webhookId",
    {
      schema: {
        operationId: "getWebhook",
        summary: "Get a webhook",
        description: "Shows whether its receiver accepts the events, and how many are not delivered.",
        params: WebhookPath,
        answer: "The webhook, without its secret.",
        response: { 200: Webhook },
      },
      config: { access: "manage" },
    },
    async (request) => {
      services.webhookGateway.requireKey();
      return describeWebhook(await getOwn(request, services));
    },
  );

export const updateWebhook: Route = (app, services) =>
  app.patch(
    "/webhooks/:webhookId",
    {
      schema: {
        operationId: "updateWebhook",
        summary: "Change, disable or enable a webhook",
        description:
          "An enabled webhook continues where it was disabled, so that nothing is lost; with `after`, it continues from now.",
        params: WebhookPath,
        body: WebhookPatch,
        answer: "The changed webhook.",
        response: { 200: ChangedWebhook },
      },
      config: { access: "manage", errors: ["url_not_allowed", "invalid_transition"] },
    },
    async (request) => {
      services.webhookGateway.requireKey();
      const { id } = await getOwn(request, services);
      const { url, types, ...others } = request.body;
      if (url !== undefined) await services.webhookGateway.checkUrl(url);
      const changes = { ...others, url, types: checkTypes(types) };
      const webhook = await services.webhooks.update(id, changes, stampOf(request, services));
      return describeWebhook(found(webhook));
    },
  );

export const deleteWebhook: Route = (app, services) =>
  app.delete(
    "/webhooks/:webhookId",
    {
      schema: {
        operationId: "deleteWebhook",
        summary: "Delete a webhook",
        description: "Nothing more is sent. Its deliveries are deleted too.",
        params: WebhookPath,
        answer: "The webhook is deleted.",
      },
      config: { access: "manage" },
    },
    async (request, reply) => {
      services.webhookGateway.requireKey();
      const { id } = await getOwn(request, services);
      if (!(await services.webhooks.delete(id, stampOf(request, services)))) throw notFound();
      return reply.code(204).send();
    },
  );

export const testWebhook: Route = (app, services) =>
  app.post(
    "/webhooks/:webhookId/test",
    {
      schema: {
        operationId: "testWebhook",
        summary: "Send a test event",
        description:
          "Sends an event of type `webhook.test` at once, also to a disabled webhook, and waits for the result.",
        params: WebhookPath,
        answer: "The result of the request.",
        response: { 200: WebhookTest },
      },
      config: { access: "manage" },
    },
    async (request, reply) => {
      services.webhookGateway.requireKey();
      let result: TestResult;
      return answerPost(
        request,
        reply,
        services,
        async () => ({ status: 200, body: describeTest(result, callerOf(request)) }),
        async () => {
          result = await services.webhookGateway.sendTest(await getOwn(request, services));
        },
      );
    },
  );

export const rotateWebhook: Route = (app, services) =>
  app.post(
    "/webhooks/:webhookId/rotate",
    {
      schema: {
        operationId: "rotateWebhook",
        summary: "Replace the secret of a webhook",
        description: `For ${formatDuration(OLD_SECRET_SIGNS_MS)}, every request has two signatures, one with each secret. Only this response contains the new secret.`,
        params: WebhookPath,
        answer: "The webhook with its new secret.",
        response: { 200: IssuedWebhook },
      },
      config: { access: "manage", hasSecret: true },
    },
    async (request, reply) => {
      services.webhookGateway.requireKey();
      const { keyFingerprint, secretOf } = await services.webhookGateway.openSecrets();
      return answerPost(request, reply, services, async (stores) => {
        const { id } = await getOwn(request, stores);
        const webhook = found(await stores.webhooks.rotate(id, keyFingerprint, stampOf(request, services)));
        return { status: 200, body: { ...describeWebhook(webhook), secret: secretOf(webhook) } };
      });
    },
  );

export const listDeliveries: Route = (app, services) =>
  app.get(
    "/webhooks/:webhookId/deliveries",
    {
      schema: {
        operationId: "listDeliveries",
        summary: "List the deliveries of a webhook",
        description: "One page of the deliveries, newest first.",
        params: WebhookPath,
        querystring: DeliveriesQuery,
        answer: "A page of deliveries.",
        response: { 200: Deliveries },
      },
      config: { access: "manage", newestFirst: true },
    },
    async (request, reply) => {
      services.webhookGateway.requireKey();
      const { id } = await getOwn(request, services);
      const { status } = request.query;
      const deliveries = await answerPage(reply, request.query, {
        path: `webhooks/${id}/deliveries`,
        filters: status === undefined ? [] : [`status=${status}`],
        base: apiUrl(services),
        read: (page: Page) => services.webhooks.listDeliveries(id, page, status),
        place: placeById,
      });
      return deliveries.map(describeDelivery);
    },
  );

export const replayWebhook: Route = (app, services) =>
  app.post(
    "/webhooks/:webhookId/replay",
    {
      schema: {
        operationId: "replayWebhook",
        summary: "Send events again",
        description:
          "Repeats one delivery, or all events after a cursor, with the same event ids. While the webhook is disabled, they wait.",
        params: WebhookPath,
        body: WebhookReplay,
        answer: "The webhook, with the number of pending events.",
        response: { 200: Webhook },
      },
      config: { access: "manage", errors: ["invalid_cursor", "delivery_not_found", "feed_reset"] },
    },
    async (request, reply) => {
      services.webhookGateway.requireKey();
      const what = readReplay(request.body);
      return linkOnReset(reply, apiUrl(services, "/events"), () =>
        answerPost(request, reply, services, async (stores) => {
          const { id } = await getOwn(request, stores);
          const webhook = await stores.webhooks.replay(id, what, services.clock.nowMs());
          return { status: 200, body: describeWebhook(found(webhook)) };
        }),
      );
    },
  );

export const webhookRoutes = routePlugin(
  "Webhooks",
  ...[listWebhooks, createWebhook, getWebhook, updateWebhook, deleteWebhook],
  ...[testWebhook, rotateWebhook, listDeliveries, replayWebhook],
);

function callerOf({ apiKey }: Pick<FastifyRequest, "apiKey">): ApiKey {
  return apiKey as ApiKey;
}

function stampOf(request: FastifyRequest, { clock }: Pick<HttpServices, "clock">): AuditStamp {
  return { actor: actorOf(request), atMs: clock.nowMs() };
}

/** Undefined for callers who see the webhooks of all keys. */
function ownerFilter(request: Pick<FastifyRequest, "apiKey">): bigint | undefined {
  const { id, access } = callerOf(request);
  return includesAccess(access, "admin") ? undefined : id;
}

/** Webhooks of others do not exist for a caller without access `admin`. */
async function getOwn(
  request: Pick<FastifyRequest, "apiKey"> & { params: { webhookId: bigint } },
  { webhooks }: Store,
): Promise<DomainWebhook> {
  const webhook = found(await webhooks.find(request.params.webhookId));
  const ownerId = ownerFilter(request);
  if (ownerId !== undefined && webhook.keyId !== ownerId) throw notFound();
  return webhook;
}

function found(webhook: DomainWebhook | undefined): DomainWebhook {
  if (webhook === undefined) throw notFound();
  return webhook;
}

function notFound(): ServiceError {
  return new ServiceError("webhook_not_found");
}

/** What a receiver answers may reveal the network of the operator, so only `admin` sees it. */
function describeTest({ status, durationMs, error, body }: TestResult, { access }: ApiKey) {
  return {
    ...(status !== undefined && { status }),
    durationMs,
    ...(error !== undefined && { error }),
    ...(status !== undefined && includesAccess(access, "admin") && { response: body }),
  };
}

function readReplay({ deliveryId, after }: { deliveryId?: bigint; after?: string }): Replay {
  if (deliveryId !== undefined && after === undefined) return { deliveryId };
  if (after !== undefined && deliveryId === undefined) return { after: parseEventCursor(after) };
  throw new ServiceError("invalid_body", { message: "Give either deliveryId or after" });
}
