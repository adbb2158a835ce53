// The state of the node as Prometheus gauges, read when Prometheus asks.

import type { Health } from "../services.ts";
import { renderSamples } from "./metrics.ts";

export function renderHealth(health: Health): string {
  const { isReady, isWritable, redisAway, diskFreeBytes, deliveries } = health;
  const gauge = (name: string, help: string, value: number) =>
    `# HELP ${name} ${help}\n${renderSamples(name, "gauge", [["", {}, value]])}`;
  return [
    gauge("animal_store_ready", "1 if the node can serve requests, as /readyz says.", Number(isReady)),
    gauge("animal_store_writable", "0 while writes to the database fail.", Number(isWritable)),
    gauge("animal_store_redis_servers_away", "Redis servers that do not answer.", redisAway),
    ...(diskFreeBytes === undefined
      ? []
      : [gauge("animal_store_disk_free_bytes", "Free space for the SQLite store.", diskFreeBytes)]),
    ...(deliveries === undefined
      ? []
      : [
          gauge(
            "animal_store_deliveries_pending",
            "Events that enabled webhooks have not received, the same on every node.",
            deliveries.pending,
          ),
          gauge(
            "animal_store_deliveries_oldest_seconds",
            "Age of the oldest pending delivery; 0 if there is none.",
            deliveries.oldestPendingSeconds,
          ),
          gauge(
            "animal_store_webhooks_failing",
            "Webhooks whose attempts have all failed for more than a day.",
            deliveries.failingWebhooks,
          ),
        ]),
  ].join("\n");
}
