// The subcommands of `webhooks`: list, create, show, test, rotate, replay, enable, disable, delete.

import { withStores } from "../../command-stores.ts";
import { readConfig } from "../../config/config.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { parseInt64 } from "../../domain/basics/int64.ts";
import { type ApiKey, keyState } from "../../domain/keys/api-key.ts";
import type { AuditOrigin } from "../../domain/keys/audit.ts";
import { describeDelivery } from "../../domain/webhooks/delivery.ts";
import {
  checkTypes,
  describeWebhook,
  EVENT_WORDS,
  type Replay,
  type Webhook,
  type WebhookStore,
} from "../../domain/webhooks/webhook.ts";
import { WEBHOOK_DESCRIPTION_MAX, WEBHOOK_URL_MAX } from "../../domain/webhooks/webhook-limits.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { COMMAND } from "../../tools/program.ts";
import { escapeUnsafe } from "../../tools/shown-text.ts";
import { createWebhooks, type Webhooks } from "../../webhooks/gateway.ts";
import { isDelivered } from "../../webhooks/schedule.ts";
import {
  missingOptions,
  readChoice,
  readCursor,
  readFlags,
  readIdAndFlags,
  readText,
  SWITCH,
  TEXT,
  UsageError,
} from "../command.ts";
import { print, printJson, printProperties, printTable, type TableRow } from "../output.ts";

/** More than a store may hold. */
const LIMIT = 1_000;
const DELIVERIES_SHOWN = 10;
interface Opened {
  webhooks: WebhookStore;
  gateway: Webhooks;
  /** Throws `key_not_found`. */
  findKey(id: bigint): Promise<ApiKey>;
}

export async function listWebhooks(args: string[]): Promise<void> {
  const { flags } = readFlags(args, { json: SWITCH });
  await withWebhooks(async ({ webhooks }) => {
    const found = await webhooks.list({ limit: LIMIT });
    if (flags.json) printJson(found.map(describeForOperator));
    else if (found.length === 0) print("There are no webhooks. Create one: webhooks create --url U");
    else printTable(found.map(toRow));
  });
}

export async function createWebhook(args: string[]): Promise<void> {
  const { flags } = readFlags(args, {
    url: TEXT,
    types: TEXT,
    description: TEXT,
    after: TEXT,
    key: TEXT,
    json: SWITCH,
  });
  const { after = "now" } = flags;
  if (flags.url === undefined) throw missingOptions({ url: flags.url });
  const url = readText("--url", flags.url, WEBHOOK_URL_MAX);
  const description =
    flags.description && readText("--description", flags.description, WEBHOOK_DESCRIPTION_MAX);
  const types = checkTypes(flags.types?.split(",").map((word) => readChoice("--types", word, EVENT_WORDS)));
  const keyId = readId("--key", flags.key ?? "0");
  const start = after === "now" ? ("now" as const) : readCursor("--after", after);
  await withWebhooks(async ({ webhooks, gateway, findKey }) => {
    if (keyId !== 0n) requireActive(await findKey(keyId));
    await gateway.checkUrl(url, { showsCause: true });
    const { keyFingerprint, secretOf } = await gateway.openSecrets();
    const settings = { url, types, description, after: start, keyId, keyFingerprint };
    const webhook = await webhooks.create(settings, stampOf("webhooks create"));
    printIssued(webhook, secretOf(webhook), flags.json);
  });
}

export async function showWebhook(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("webhooks", args, { json: SWITCH });
  await withWebhooks(async ({ webhooks }) => {
    const webhook = found(await webhooks.find(id));
    const newest = await webhooks.listDeliveries(id, { limit: DELIVERIES_SHOWN });
    const deliveries = newest.map((each) => describeDelivery(each, { showsCause: true }));
    if (flags.json) return printJson({ ...describeForOperator(webhook), deliveries });
    printWebhook(webhook, false);
    if (deliveries.length === 0) return;
    print("");
    printTable(deliveries.map(toDeliveryRow));
  });
}

export async function testWebhook(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("webhooks", args, { json: SWITCH });
  await withWebhooks(async ({ webhooks, gateway }) => {
    const webhook = found(await webhooks.find(id));
    const { status, durationMs, error, body } = await gateway.sendTest(webhook, webhook.keyId);
    const result = { status, durationMs, error, response: body };
    if (flags.json) printJson(result);
    else if (status === undefined) print(`No response after ${durationMs} ms: ${error}`);
    else print(`Response ${status} after ${durationMs} ms${body === "" ? "" : `: ${escapeUnsafe(body)}`}`);
    if (!isDelivered(status))
      throw new OperatorError("The test failed: the receiver must answer with a status from 200 to 299.");
  });
}

export async function rotateWebhook(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("webhooks", args, { json: SWITCH });
  await withWebhooks(async ({ webhooks, gateway }) => {
    const { keyFingerprint, secretOf } = await gateway.openSecrets();
    const webhook = found(await webhooks.rotate(id, keyFingerprint, stampOf("webhooks rotate")));
    printIssued(webhook, secretOf(webhook), flags.json);
  });
}

export async function replayWebhook(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("webhooks", args, { delivery: TEXT, after: TEXT, json: SWITCH });
  const what = readReplay(flags.delivery, flags.after);
  await withWebhooks(async ({ webhooks }) =>
    printWebhook(found(await webhooks.replay(id, what, systemClock.nowMs())), flags.json),
  );
}

export async function enableWebhook(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("webhooks", args, { "from-now": SWITCH, json: SWITCH });
  const changes = { status: "enabled" as const, ...(flags["from-now"] && { after: "now" as const }) };
  await withWebhooks(async ({ webhooks }) =>
    printWebhook(found(await webhooks.update(id, changes, stampOf("webhooks enable"))), flags.json),
  );
}

export async function disableWebhook(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("webhooks", args, { json: SWITCH });
  await withWebhooks(async ({ webhooks }) => {
    const changed = await webhooks.update(id, { status: "disabled" }, stampOf("webhooks disable"));
    printWebhook(found(changed), flags.json);
  });
}

export async function deleteWebhook(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("webhooks", args, { json: SWITCH });
  await withWebhooks(async ({ webhooks }) => {
    if (!(await webhooks.delete(id, stampOf("webhooks delete")))) throw new ServiceError("webhook_not_found");
    if (flags.json) printJson({ id });
    else print(`Webhook ${id} is deleted.`);
  });
}

/** Opens the stores while `work` runs. */
async function withWebhooks(work: (opened: Opened) => Promise<void>): Promise<void> {
  const config = readConfig();
  const { database, publicUrl, host, port } = config;
  const gateway = createWebhooks({
    settings: config,
    storePath: database.engine === "sqlite" ? database.path : undefined,
    findOwn: () => ({ publicUrl, listener: { host, port } }),
    clock: systemClock,
  });
  await withStores(config, ({ stores }) =>
    work({ webhooks: stores.webhooks, gateway, findKey: stores.keyRing.get }),
  );
}

/** Webhooks of other keys are disabled. */
function requireActive(key: ApiKey): void {
  const state = keyState(key, systemClock.nowMs());
  if (state !== "active")
    throw new OperatorError(
      `The key ${key.id} is ${state}. Give the id of an active one, which this lists: ${COMMAND} keys list`,
    );
}

function stampOf(command: string): AuditOrigin {
  return { actor: { command }, atMs: systemClock.nowMs() };
}

function found(webhook: Webhook | undefined): Webhook {
  if (webhook === undefined) throw new ServiceError("webhook_not_found");
  return webhook;
}

function readId(flag: string, text: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw new UsageError(`${flag} must be a whole number.`);
  return id;
}

function readReplay(delivery: string | undefined, after: string | undefined): Replay {
  if (delivery !== undefined && after === undefined) return { deliveryId: readId("--delivery", delivery) };
  if (after !== undefined && delivery === undefined) return { after: readCursor("--after", after) };
  throw new UsageError("Give either --delivery or --after.");
}

/** With the key, which the API does not show. */
function describeForOperator(webhook: Webhook) {
  return { ...describeWebhook(webhook), keyId: webhook.keyId };
}

function printIssued(webhook: Webhook, secret: string, asJson: boolean): void {
  if (asJson) {
    printJson({ ...describeForOperator(webhook), secret });
    return;
  }
  print(`${secret}\n\nThis is the secret. Keep it now: it cannot be shown again.\n`);
  printWebhook(webhook, false);
}

function printWebhook(webhook: Webhook, asJson: boolean): void {
  if (asJson) {
    printJson(describeForOperator(webhook));
    return;
  }
  const { id, url, types, description = "", pending, ...described } = describeWebhook(webhook);
  printProperties({
    id: String(id),
    key: showKey(webhook),
    url: escapeUnsafe(url),
    types: types?.join(", ") ?? "all",
    description: escapeUnsafe(description),
    status: showStatus(webhook),
    created: described.createdAt.toISOString(),
    "last success": described.lastSuccessAt?.toISOString() ?? "never",
    "failing since": described.failingSince?.toISOString() ?? "no",
    pending: String(pending),
  });
}

function showStatus({ disabledReason }: Webhook): string {
  return disabledReason === undefined ? "enabled" : `disabled (${disabledReason})`;
}

function showKey({ keyId }: Webhook): string {
  return keyId === 0n ? "0 (operator)" : String(keyId);
}

function toRow(webhook: Webhook): TableRow {
  const { id, url, types, pending, lastSuccessAt, failingSince } = describeWebhook(webhook);
  return {
    ID: String(id),
    KEY: String(webhook.keyId),
    URL: escapeUnsafe(url),
    TYPES: types?.join(",") ?? "all",
    STATUS: showStatus(webhook),
    PENDING: String(pending),
    "LAST SUCCESS": lastSuccessAt?.toISOString() ?? "never",
    "FAILING SINCE": failingSince?.toISOString() ?? "",
  };
}

function toDeliveryRow(delivery: ReturnType<typeof describeDelivery>): TableRow {
  return {
    DELIVERY: String(delivery.id),
    EVENT: String(delivery.number),
    TYPE: delivery.type,
    STATUS: delivery.status,
    ATTEMPTS: String(delivery.attempts),
    "LAST ATTEMPT": delivery.lastAttemptAt?.toISOString() ?? "",
    RESULT: String(delivery.lastStatus ?? delivery.lastError ?? ""),
    "NEXT ATTEMPT": delivery.nextAttemptAt?.toISOString() ?? "",
  };
}
