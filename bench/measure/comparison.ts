// The service beside the bare server and its peers, work by work.

import { startBare } from "../contenders/bare.ts";
import { CANNOT, type Contender, type ContenderName } from "../contenders/contender.ts";
import { startApps, startJsonServer, startPrism } from "../contenders/peers.ts";
import { startService } from "../contenders/service.ts";
import { ENGINES, type Engine } from "../data/stores.ts";
import type { WorkName } from "../load/works.ts";
import { showProgress } from "../progress.ts";
import type { Comparison } from "../results.ts";
import type { Bench } from "./bench.ts";
import { runRounds } from "./rounds.ts";

interface Field {
  contenders: Contender[];
  /** Peers that would not start, and why. */
  failed: Record<string, string>;
}

export async function compare(bench: Bench, engine: Engine, works: WorkName[]): Promise<Comparison[]> {
  if (works.length === 0) return [];
  const animals = bench.sizes.comparison;
  const { contenders, failed } = await startField(bench, engine);
  const comparisons: Comparison[] = [];
  for (const work of works) {
    const absent = { ...failed, ...absentFrom(contenders, work) };
    const lanes = contenders.filter(({ name }) => absent[name] === undefined);
    const samples = await runRounds(bench, lanes, { work, animals, title: ENGINES[engine] });
    comparisons.push({ engine, work, animals, samples, absent });
  }
  for (const { server } of contenders) await server.stop();
  return comparisons;
}

function absentFrom(contenders: Contender[], work: WorkName): Record<string, string> {
  const reasons = contenders.flatMap(({ name }) => {
    const reason = CANNOT[name as ContenderName]?.[work];
    return reason === undefined ? [] : [[name, reason]];
  });
  return Object.fromEntries(reasons);
}

async function startField(bench: Bench, engine: Engine): Promise<Field> {
  const { scope, cores, stores, sizes } = bench;
  const options = { folder: scope.folder, animals: sizes.comparison };
  const contenders: Contender[] = [];
  const failed: Record<string, string> = {};
  const add = (...started: Contender[]) => {
    contenders.push(...started);
    for (const { server } of started) scope.after(() => server.stop());
  };
  showProgress(`${ENGINES[engine]}: making ${sizes.comparison} animals`);
  const service = await startService(cores, await stores.get(engine, sizes.comparison));
  add(service);
  const bare = await startBare(cores, service, options);
  add(bare);
  // The peers have no second engine.
  if (engine !== "embedded") return { contenders: [bare, service], failed };

  showProgress("starting the peers");
  add(...(await startApps(cores, options)));
  for (const [name, start] of Object.entries({ "json-server": startJsonServer, prism: startPrism })) {
    try {
      add(await start(cores, options));
    } catch {
      failed[name] = "did not start here";
    }
  }
  return { contenders, failed };
}
