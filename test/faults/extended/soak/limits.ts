// A Free key with many concurrent requests while Redis is up: all nodes together admit exactly 60.

import { setTimeout as pause } from "node:timers/promises";
import { ADMIN_KEY, type Cluster } from "./cluster.ts";
import type { Findings } from "./findings.ts";

const ATTEMPTS_MAX = 5;
const REQUESTS = 100;
const ADMITTED = 60;
/** Log lines are written at most 0.1 s late. */
const LOG_DELAY_MS = 200;

export interface LimitChecks {
  check(): Promise<void>;
  /** How many checks counted, and how many were dropped because a node lost Redis or was overloaded. */
  made: { exact: number; disturbed: number };
}

export function createLimitChecks(cluster: Cluster, findings: Findings): LimitChecks {
  const { balancer } = cluster;
  const made = { exact: 0, disturbed: 0 };
  /** Log lines of all nodes about Redis so far. */
  const complaints = () => cluster.processes.map(({ output }) => output.stderr.split("Redis").length).join();

  /** False if a node lost Redis during the check, or was too busy to respond. */
  async function checkOnce(): Promise<boolean> {
    await cluster.allReady();
    const before = complaints();
    const created = await balancer.call("POST", "/v1/keys", {
      key: ADMIN_KEY,
      body: { name: "soak", plan: "free", access: "browse" },
    });
    if (created.status === 503) return false;
    const ask = () => balancer.call("GET", "/v1/pets?limit=1", { key: created.json.key });
    const answers = await Promise.all(Array.from({ length: REQUESTS }, ask));
    await pause(LOG_DELAY_MS);
    if (complaints() !== before || answers.some(({ status }) => status === 503)) return false;
    const admitted = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status }) => status === 429).length;
    if (admitted !== ADMITTED || refused !== REQUESTS - ADMITTED)
      findings.violate(`a Free key was admitted ${admitted} times and refused ${refused} times`);
    return true;
  }

  return {
    made,
    async check() {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        if (await checkOnce()) {
          made.exact += 1;
          return;
        }
        made.disturbed += 1;
      }
      findings.violate("no moment to check limits: nodes were disturbed without a fault");
    },
  };
}
