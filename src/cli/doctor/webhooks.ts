// The check of webhooks: their key, and receivers that do not answer.

import type { Config } from "../../config.ts";
import { systemClock } from "../../domain/clock.ts";
import { COMMAND } from "../../tools/program.ts";
import { isWarningDue } from "../../webhooks/schedule.ts";
import { count } from "../output.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import type { StoreState } from "./storage.ts";

/** No finding for a store without webhooks. */
export function examineWebhooks(
  { database, webhookSecretKey }: Config,
  store: StoreState | undefined,
): Finding[] {
  const found = store?.webhooks;
  if (found === undefined || found.count === 0) return [];
  const number = count(found.count, "webhook");
  if (database.engine === "postgres" && webhookSecretKey === undefined)
    return [
      fault(
        "webhooks",
        `${number}, but WEBHOOK_SECRET_KEY is not set: nothing is sent`,
        "Set WEBHOOK_SECRET_KEY to the value that the webhooks were created with, the same on every node.",
      ),
    ];
  const nowMs = systemClock.nowMs();
  const failing = found.failingSinceMs.filter((sinceMs) => isWarningDue(sinceMs, nowMs)).length;
  if (failing + found.givenUp === 0) return [ok("webhooks", number)];
  const detail = `${number}: ${failing} with only failures for more than a day, ${found.givenUp} disabled because of failures`;
  const mend = `See which, and correct their receivers: ${COMMAND} webhooks list`;
  return [warning("webhooks", detail, mend)];
}
