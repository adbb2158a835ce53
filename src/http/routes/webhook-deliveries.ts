// Deliveries of a webhook: testWebhook, listDeliveries, replayWebhook.

import { ServiceError } from "../../domain/basics/errors.ts";
import type { Page } from "../../domain/basics/page.ts";
import { parseEventCursor } from "../../domain/events/event-cursor.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { includesAccess } from "../../domain/keys/plan.ts";
import { describeDelivery } from "../../domain/webhooks/delivery.ts";
import { hideNameCause } from "../../domain/webhooks/delivery-failures.ts";
import { describeWebhook, type Replay, type TestResult } from "../../domain/webhooks/webhook.ts";
import { callerOf } from "../admission/caller.ts";
import { linkOnReset } from "../events/feed-start.ts";
import { answerPage } from "../pages/pages.ts";
import {
  Deliveries,
  DeliveriesQuery,
  Webhook,
  WebhookPath,
  WebhookReplay,
  WebhookTest,
} from "../schemas/webhooks.ts";
import { apiUrl, type Route } from "./route.ts";
import { found, getOwn, seesCauses } from "./webhook-access.ts";

export const testWebhook: Route<"answerPost" | "webhooks" | "webhookGateway"> = (app, services) =>
  app.post("/webhooks/:webhookId/test", {
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
    handler: async (request, reply) => {
      services.webhookGateway.requireKey();
      let result: TestResult;
      return services.answerPost(
        request,
        reply,
        async () => ({ status: 200, body: describeTest(result, callerOf(request)) }),
        async () => {
          const webhook = await getOwn(request, services);
          result = await services.webhookGateway.sendTest(webhook, callerOf(request).id);
        },
      );
    },
  });

export const listDeliveries: Route<"webhooks" | "webhookGateway" | "publicUrl"> = (app, services) =>
  app.get("/webhooks/:webhookId/deliveries", {
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
    handler: async (request, reply) => {
      services.webhookGateway.requireKey();
      const { id } = await getOwn(request, services);
      const { status } = request.query;
      const deliveries = await answerPage(reply, request.query, {
        path: `webhooks/${id}/deliveries`,
        filters: status === undefined ? [] : [`status=${status}`],
        base: apiUrl(services),
        read: (page: Page) => services.webhooks.listDeliveries(id, page, status),
      });
      const showsCause = seesCauses(request);
      return deliveries.map((delivery) => describeDelivery(delivery, { showsCause }));
    },
  });

export const replayWebhook: Route<"answerPost" | "webhookGateway" | "clock" | "publicUrl"> = (
  app,
  services,
) =>
  app.post("/webhooks/:webhookId/replay", {
    schema: {
      operationId: "replayWebhook",
      summary: "Send events again",
      description:
        "Repeats one delivery, or all events after a cursor, with the same event ids. While the webhook is disabled, they wait. One replay after a cursor runs at a time: until all of its events are pending again, another one is 409.",
      params: WebhookPath,
      body: WebhookReplay,
      answer: "The webhook, with the number of pending events.",
      response: { 200: Webhook },
    },
    config: {
      access: "manage",
      errors: ["invalid_cursor", "delivery_not_found", "invalid_transition", "feed_reset"],
    },
    handler: async (request, reply) => {
      services.webhookGateway.requireKey();
      const replay = readReplay(request.body);
      return linkOnReset(reply, apiUrl(services, "/events"), () =>
        services.answerPost(request, reply, async (stores) => {
          const { id } = await getOwn(request, stores);
          const webhook = await stores.webhooks.replay(id, replay, services.clock.nowMs());
          return { status: 200, body: describeWebhook(found(webhook)) };
        }),
      );
    },
  });

/** The receiver's response, and whether a name exists, may reveal the operator's network: only `admin` sees them. */
function describeTest({ status, durationMs, error, body }: TestResult, { access }: ApiKey) {
  const isAdmin = includesAccess(access, "admin");
  return {
    ...(status !== undefined && { status }),
    durationMs,
    ...(error !== undefined && { error: isAdmin ? error : hideNameCause(error) }),
    ...(status !== undefined && isAdmin && { response: body }),
  };
}

function readReplay({ deliveryId, after }: { deliveryId?: bigint; after?: string }): Replay {
  if (deliveryId !== undefined && after === undefined) return { deliveryId };
  if (after !== undefined && deliveryId === undefined) return { after: parseEventCursor(after) };
  throw new ServiceError("invalid_body", { message: "Give either deliveryId or after" });
}
