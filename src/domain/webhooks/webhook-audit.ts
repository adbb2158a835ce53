// The records of the audit log about changes of webhooks.

import { findChange, onlySet, type RecordedChange } from "../keys/audit.ts";
import { type StoredWebhook, statusOf } from "./webhook.ts";
import { OLD_SECRET_SIGNS_MS } from "./webhook-limits.ts";

export function auditWebhookCreation(webhook: StoredWebhook): RecordedChange {
  return { action: "webhook.created", to: onlySet(describeSettings(webhook)) };
}

export function auditWebhookDeletion(webhook: StoredWebhook): RecordedChange {
  return { action: "webhook.deleted", from: onlySet(describeSettings(webhook)) };
}

/** Undefined if nothing differs. */
export function auditWebhookUpdate(before: StoredWebhook, after: StoredWebhook): RecordedChange | undefined {
  const change = findChange(describeSettings(before), describeSettings(after));
  const isDisabled = before.disabledReason === undefined && after.disabledReason !== undefined;
  return change && { action: isDisabled ? "webhook.disabled" : "webhook.updated", ...change };
}

export function auditWebhookRotation(atMs: number): RecordedChange {
  return { action: "webhook.rotated", to: { oldEndsAt: new Date(atMs + OLD_SECRET_SIGNS_MS).toISOString() } };
}

function describeSettings(webhook: StoredWebhook) {
  const { url, types = null, description = null, disabledReason = null } = webhook;
  return { url, types, description, status: statusOf(webhook), disabledReason };
}
