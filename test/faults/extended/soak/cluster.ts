// Three nodes on their own PostgreSQL with a standby, and Redis with Sentinels, behind a balancer; one node can be killed
// and restarted.

import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { call } from "../../../harness/clients/call.ts";
import { type Balancer, startBalancer } from "../../../harness/servers/balancer.ts";
import type { PostgresServer } from "../../../harness/servers/postgres.ts";
import type { RedisServer } from "../../../harness/servers/redis.ts";
import {
  promote,
  rejoin,
  requireStandby,
  startPrimary,
  startStandby,
  urlOfAll,
} from "../../../harness/servers/replication.ts";
import { startSentinels } from "../../../harness/servers/sentinels.ts";
import { type Service, startService } from "../../../harness/servers/service.ts";

const NODES = 3;
const READY_MS = 60_000;
export const ADMIN_KEY = "an-admin-key-for-all-nodes";

export interface Cluster {
  /** The server that takes writes. */
  readonly postgres: PostgresServer;
  /** The master. */
  readonly redis: RedisServer;
  balancer: Balancer;
  /** On the server that takes writes. */
  readonly databaseUrl: string;
  /** Running nodes. The last one is the one that is killed. */
  nodes: Service[];
  /** All processes, also killed ones, for their logs. */
  processes: Service[];
  /** Resolves when every node says that it is ready, not degraded; throws after a minute. */
  allReady(): Promise<void>;
  /** Kills PostgreSQL and promotes its standby; after `holdMs`, the killed server becomes the standby. */
  failOver(holdMs: number): Promise<void>;
  /** Kills the master of Redis until the Sentinels have replaced it; after `holdMs` it becomes the replica. */
  changeMaster(holdMs: number): Promise<void>;
  /** kill -9, then a new process on the same data. */
  killOne(holdMs: number): Promise<void>;
}

export async function startCluster(t: TestContext): Promise<Cluster> {
  let postgres = await startPrimary(t);
  const group = await startSentinels(t);
  let [master] = group.servers;
  const balancer = startBalancer(t);
  const database = new URL(await postgres.createDatabase()).pathname.slice(1);
  let standby = await startStandby(t, postgres);
  const environment = {
    DATABASE_URL: urlOfAll([postgres, standby], database),
    REDIS_URL: group.url,
    // Longer than a reply takes on a busy machine, so that Redis counts as away only if it is.
    REDIS_TIMEOUT_MS: "500",
    ADMIN_API_KEY: ADMIN_KEY,
  };
  const processes: Service[] = [];
  const start = async (): Promise<Service> => {
    const node = await startService(t, environment);
    balancer.add(node.url);
    processes.push(node);
    return node;
  };
  const nodes = await Promise.all(Array.from({ length: NODES }, start));

  const readiness = async ({ url }: Service) => (await call("GET", `${url}/readyz`)).text;
  const isReady = async (node: Service) => JSON.parse(await readiness(node)).status === "ready";
  return {
    get postgres() {
      return postgres;
    },
    get databaseUrl() {
      return postgres.urlOf(database);
    },
    get redis() {
      return master;
    },
    balancer,
    nodes,
    processes,
    async allReady() {
      const endMs = performance.now() + READY_MS;
      const isDone = async () =>
        balancer.ready() === nodes.length && (await Promise.all(nodes.map(isReady))).every(Boolean);
      while (!(await isDone())) {
        if (performance.now() > endMs) {
          const found = await Promise.all(nodes.map(readiness));
          throw new Error(`A node was not ready again within a minute: ${found.join(" ")}`);
        }
        await pause(25);
      }
    },
    async failOver(holdMs) {
      // Without it, the last changes would be lost.
      await requireStandby(postgres);
      await postgres.stop("SIGQUIT");
      await promote(standby);
      [postgres, standby] = [standby, postgres];
      await pause(holdMs);
      await rejoin(standby, postgres);
    },
    async changeMaster(holdMs) {
      const old = master;
      await old.stop();
      master = await group.failOver(old);
      await pause(holdMs);
      await old.start();
      // Otherwise there would be no replica for the next change.
      await group.untilWatched();
    },
    async killOne(holdMs) {
      const [victim] = nodes.splice(-1) as [Service];
      await victim.stop("SIGKILL");
      await pause(holdMs);
      balancer.remove(victim.url);
      nodes.push(await start());
    },
  };
}
