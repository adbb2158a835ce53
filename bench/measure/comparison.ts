// Compares the service with the bare server and its peers, one workload after another.

import { startBare } from "../contenders/bare.ts";
import { type Contender, type ContenderName, UNSUPPORTED } from "../contenders/contender.ts";
import { startApps, startFastifyOnPostgres, startJsonServer, startPrism } from "../contenders/peers.ts";
import { startService } from "../contenders/service.ts";
import { ENGINES, type Engine } from "../data/stores.ts";
import type { WorkloadName } from "../load/workloads.ts";
import { showProgress } from "../progress.ts";
import type { Comparison } from "../results.ts";
import type { Bench } from "./bench.ts";
import { markUnequalBytes } from "./equal-bytes.ts";
import { runRounds } from "./rounds.ts";

interface StartedContenders {
  contenders: Contender[];
  /** Peers that did not start, with the reason. */
  failed: Record<string, string>;
}

export async function compare(
  bench: Bench,
  engine: Engine,
  workloads: WorkloadName[],
): Promise<Comparison[]> {
  if (workloads.length === 0) return [];
  const animals = bench.sizes.comparison;
  const { contenders, failed } = await startContenders(bench, engine);
  const comparisons: Comparison[] = [];
  for (const workload of workloads) {
    const excluded = { ...failed, ...findUnsupported(contenders, workload) };
    const lanes = contenders.filter(({ name }) => excluded[name] === undefined);
    const samples = await runRounds(bench, lanes, { workload, animals, title: ENGINES[engine] });
    comparisons.push({ engine, workload, animals, samples: markUnequalBytes(samples), excluded });
  }
  for (const { server } of contenders) await server.stop();
  return comparisons;
}

function findUnsupported(contenders: Contender[], workload: WorkloadName): Record<string, string> {
  const reasons = contenders.flatMap(({ name }) => {
    const reason = UNSUPPORTED[name as ContenderName]?.[workload];
    return reason === undefined ? [] : [[name, reason]];
  });
  return Object.fromEntries(reasons);
}

async function startContenders(bench: Bench, engine: Engine): Promise<StartedContenders> {
  const animals = bench.sizes.comparison;
  showProgress(`${ENGINES[engine]}: creating ${animals} animals`);
  const service = await startService(bench, await bench.stores.get(engine, animals));
  const contenders = [service, await startBare(bench, service, animals)];
  const failed: Record<string, string> = {};
  showProgress("starting the peers");
  if (engine === "postgres") {
    contenders.push(await startFastifyOnPostgres(bench, await bench.stores.createForPeer(animals)));
    return { contenders, failed };
  }
  contenders.push(...(await startApps(bench, animals)));
  for (const [name, start] of Object.entries({ "json-server": startJsonServer, prism: startPrism })) {
    try {
      contenders.push(await start(bench, animals));
    } catch {
      failed[name] = "did not start on this machine";
    }
  }
  return { contenders, failed };
}
