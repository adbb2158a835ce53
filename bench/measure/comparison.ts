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
  const animals = bench.sizes.comparison;
  showProgress(`${ENGINES[engine]}: making ${animals} animals`);
  const service = await startService(bench, await bench.stores.get(engine, animals));
  const contenders = [service, await startBare(bench, service, animals)];
  const failed: Record<string, string> = {};
  // The peers have no second engine.
  if (engine !== "embedded") return { contenders, failed };

  showProgress("starting the peers");
  contenders.push(...(await startApps(bench, animals)));
  for (const [name, start] of Object.entries({ "json-server": startJsonServer, prism: startPrism })) {
    try {
      contenders.push(await start(bench, animals));
    } catch {
      failed[name] = "did not start here";
    }
  }
  return { contenders, failed };
}
