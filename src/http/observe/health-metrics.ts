// The state of the node as Prometheus gauges, read when Prometheus asks.

import type { GateServer } from "../../domain/keys/gate.ts";
import { type Metric, renderMetrics, type Sample } from "./metrics.ts";

export interface Health {
  /** Whether `/readyz` returns 200. */
  isReady: boolean;
  isWritable: boolean;
  /** Empty without Redis. */
  redisServers: GateServer[];
  /** Where the store is; undefined for PostgreSQL. */
  diskFreeBytes: number | undefined;
  /** The database's servers; empty unless DATABASE_URL names several. */
  servers: ServerHealth[];
  /** Undefined if the database does not answer. */
  deliveries: DeliveryHealth | undefined;
}

interface ServerHealth {
  /** HOST:PORT */
  host: string;
  role: string;
  lagBytes?: number;
  lagSeconds?: number;
  /** Takes writes, but is not used: another server has the newer history. */
  isRefused?: boolean;
}

/** Counts enabled webhooks only. */
export interface DeliveryHealth {
  pending: number;
  oldestPendingSeconds: number;
  /** Webhooks whose attempts have all failed for a day. */
  failingWebhooks: number;
}

export function renderHealth(health: Health): string {
  const { isReady, isWritable, redisServers, diskFreeBytes, servers, deliveries } = health;
  const masters = redisServers.filter(({ role }) => role === "master");
  const gauges: Array<[name: string, help: string, value: number | undefined]> = [
    ["ready", "1 if the node can serve requests, as /readyz says.", Number(isReady)],
    ["writable", "0 while writes to the database fail.", Number(isWritable)],
    [
      "redis_servers_away",
      "Redis servers that do not answer.",
      masters.filter(({ isAway }) => isAway).length,
    ],
    ["disk_free_bytes", "Free space for the SQLite store.", diskFreeBytes],
    [
      "deliveries_pending",
      "Events that enabled webhooks have not received, the same on every node.",
      deliveries?.pending,
    ],
    [
      "deliveries_oldest_seconds",
      "Age of the oldest pending delivery; 0 if there is none.",
      deliveries?.oldestPendingSeconds,
    ],
    [
      "webhooks_failing",
      "Webhooks whose attempts have all failed for more than a day.",
      deliveries?.failingWebhooks,
    ],
  ];
  const own = renderMetrics(
    gauges.flatMap(([name, help, value]): Metric[] =>
      value === undefined ? [] : [[name, "gauge", help, value]],
    ),
  );
  return own + renderRedis(redisServers) + renderServers(servers);
}

export function renderRedis(servers: GateServer[]): string {
  if (servers.length === 0) return "";
  const help = "1 for a server of Redis that answers; role is master or sentinel.";
  const samples = servers.map(({ server = "unknown", role, isAway }): Sample => {
    return ["", { server, role }, Number(!isAway)];
  });
  return renderMetrics([["redis_server_up", "gauge", help, samples]]);
}

export function renderServers(servers: ServerHealth[]): string {
  return servers.length === 0 ? "" : renderMetrics(listServerMetrics(servers));
}

function listServerMetrics(servers: ServerHealth[]): Metric[] {
  // A host may be the path of a socket, with any characters.
  const labelOf = ({ host }: ServerHealth) => JSON.stringify(host).slice(1, -1);
  const lagOf = (member: "lagBytes" | "lagSeconds") =>
    servers.flatMap((server): Sample[] => {
      const lag = server[member];
      return lag === undefined ? [] : [["", { host: labelOf(server) }, lag]];
    });
  return [
    [
      "postgres_server",
      "gauge",
      "1 for each server of DATABASE_URL, with its role: primary, standby or unreachable.",
      servers.map((server) => ["", { host: labelOf(server), role: server.role }, 1]),
    ],
    [
      "postgres_server_refused",
      "gauge",
      "1 for a server that takes writes, but is not used because its history is older than another's.",
      servers.map((server) => ["", { host: labelOf(server) }, Number(server.isRefused === true)]),
    ],
    ["postgres_standby_lag_bytes", "gauge", "Changes that a standby has not received.", lagOf("lagBytes")],
    [
      "postgres_standby_lag_seconds",
      "gauge",
      "Age of the newest change that a standby shows; 0 if it has received all.",
      lagOf("lagSeconds"),
    ],
  ];
}
