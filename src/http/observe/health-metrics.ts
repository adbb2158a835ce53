// The state of the node as Prometheus gauges, read when Prometheus asks.

import type { Health } from "../services.ts";
import { renderSamples } from "./metrics.ts";

export function renderHealth({ isReady, isWritable, redisAway, diskFreeBytes }: Health): string {
  const gauge = (name: string, help: string, value: number) =>
    `# HELP ${name} ${help}\n${renderSamples(name, "gauge", [["", {}, value]])}`;
  return [
    gauge("animal_store_ready", "1 if the node can serve requests, as /readyz says.", Number(isReady)),
    gauge("animal_store_writable", "0 while writes to the database fail.", Number(isWritable)),
    gauge("animal_store_redis_servers_away", "Redis servers that do not answer.", redisAway),
    ...(diskFreeBytes === undefined
      ? []
      : [gauge("animal_store_disk_free_bytes", "Free space for the SQLite store.", diskFreeBytes)]),
  ].join("\n");
}
