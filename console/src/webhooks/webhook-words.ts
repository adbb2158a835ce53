// The words for webhooks: names, event types, and the results of requests.

import type { Delivery, EventWord, Webhook, WebhookTest } from "../../../client/src/client.ts";
import { translateFailure } from "../shared/state/failures.ts";
import { later } from "../shared/texts/pages.ts";

type EventType = Delivery["type"];

export function typeLabels(): Record<EventType, string> {
  return later().webhooks.types;
}

export function listTypes(): EventType[] {
  return Object.keys(typeLabels()) as EventType[];
}

/** The description, or the host of the address. */
export function nameWebhook({ description, url }: Pick<Webhook, "description" | "url">): string {
  return description || (URL.canParse(url) ? new URL(url).host : url);
}

export function stateOfWebhook({ status, failingSince }: Webhook): Webhook["status"] | "failing" {
  return status === "enabled" && failingSince !== undefined ? "failing" : status;
}

/** All types that the words stand for: `pet.*` for each type of animals. */
export function expandTypes(words: EventWord[] = []): EventType[] {
  return listTypes().filter((type) =>
    words.some((word) => word === type || word === `${type.split(".")[0]}.*`),
  );
}

export function describeTypes({ types }: Pick<Webhook, "types">): string {
  if (types === undefined) return later().webhooks.everything;
  return expandTypes(types)
    .map((type) => typeLabels()[type])
    .join(", ");
}

export function isArrived({ status = 0 }: WebhookTest): boolean {
  return status >= 200 && status < 300;
}

export function describeTest(test: WebhookTest): string {
  const { status, durationMs, error } = test;
  const texts = later().webhooks;
  if (status === undefined)
    return texts.testFailed(error === undefined ? texts.noResponse : translateFailure(error), durationMs);
  return isArrived(test) ? texts.testArrived(status, durationMs) : texts.testRefused(status, durationMs);
}

/** The last attempt of a delivery, or why there was none. */
export function describeResult({ status, attempts, lastStatus, lastError }: Delivery): string {
  const texts = later().deliveries;
  // Before it is sent again, it still has the result of the last time.
  if (attempts === 0 && status === "pending") return texts.notSentYet;
  const answer = lastStatus === undefined ? texts.noResponse : texts.answer(lastStatus);
  // An event that was skipped after an attempt has both.
  const result = lastError === undefined ? answer : translateFailure(lastError);
  return attempts <= 1 ? result : texts.attempts(result, attempts);
}

/** The position before an event, so that it and all later ones are sent again. Its id is `evt_<epoch>_<number>`. */
export function cursorBefore({ eventId, number }: Pick<Delivery, "eventId" | "number">): string {
  const epoch = eventId.slice("evt_".length, eventId.lastIndexOf("_"));
  return `${epoch}-${BigInt(number) - 1n}`;
}
