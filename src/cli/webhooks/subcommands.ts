// The subcommands of `webhooks`.

import { withStores } from "../../command-stores.ts";
import { readConfig } from "../../config/config.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { parseInt64 } from "../../domain/basics/int64.ts";
import { type ApiKey, keyState } from "../../domain/keys/api-key.ts";
import type { AuditOrigin } from "../../domain/keys/audit.ts";
import { isDelivered } from "../../domain/webhooks/attempt-schedule.ts";
import { describeDelivery } from "../../domain/webhooks/delivery.ts";
import {
  checkTypes,
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
import {
  defineOn,
  missingOptions,
  readChoice,
  readCursor,
  readFlags,
  readStart,
  readText,
  SWITCH,
  TEXT,
  UsageError,
} from "../command.ts";
import { createTable, print, printJson } from "../output.ts";
import {
  DELIVERY_COLUMNS,
  describeForOperator,
  printIssued,
  printWebhook,
  WEBHOOK_COLUMNS,
} from "./printing.ts";

const JSON_FLAG = { json: SWITCH };
const CREATE_FLAGS = { url: TEXT, types: TEXT, description: TEXT, after: TEXT, key: TEXT, ...JSON_FLAG };
/** More than a store may hold. */
const LIMIT = 1_000;
const DELIVERIES_SHOWN = 10;

interface Opened {
  webhooks: WebhookStore;
  gateway: Webhooks;
  /** Throws `key_not_found`. */
  findKey(id: bigint): Promise<ApiKey>;
}

const onWebhook = defineOn("webhook", withWebhooks);

export const SUBCOMMANDS = {
  async list(args: string[]): Promise<void> {
    const { flags } = readFlags(args, JSON_FLAG);
    await withWebhooks(async ({ webhooks }) => {
      const found = (await webhooks.list({ limit: LIMIT })).map(describeForOperator);
      if (flags.json) printJson(found);
      else if (found.length === 0) print("There are no webhooks. Create one: webhooks create --url U");
      else createTable(WEBHOOK_COLUMNS)(found);
    });
  },

  async create(args: string[]): Promise<void> {
    const { flags } = readFlags(args, CREATE_FLAGS);
    if (flags.url === undefined) throw missingOptions({ url: flags.url });
    const url = readText("--url", flags.url, WEBHOOK_URL_MAX);
    const description =
      flags.description && readText("--description", flags.description, WEBHOOK_DESCRIPTION_MAX);
    const types = checkTypes(flags.types?.split(",").map((word) => readChoice("--types", word, EVENT_WORDS)));
    const keyId = readId("--key", flags.key ?? "0");
    const after = readStart(flags.after ?? "now", "--after");
    await withWebhooks(async ({ webhooks, gateway, findKey }) => {
      if (keyId !== 0n) requireActive(await findKey(keyId));
      await gateway.checkUrl(url, { showsCause: true });
      const { keyFingerprint, secretOf } = await gateway.openSecrets();
      const settings = { url, types, description, after, keyId, keyFingerprint };
      const webhook = await webhooks.create(settings, originOf("webhooks create"));
      printIssued(webhook, secretOf(webhook), flags.json);
    });
  },

  show: onWebhook(JSON_FLAG, async (id, { json }, { webhooks }) => {
    const webhook = found(await webhooks.find(id));
    const newest = await webhooks.listDeliveries(id, { limit: DELIVERIES_SHOWN });
    const deliveries = newest.map((each) => describeDelivery(each, { showsCause: true }));
    if (json) return printJson({ ...describeForOperator(webhook), deliveries });
    printWebhook(webhook, false);
    if (deliveries.length === 0) return;
    print("");
    createTable(DELIVERY_COLUMNS)(deliveries);
  }),

  test: onWebhook(JSON_FLAG, async (id, { json }, { webhooks, gateway }) => {
    const webhook = found(await webhooks.find(id));
    const { status, durationMs, error, body } = await gateway.sendTest(webhook, webhook.keyId);
    if (json) printJson({ status, durationMs, error, response: body });
    else if (status === undefined) print(`No response after ${durationMs} ms: ${error}`);
    else print(`Response ${status} after ${durationMs} ms${body === "" ? "" : `: ${escapeUnsafe(body)}`}`);
    if (!isDelivered(status))
      throw new OperatorError("The test failed: the receiver must answer with a status from 200 to 299.");
  }),

  rotate: onWebhook(JSON_FLAG, async (id, { json }, { webhooks, gateway }) => {
    const { keyFingerprint, secretOf } = await gateway.openSecrets();
    const webhook = found(await webhooks.rotate(id, keyFingerprint, originOf("webhooks rotate")));
    printIssued(webhook, secretOf(webhook), json);
  }),

  replay: onWebhook(
    { delivery: TEXT, after: TEXT, ...JSON_FLAG },
    async (id, flags, { webhooks }) =>
      printWebhook(found(await webhooks.replay(id, readReplay(flags), systemClock.nowMs())), flags.json),
    readReplay,
  ),

  enable: onWebhook({ "from-now": SWITCH, ...JSON_FLAG }, async (id, flags, { webhooks }) => {
    const changes = { status: "enabled" as const, ...(flags["from-now"] && { after: "now" as const }) };
    printWebhook(found(await webhooks.update(id, changes, originOf("webhooks enable"))), flags.json);
  }),

  disable: onWebhook(JSON_FLAG, async (id, { json }, { webhooks }) => {
    const changed = await webhooks.update(id, { status: "disabled" }, originOf("webhooks disable"));
    printWebhook(found(changed), json);
  }),

  delete: onWebhook(JSON_FLAG, async (id, { json }, { webhooks }) => {
    if (!(await webhooks.delete(id, originOf("webhooks delete"))))
      throw new ServiceError("webhook_not_found");
    if (json) printJson({ id });
    else print(`Webhook ${id} is deleted.`);
  }),
};

async function withWebhooks(work: (opened: Opened) => Promise<void>): Promise<void> {
  const config = readConfig();
  const gateway = createWebhooks(config, { findPort: () => config.port, clock: systemClock });
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

function originOf(command: string): AuditOrigin {
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

function readReplay({ delivery, after }: Record<"delivery" | "after", string | undefined>): Replay {
  if (delivery !== undefined && after === undefined) return { deliveryId: readId("--delivery", delivery) };
  if (after !== undefined && delivery === undefined) return { after: readCursor(after, "--after") };
  throw new UsageError("Give either --delivery or --after.");
}
