// The check of webhooks: their key, and receivers that do not answer.

import type { Config } from "../../config/config.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import { isWarningDue } from "../../domain/webhooks/attempt-schedule.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { COMMAND } from "../../tools/program.ts";
import { findMasterKey } from "../../webhooks/master-key.ts";
import { fingerprintKey } from "../../webhooks/signature.ts";
import { count } from "../output.ts";
import type { StoreState } from "./database.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const KEY_ADVICE = `Set WEBHOOK_SECRET_KEY as before, or put back the file of the key beside the store (its name ends with -webhook-key), and restart the service. If the key is lost, create a new secret for each webhook: ${COMMAND} webhooks rotate ID`;

const UNSET_ADVICE =
  "Set WEBHOOK_SECRET_KEY to the value that the webhooks were created with, the same on every node.";

/** Undefined for a store without webhooks. */
export async function examineWebhooks(
  { database, webhookSecretKey: secretKey }: Config,
  store: StoreState | undefined,
): Promise<Finding | undefined> {
  const found = store?.webhooks;
  if (found === undefined || found.count === 0) return undefined;
  const number = count(found.count, "webhook");
  if (database.engine === "postgres" && secretKey === undefined)
    return fault("webhooks", `${number}, but WEBHOOK_SECRET_KEY is not set: nothing is sent`, UNSET_ADVICE);
  const storePath = database.engine === "sqlite" ? database.path : undefined;
  const unsigned = await countUnsigned(found.keyFingerprints, { secretKey, storePath });
  if (unsigned instanceof OperatorError) return fault("webhooks", unsigned.message, KEY_ADVICE);
  if (unsigned > 0) {
    const detail = `${number}, of which ${unsigned} have secrets of another key: nothing is sent to them`;
    return fault("webhooks", detail, KEY_ADVICE);
  }
  const nowMs = systemClock.nowMs();
  const failing = found.failingSinceMs.filter((sinceMs) => isWarningDue(sinceMs, nowMs)).length;
  if (failing + found.givenUp === 0) return ok("webhooks", number);
  const detail = `${number}: ${failing} with only failures for more than a day, ${found.givenUp} disabled because of failures`;
  return warning("webhooks", detail, `See which, and correct their receivers: ${COMMAND} webhooks list`);
}

/** The number of webhooks that have secrets of another key, or the error why the key cannot be read. */
async function countUnsigned(
  fingerprints: string[],
  sources: Parameters<typeof findMasterKey>[0],
): Promise<number | OperatorError> {
  try {
    const key = await findMasterKey(sources);
    const own = key && fingerprintKey(key);
    return fingerprints.filter((each) => each !== own).length;
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
}
