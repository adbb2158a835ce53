// Sends the events to webhooks, and logs their failures.

import type { Config } from "../config/config.ts";
import type { HttpServices } from "../http/services.ts";
import type { Stores } from "../stores.ts";
import { type Dispatcher, startDispatcher } from "../webhooks/dispatcher.ts";
import type { Webhooks } from "../webhooks/gateway.ts";

interface DeliveryParts extends Pick<HttpServices, "clock" | "log" | "metrics" | "publicUrl"> {
  stores: Pick<Stores, "changes" | "dispatch">;
  webhooks: Webhooks;
}

/** Undefined if there is no key for signatures: then there are no webhooks either. */
export function startDeliveries(
  { database, webhookSecretKey }: Config,
  parts: DeliveryParts,
): Dispatcher | undefined {
  const { webhooks, stores, clock, log, metrics, publicUrl } = parts;
  const isAlone = database.engine === "sqlite";
  if (!isAlone && webhookSecretKey === undefined) return undefined;
  return startDispatcher({
    webhooks,
    store: stores.dispatch,
    changes: stores.changes,
    clock,
    publicUrl,
    isAlone,
    observer: {
      attempted: metrics.countAttempt,
      warned: (id, failingSinceMs) =>
        log.warn(
          { webhook: String(id), failingSince: new Date(failingSinceMs) },
          "a webhook gets only failures; it is disabled after 5 days",
        ),
      disabled: (id, reason) => log.warn({ webhook: String(id), reason }, "a webhook was disabled"),
      unsigned: (id) =>
        log.warn(
          { webhook: String(id) },
          "a webhook has a secret of another WEBHOOK_SECRET_KEY or key file; nothing is sent to it",
        ),
      failed: (err) => log.warn({ err }, "webhooks were not sent; will retry"),
    },
  });
}
