// Measures lists, start time and memory of the service as its store grows.

import { startBare } from "../contenders/bare.ts";
import type { Contender } from "../contenders/contender.ts";
import { startService, startServiceProcess } from "../contenders/service.ts";
import { joinCores } from "../cores.ts";
import { ENGINES, type Engine, type Store } from "../data/stores.ts";
import { watchForeignLoad } from "../foreign-load.ts";
import { showProgress } from "../progress.ts";
import type { Growth } from "../results.ts";
import type { Bench } from "./bench.ts";
import { runRounds } from "./rounds.ts";

export async function measureGrowth(bench: Bench, engine: Engine): Promise<Growth> {
  const title = `${ENGINES[engine]}, growth`;
  const sizes: Growth["sizes"] = [];
  const lanes: Contender[] = [];
  for (const animals of bench.sizes.growth) {
    showProgress(`${title}: creating ${animals} animals`);
    const store = await bench.stores.get(engine, animals);
    showProgress(`${title}: starting with ${animals} animals`);
    sizes.push({ animals, ...(await timeStarts(bench, store)), residentMegabytes: 0 });
    const lane = await startService(bench, store, String(animals));
    lanes.push(lane);
  }
  const smallest = Math.min(...bench.sizes.growth);
  const bare = await startBare(bench, lanes[0] as Contender, smallest);

  const lists: Growth["lists"] = [];
  for (const workload of ["hot-list", "cold-list"] as const) {
    const samples = await runRounds(
      bench,
      [bare, ...lanes.map((lane) => ({ ...lane, animals: Number(lane.name) }))],
      {
        workload,
        animals: smallest,
        title,
      },
    );
    lists.push({ workload, samples });
    if (workload === "hot-list")
      for (const [i, size] of sizes.entries())
        size.residentMegabytes = lanes[i]?.server.residentMegabytes() ?? 0;
  }
  for (const { server } of [bare, ...lanes]) await server.stop();
  return { engine, lists, sizes };
}

/** Without load, so the service may use all cores, as with npm start. */
async function timeStarts(bench: Bench, store: Store) {
  const site = { scope: bench.scope, cores: joinCores(bench.cores) };
  const foreignShare = watchForeignLoad();
  const readySeconds: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const server = await startServiceProcess(site, store);
    readySeconds.push(server.readySeconds);
    await server.stop();
  }
  return { readySeconds, foreignShare: foreignShare() };
}
