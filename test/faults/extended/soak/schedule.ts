// The faults of a soak, one after another: engines that freeze, stop, crash and fail over, and a killed node.

import { setTimeout as pause } from "node:timers/promises";
import { freeze } from "../../../harness/servers/replication.ts";
import type { Cluster } from "./cluster.ts";
import type { Findings } from "./findings.ts";

type Fault = (cluster: Cluster, holdMs: number) => Promise<void>;

const FAULTS: { [name: string]: Fault } = {
  "Redis frozen": async ({ redis }, holdMs) => {
    redis.signal("SIGSTOP");
    await pause(holdMs);
    redis.signal("SIGCONT");
  },
  "Redis killed, then empty": async ({ redis }, holdMs) => {
    await redis.stop();
    await pause(holdMs);
    await redis.start();
    // It may have begun as a replica, and has no file in which Sentinels could note that it is the master.
    await redis.command("REPLICAOF", "NO", "ONE");
  },
  "Redis master changed": (cluster, holdMs) => cluster.changeMaster(holdMs),
  "PostgreSQL frozen": async ({ postgres }, holdMs) => {
    const thaw = await freeze(postgres);
    await pause(holdMs);
    thaw();
  },
  "PostgreSQL restarted": async ({ postgres }, holdMs) => {
    await postgres.stop();
    await pause(holdMs);
    await postgres.start();
  },
  "PostgreSQL crashed": async ({ postgres }, holdMs) => {
    await postgres.stop("SIGQUIT");
    await pause(holdMs);
    await postgres.start();
  },
  "PostgreSQL failed over": (cluster, holdMs) => cluster.failOver(holdMs),
  "node killed": (cluster, holdMs) => cluster.killOne(holdMs),
};

const CYCLE_MS = 60_000;
const HOLD_MS_MAX = 4_000;
const CALM_SLOT_MS = 4_000;

/**
 * Every fault once a minute, or once in all where there is less time. `betweenFaults` runs while nothing is wrong: before
 * each fault, and where time is short at the end alone.
 */
export async function runSchedule(
  cluster: Cluster,
  findings: Findings,
  { totalMs, betweenFaults }: { totalMs: number; betweenFaults: () => Promise<void> },
): Promise<void> {
  const startMs = performance.now();
  const faults = Object.entries(FAULTS);
  const slotMs = Math.min(CYCLE_MS, totalMs) / faults.length;
  for (let turn = 0; turn < faults.length || performance.now() - startMs < totalMs; turn++) {
    const [name, fault] = faults[turn % faults.length] as [string, Fault];
    const slotEndMs = performance.now() + slotMs;
    if (slotMs >= CALM_SLOT_MS) await betweenFaults();
    await fault(cluster, Math.min(HOLD_MS_MAX, slotMs / 3));
    const endedMs = performance.now();
    await cluster.allReady().catch((cause) => {
      throw new Error(`after "${name}"`, { cause });
    });
    findings.fault(name, performance.now() - endedMs);
    await pause(Math.max(0, slotEndMs - performance.now()));
  }
  await betweenFaults();
}
