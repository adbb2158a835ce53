// 32 clients for SOAK_SECONDS while engines fail and a node is killed every minute: nothing acknowledged is lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startClients } from "./soak/clients.ts";
import { ADMIN_KEY, startCluster } from "./soak/cluster.ts";
import { checkHistory, checkLogs, checkStore } from "./soak/final-checks.ts";
import { createFindings } from "./soak/findings.ts";
import { createLedger } from "./soak/ledger.ts";
import { createLimitChecks } from "./soak/limits.ts";
import { checkGrowth, WARM_UP_MS, watchMemory } from "./soak/memory.ts";
import { runSchedule } from "./soak/schedule.ts";

const SECONDS = Number(process.env.SOAK_SECONDS ?? 3);
const SEED = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);
const CLIENTS = 32;
/** A short soak says nothing about memory. */
const IS_LONG = SECONDS * 1_000 > 2 * WARM_UP_MS;

test(`${SECONDS} s of faults lose no acknowledged write${IS_LONG ? ", let no memory grow" : ""} and leave limits exact`, {
  timeout: SECONDS * 2_000 + 200_000,
}, async (t) => {
  const print = (line: string) => t.diagnostic(line);
  print(`SOAK_SEED=${SEED}`);
  const cluster = await startCluster(t);
  await cluster.allReady();
  const { key } = (
    await cluster.balancer.call("POST", "/v1/keys", {
      key: ADMIN_KEY,
      body: { name: "load", plan: "enterprise", access: "manage", perMinute: 1e9, perDay: 1e9 },
    })
  ).json;
  const ledger = createLedger();
  const findings = createFindings();
  const memory = watchMemory(cluster.processes);
  const limits = createLimitChecks(cluster, findings);

  const clients = startClients(t, CLIENTS, { cluster, ledger, findings, key, seed: SEED });
  await runSchedule(cluster, findings, { totalMs: SECONDS * 1_000, betweenFaults: limits.check });
  await clients.stop();
  const growths = memory.stop();

  await checkStore(cluster, ledger, findings);
  print(await checkHistory(cluster, findings));
  const codes = await Promise.all(cluster.nodes.map((node) => node.stop()));
  assert.deepEqual(new Set(codes), new Set([0]));
  checkLogs(cluster, findings);

  if (IS_LONG) checkGrowth(growths, findings).forEach(print);

  findings.print(print);
  print(`acknowledged: ${JSON.stringify(ledger.acknowledged)}; limits: ${JSON.stringify(limits.made)}`);
  assert.deepEqual(findings.violations, []);
});
