// The state of this node, for `/readyz` and `/metrics`.

import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/basics/clock.ts";
import type { Gate } from "../domain/keys/gate.ts";
import { isWarningDue } from "../domain/webhooks/attempt-schedule.ts";
import type { DispatchStore } from "../domain/webhooks/dispatch.ts";
import { findFreeDiskBytes } from "../engines.ts";
import type { DeliveryHealth } from "../http/observe/health-metrics.ts";
import type { HttpServices } from "../http/services.ts";
import type { Database } from "../storage/database.ts";
import { type DatabaseServer, describeServers } from "../storage/database-servers.ts";
import { readStoreId } from "../storage/stores/basics/versions.ts";
import { createWriteWatch } from "../storage/write-watch.ts";

interface HealthOptions {
  config: Config;
  db: Database;
  gate: Gate;
  dispatch: DispatchStore;
  clock: Clock;
  isStopping: () => boolean;
}

export function createHealthChecks(options: HealthOptions): Pick<HttpServices, "readiness" | "health"> {
  const { config, db, gate, dispatch, clock, isStopping } = options;
  const writes = createWriteWatch(db);

  /** Undefined if the database does not answer. */
  async function checkDatabase(): Promise<{ isWritable: boolean; store: string } | undefined> {
    try {
      await db.ping();
      const store = await readStoreId(db);
      return { isWritable: await writes.isWritable(), store };
    } catch {
      return undefined;
    }
  }

  return {
    async readiness() {
      if (isStopping()) return { status: "stopping", reasons: ["the service is stopping"] };
      const database = await checkDatabase();
      const servers = db.servers?.() ?? [];
      if (database === undefined) return { status: "unavailable", reasons: [describeOutage(servers)] };
      const { isWritable, store } = database;
      const reasons = [
        ...(isWritable ? [] : ["the last write to the database failed"]),
        ...servers.flatMap(({ host, isRefused }) =>
          isRefused ? `${host} takes writes too, and is not used` : [],
        ),
        ...gate.faults(),
      ];
      const status = reasons.length > 0 ? "degraded" : "ready";
      const roles = servers.map(({ host, role }) => ({ host, role }));
      return { status, reasons, store, ...(roles.length > 0 && { servers: roles }) };
    },
    async health() {
      const database = await checkDatabase();
      return {
        isReady: database !== undefined && !isStopping(),
        isWritable: database?.isWritable === true,
        redisServers: gate.servers?.() ?? [],
        diskFreeBytes: await findFreeDiskBytes(config),
        servers: db.servers?.() ?? [],
        deliveries: await measureDeliveries(dispatch, clock.nowMs()),
      };
    },
  };
}

function describeOutage(servers: DatabaseServer[]): string {
  const found = servers.length === 0 ? "" : `: ${describeServers(servers)}`;
  return `the database does not answer, or takes no writes${found}`;
}

async function measureDeliveries(
  dispatch: DispatchStore,
  nowMs: number,
): Promise<DeliveryHealth | undefined> {
  const figures = await dispatch.measure().catch(() => undefined);
  if (figures === undefined) return undefined;
  const { pending, oldestPendingMs, failingSinceMs } = figures;
  return {
    pending,
    oldestPendingSeconds: oldestPendingMs === undefined ? 0 : Math.max(0, (nowMs - oldestPendingMs) / 1_000),
    failingWebhooks: failingSinceMs.filter((sinceMs) => isWarningDue(sinceMs, nowMs)).length,
  };
}
