// Prints webhooks and deliveries for people or as JSON.

import type { describeDelivery } from "../../domain/webhooks/delivery.ts";
import { describeWebhook, type Webhook } from "../../domain/webhooks/webhook.ts";
import { escapeUnsafe } from "../../tools/shown-text.ts";
import { type Columns, print, printJson, printProperties, showTime } from "../output.ts";

export const WEBHOOK_COLUMNS: Columns<Described> = {
  ID: ({ id }) => String(id),
  KEY: ({ keyId }) => String(keyId),
  URL: ({ url }) => escapeUnsafe(url),
  TYPES: ({ types }) => types?.join(",") ?? "all",
  STATUS: showStatus,
  PENDING: ({ pending }) => String(pending),
  "LAST SUCCESS": ({ lastSuccessAt }) => showTime(lastSuccessAt, "never"),
  "FAILING SINCE": ({ failingSince }) => showTime(failingSince),
};

export const DELIVERY_COLUMNS: Columns<ReturnType<typeof describeDelivery>> = {
  DELIVERY: ({ id }) => String(id),
  EVENT: ({ number }) => String(number),
  TYPE: ({ type }) => type,
  STATUS: ({ status }) => status,
  ATTEMPTS: ({ attempts }) => String(attempts),
  "LAST ATTEMPT": ({ lastAttemptAt }) => showTime(lastAttemptAt),
  RESULT: ({ lastStatus, lastError }) => String(lastStatus ?? lastError ?? ""),
  "NEXT ATTEMPT": ({ nextAttemptAt }) => showTime(nextAttemptAt),
};

type Described = ReturnType<typeof describeForOperator>;

/** Adds the key, which the API does not show. */
export function describeForOperator(webhook: Webhook) {
  return { ...describeWebhook(webhook), keyId: webhook.keyId };
}

export function printIssued(webhook: Webhook, secret: string, asJson: boolean): void {
  if (asJson) {
    printJson({ ...describeForOperator(webhook), secret });
    return;
  }
  print(`${secret}\n\nThis is the secret. Keep it now: it cannot be shown again.\n`);
  printWebhook(webhook, false);
}

export function printWebhook(webhook: Webhook, asJson: boolean): void {
  const described = describeForOperator(webhook);
  if (asJson) {
    printJson(described);
    return;
  }
  const { id, keyId, url, types, description = "", pending } = described;
  printProperties({
    id: String(id),
    key: keyId === 0n ? "0 (operator)" : String(keyId),
    url: escapeUnsafe(url),
    types: types?.join(", ") ?? "all",
    description: escapeUnsafe(description),
    status: showStatus(described),
    created: showTime(described.createdAt),
    "last success": showTime(described.lastSuccessAt, "never"),
    "failing since": showTime(described.failingSince, "no"),
    pending: String(pending),
  });
}

function showStatus({ disabledReason }: Pick<Webhook, "disabledReason">): string {
  return disabledReason === undefined ? "enabled" : `disabled (${disabledReason})`;
}
