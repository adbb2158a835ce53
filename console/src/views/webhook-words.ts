// The words for webhooks: names, event types, and the results of requests.

import type {
  Delivery,
  DisabledReason,
  EventWord,
  Webhook,
  WebhookTest,
} from "../../../client/src/client.ts";

type EventType = Delivery["type"];

export const TYPE_LABELS: Record<EventType, string> = {
  "pet.created": "Animal added",
  "pet.updated": "Animal changed",
  "pet.deleted": "Animal deleted",
  "order.created": "Order placed",
  "order.updated": "Order changed",
  "category.updated": "Category named",
  "category.deleted": "Category name deleted",
  "listing.updated": "Profile or photos changed",
};

export const TYPES = Object.keys(TYPE_LABELS) as EventType[];

export const DISABLED_LABELS: Record<DisabledReason, string> = {
  requested: "someone turned it off",
  gone: "the receiver said that the address is gone",
  failing: "every request has failed for five days",
  key_ended: "its key was revoked or has expired",
};

/** The description, or the host of the address. */
export function nameWebhook({ description, url }: Pick<Webhook, "description" | "url">): string {
  return description || (URL.canParse(url) ? new URL(url).host : url);
}

/** All types that the words stand for: `pet.*` for each type of animals. */
export function expandTypes(words: EventWord[] = []): EventType[] {
  return TYPES.filter((type) => words.some((word) => word === type || word === `${type.split(".")[0]}.*`));
}

export function describeTypes({ types }: Pick<Webhook, "types">): string {
  if (types === undefined) return "Everything";
  return expandTypes(types)
    .map((type) => TYPE_LABELS[type])
    .join(", ");
}

export function describeTest({ status, durationMs, error }: WebhookTest): string {
  if (status === undefined) return `The test failed: ${error ?? "no response"} (after ${durationMs} ms).`;
  const isDone = status >= 200 && status < 300;
  return `${isDone ? "The test arrived" : "The test failed"}: the receiver answered ${status} in ${durationMs} ms.`;
}

/** The last attempt of a delivery. */
export function describeResult({ attempts, lastStatus, lastError }: Delivery): string {
  if (attempts === 0) return "Not sent yet";
  const result = lastStatus === undefined ? (lastError ?? "No response") : `Answer ${lastStatus}`;
  return attempts === 1 ? result : `${result}, ${attempts} attempts`;
}

/** The position before an event, so that it and all later ones are sent again. Its id is `evt_<epoch>_<number>`. */
export function cursorBefore({ eventId, number }: Pick<Delivery, "eventId" | "number">): string {
  const epoch = eventId.slice("evt_".length, eventId.lastIndexOf("_"));
  return `${epoch}-${BigInt(number) - 1n}`;
}
