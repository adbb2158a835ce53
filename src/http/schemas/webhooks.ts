// Schemas of webhooks and their deliveries.

import { EVENT_TYPES } from "../../domain/events/event.ts";
import { DELIVERY_STATUSES } from "../../domain/webhooks/delivery.ts";
import { DISABLED_REASONS, EVENT_WORDS, WEBHOOK_STATUSES } from "../../domain/webhooks/webhook.ts";
import {
  DELIVERIES_KEPT_DAYS,
  DISABLED_AFTER_DAYS,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_URL_MAX,
} from "../../domain/webhooks/webhook-limits.ts";
import { EXAMPLE_EVENT_ID } from "./events.ts";
import { EXAMPLE_TIME, freeText, identifier, pageQuery, parameter, pathOf, Timestamp } from "./members.ts";
import { Type } from "./type.ts";

const NEW_WEBHOOK = {
  url: "https://hooks.example.net/animals",
  types: ["pet.*"],
  description: "Website",
};
const WEBHOOK_EXAMPLE = {
  id: 1,
  ...NEW_WEBHOOK,
  status: "enabled",
  createdAt: "2026-11-15T10:30:00.000Z",
  pending: 0,
};
const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazk3FCMKmpM=";

const Url = freeText(
  WEBHOOK_URL_MAX,
  NEW_WEBHOOK.url,
  "Where events are sent: an `https` address that is public, without user name and password.",
);
const EventWord = Type.Enum(EVENT_WORDS, {
  title: "EventWord",
  description: "A type of events, or all types of a kind.",
});
const TYPES = "The types of events to send; `pet.*` means all types of animals.";
const Types = Type.Array(EventWord, { examples: [NEW_WEBHOOK.types], description: TYPES });
const Description = freeText(
  WEBHOOK_DESCRIPTION_MAX,
  NEW_WEBHOOK.description,
  "Your own note about the webhook.",
);
const WebhookStatus = Type.Enum(WEBHOOK_STATUSES, {
  title: "WebhookStatus",
  description: "Whether events are sent.",
});
const DisabledReason = Type.Enum(DISABLED_REASONS, {
  title: "DisabledReason",
  description: `Why it is disabled: by a request; the receiver answered 410; only failures for ${DISABLED_AFTER_DAYS} days; the key was revoked or has expired.`,
});

export const NewWebhook = Type.Named("NewWebhook", "A webhook to create.", [NEW_WEBHOOK], {
  url: Url,
  types: Type.Optional(Type.Described(Types, `${TYPES} Default: all types.`)),
  description: Type.Optional(Description),
  after: Type.Optional(
    Type.String({
      description: "A cursor of the events: those after it are sent. Default: `now`.",
      examples: ["now"],
    }),
  ),
});

const PATCH = { types: ["pet.created", "pet.deleted"] };

export const WebhookPatch = Type.Patch(
  "WebhookPatch",
  "Changes to a webhook; `null` removes the types, for all types, or the description.",
  [PATCH],
  {
    url: Type.Optional(Url),
    types: Type.Optional(Type.Nullable(Types)),
    description: Type.Optional(Type.Nullable(Description)),
    status: Type.Optional(
      Type.Described(
        WebhookStatus,
        "An enabled webhook continues where it was disabled, unless `after` says otherwise.",
      ),
    ),
    after: Type.Optional(
      Type.Enum(["now"], { description: "`now` drops all events up to now that are not delivered." }),
    ),
  },
);

const webhookMembers = {
  id: identifier("Assigned by the service."),
  url: Type.String(),
  types: Type.Optional(Type.Array(EventWord, { description: "Absent: all types." })),
  description: Type.Optional(Type.String()),
  status: WebhookStatus,
  disabledReason: Type.Optional(DisabledReason),
  createdAt: Timestamp,
  lastSuccessAt: Type.Optional(Type.Described(Timestamp, "The last 2xx response.")),
  failingSince: Type.Optional(
    Type.Described(Timestamp, "The first failure since the last success; absent after a success."),
  ),
  pending: Type.Integer({
    description:
      "Undelivered events. Of those that a disabled webhook has missed, only the next 10,000 changes are counted.",
  }),
};
export const Webhook = Type.Named(
  "Webhook",
  "An address that gets events, without its secret.",
  [WEBHOOK_EXAMPLE],
  webhookMembers,
);
export const WebhooksQuery = pageQuery({
  keyId: Type.Optional(identifier("Only webhooks that were created with this key.", 1)),
});

export const Webhooks = Type.List("Webhooks", "Webhooks in ascending order of id.", Webhook);
export const ChangedWebhook = Type.Annotated(Webhook, { examples: [{ ...WEBHOOK_EXAMPLE, ...PATCH }] });
const ISSUED = { ...WEBHOOK_EXAMPLE, secret: SECRET };
export const IssuedWebhook = Type.Named("IssuedWebhook", "A webhook with its secret.", [ISSUED], {
  ...webhookMembers,
  secret: Type.String({ description: "The secret that signs the requests. Shown only once." }),
});

const TEST = { status: 204, durationMs: 87, response: "" };
export const WebhookTest = Type.Named("WebhookTest", "The result of a test event.", [TEST], {
  status: Type.Optional(Type.Integer({ description: "The status of the response; absent without one." })),
  durationMs: Type.Integer({ description: "How long the request took, in milliseconds." }),
  error: Type.Optional(Type.String({ description: "Why there is no response." })),
  response: Type.Optional(
    Type.String({ description: "The first 1 kB of the response; only for access `admin`." }),
  ),
});

const DeliveryStatus = Type.Enum(DELIVERY_STATUSES, {
  title: "DeliveryStatus",
  description: "`pending`: another attempt follows; `failed`: none follows.",
});
const DELIVERY = {
  id: 1,
  eventId: EXAMPLE_EVENT_ID,
  number: 2,
  type: "pet.created",
  status: "delivered",
  attempts: 1,
  lastStatus: 204,
  lastAttemptAt: EXAMPLE_TIME,
};
const Delivery = Type.Named("Delivery", "One event for one webhook.", [DELIVERY], {
  id: identifier("Assigned by the service."),
  eventId: Type.String({ description: "The event; the header `webhook-id` of every attempt." }),
  number: identifier("The number of the event."),
  type: Type.Enum(EVENT_TYPES),
  status: DeliveryStatus,
  attempts: Type.Integer({ description: "How many attempts were made." }),
  nextAttemptAt: Type.Optional(Type.Described(Timestamp, "While it is pending.")),
  lastStatus: Type.Optional(Type.Integer({ description: "The status of the last response." })),
  lastError: Type.Optional(Type.String({ description: "Why the last attempt got no response." })),
  lastAttemptAt: Type.Optional(Timestamp),
});
export const Deliveries = Type.List(
  "Deliveries",
  `Deliveries, newest first; kept for ${DELIVERIES_KEPT_DAYS} days.`,
  Delivery,
);
export const DeliveriesQuery = pageQuery({
  status: parameter(DeliveryStatus, "Only deliveries with this status.", "delivered"),
});

export const WebhookReplay = Type.Patch(
  "WebhookReplay",
  "What to send again: either a delivery, or all events after a cursor.",
  [{ deliveryId: 1 }],
  {
    deliveryId: Type.Optional(identifier("The delivery to repeat.")),
    after: Type.Optional(
      Type.String({ description: "A cursor of the events: all events after it are sent again." }),
    ),
  },
);

export const WebhookPath = pathOf(
  "webhookId",
  "webhook_not_found",
  "Identifier of the webhook.",
  WEBHOOK_EXAMPLE.id,
);

export const WEBHOOK_COMPONENTS = [
  Webhook,
  Webhooks,
  NewWebhook,
  WebhookPatch,
  IssuedWebhook,
  WebhookStatus,
  DisabledReason,
  EventWord,
  WebhookTest,
  Delivery,
  Deliveries,
  DeliveryStatus,
  WebhookReplay,
];
