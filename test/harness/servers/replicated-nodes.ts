// Two nodes with Redis on a PostgreSQL primary and its standby, whose addresses both of them know.

import type { TestContext } from "node:test";
import type { Clock } from "../../../src/domain/basics/clock.ts";
import { type LocalNode, startNode } from "./node.ts";
import { startRedis } from "./redis.ts";
import { startPrimary, startStandby, urlOfAll } from "./replication.ts";

interface PairOptions {
  settings?: Record<string, string>;
  clock?: Clock;
}

export async function startReplicatedNodes(t: TestContext, { settings = {}, clock }: PairOptions = {}) {
  const primary = await startPrimary(t);
  const database = new URL(await primary.createDatabase()).pathname.slice(1);
  const standby = await startStandby(t, primary);
  const environment = {
    DATABASE_URL: urlOfAll([primary, standby], database),
    REDIS_URL: (await startRedis(t)).url,
    REDIS_TIMEOUT_MS: "500",
    ...settings,
  };
  const start = () => startNode(t, environment, { isPatient: false, ...(clock && { clock }) });
  const nodes: [LocalNode, LocalNode] = [await start(), await start()];
  return { primary, standby, database, nodes };
}
