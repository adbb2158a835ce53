// Webhooks; with access `manage` a key sees its own, with `admin` all: listWebhooks, createWebhook, getWebhook,
// updateWebhook, deleteWebhook, rotateWebhook.

import type { Page } from "../../domain/basics/page.ts";
import { formatDuration } from "../../domain/basics/time.ts";
import { parseEventCursor } from "../../domain/events/event-cursor.ts";
import { checkTypes, describeWebhook, type WebhookSecrets } from "../../domain/webhooks/webhook.ts";
import { OLD_SECRET_SIGNS_MS } from "../../domain/webhooks/webhook-limits.ts";
import { auditOriginOf, callerOf } from "../admission/caller.ts";
import { linkOnReset } from "../events/feed-start.ts";
import { answerPage } from "../pages/pages.ts";
import {
  ChangedWebhook,
  IssuedWebhook,
  NewWebhook,
  Webhook,
  WebhookPatch,
  WebhookPath,
  Webhooks,
  WebhooksQuery,
} from "../schemas/webhooks.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";
import { found, getOwn, notFound, ownerFilter, seesCauses } from "./webhook-access.ts";
import { listDeliveries, replayWebhook, testWebhook } from "./webhook-deliveries.ts";

export const listWebhooks: Route<"webhooks" | "webhookGateway" | "publicUrl"> = (app, services) =>
  app.get("/webhooks", {
    schema: {
      operationId: "listWebhooks",
      summary: "List webhooks",
      description: "One page of the webhooks of the key, for access `admin` of all keys, in order of id.",
      querystring: WebhooksQuery,
      answer: "A page of webhooks.",
      response: { 200: Webhooks },
    },
    config: { access: "manage" },
    handler: async (request, reply) => {
      services.webhookGateway.requireKey();
      const { keyId, ...page } = request.query;
      const ownerId = ownerFilter(request) ?? keyId;
      const isForeign = keyId !== undefined && keyId !== ownerId;
      const found = await answerPage(reply, page, {
        path: "webhooks",
        filters: keyId === undefined ? [] : [`keyId=${keyId}`],
        base: apiUrl(services),
        read: async (rows: Page) => (isForeign ? [] : services.webhooks.list(rows, ownerId)),
      });
      return found.map(describeWebhook);
    },
  });

export const createWebhook: Route<"answerPost" | "webhookGateway" | "clock" | "publicUrl"> = (
  app,
  services,
) =>
  app.post("/webhooks", {
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
    handler: async (request, reply) => {
      const { webhookGateway } = services;
      const { url, types, description, after = "now" } = request.body;
      const settings = { url, types: checkTypes(types), description };
      const start = after === "now" ? ("now" as const) : parseEventCursor(after);
      let secrets: WebhookSecrets;
      webhookGateway.requireKey();
      return linkOnReset(reply, apiUrl(services, "/events"), () =>
        services.answerPost(
          request,
          reply,
          async ({ webhooks }) => {
            const { keyFingerprint, secretOf } = secrets;
            const owned = { ...settings, after: start, keyId: callerOf(request).id, keyFingerprint };
            const webhook = await webhooks.create(owned, auditOriginOf(request, services));
            return {
              status: 201,
              location: apiUrl(services, `/webhooks/${webhook.id}`),
              body: { ...describeWebhook(webhook), secret: secretOf(webhook) },
            };
          },
          async () => {
            await webhookGateway.checkUrl(url, { showsCause: seesCauses(request) });
            secrets = await webhookGateway.openSecrets();
          },
        ),
      );
    },
  });

export const getWebhook: Route<"webhooks" | "webhookGateway"> = (app, services) =>
  app.get("/webhooks/:webhookId", {
    schema: {
      operationId: "getWebhook",
      summary: "Get a webhook",
      description: "Shows whether its receiver accepts the events, and how many are not delivered.",
      params: WebhookPath,
      answer: "The webhook, without its secret.",
      response: { 200: Webhook },
    },
    config: { access: "manage" },
    handler: async (request) => {
      services.webhookGateway.requireKey();
      return describeWebhook(await getOwn(request, services));
    },
  });

export const updateWebhook: Route<"webhooks" | "webhookGateway" | "clock"> = (app, services) =>
  app.patch("/webhooks/:webhookId", {
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
    handler: async (request) => {
      services.webhookGateway.requireKey();
      const { id } = await getOwn(request, services);
      const { url, types, ...others } = request.body;
      if (url !== undefined) await services.webhookGateway.checkUrl(url, { showsCause: seesCauses(request) });
      const changes = { ...others, url, types: checkTypes(types) };
      const webhook = await services.webhooks.update(id, changes, auditOriginOf(request, services));
      return describeWebhook(found(webhook));
    },
  });

export const deleteWebhook: Route<"webhooks" | "webhookGateway" | "clock"> = (app, services) =>
  app.delete("/webhooks/:webhookId", {
    schema: {
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "Nothing more is sent. Its deliveries are deleted too.",
      params: WebhookPath,
      answer: "The webhook is deleted.",
    },
    config: { access: "manage" },
    handler: async (request, reply) => {
      services.webhookGateway.requireKey();
      const { id } = await getOwn(request, services);
      if (!(await services.webhooks.delete(id, auditOriginOf(request, services)))) throw notFound();
      return reply.code(204).send();
    },
  });

export const rotateWebhook: Route<"answerPost" | "webhookGateway" | "clock"> = (app, services) =>
  app.post("/webhooks/:webhookId/rotate", {
    schema: {
      operationId: "rotateWebhook",
      summary: "Replace the secret of a webhook",
      description: `For ${formatDuration(OLD_SECRET_SIGNS_MS)}, every request has two signatures, one with each secret. Only this response contains the new secret.`,
      params: WebhookPath,
      answer: "The webhook with its new secret.",
      response: { 200: IssuedWebhook },
    },
    config: { access: "manage", hasSecret: true },
    handler: async (request, reply) => {
      services.webhookGateway.requireKey();
      const { keyFingerprint, secretOf } = await services.webhookGateway.openSecrets();
      return services.answerPost(request, reply, async (stores) => {
        const { id } = await getOwn(request, stores);
        const webhook = found(
          await stores.webhooks.rotate(id, keyFingerprint, auditOriginOf(request, services)),
        );
        return { status: 200, body: { ...describeWebhook(webhook), secret: secretOf(webhook) } };
      });
    },
  });

export const webhookRoutes = routePlugin(
  "Webhooks",
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhook,
  listDeliveries,
  replayWebhook,
);
