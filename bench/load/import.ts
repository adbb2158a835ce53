// Measures the command `import` for a file with and without profiles, and the hot list of a node while it runs.

import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Bench, Sample } from "../bench.ts";
import { withContext } from "../context.ts";
import { writeAnimals } from "../data/animals.ts";
import { runCommand } from "../data/stores.ts";
import { joinCores } from "../machine/cores.ts";
import { untilQuiet } from "../machine/cpu-use.ts";
import { startNode } from "../servers/service.ts";
import { getWorkload } from "../workloads.ts";
import { writeRequests } from "./requests.ts";
import type { Lane } from "./rounds.ts";
import { runProbe } from "./wrk.ts";

/** Enough for a full first page. */
const ANIMALS = 1_000;

/** Each import has a new store, so that all have the same work. */
export function createImportLanes(bench: Bench): Lane[] {
  return ["plain", "profiles"].flatMap((file) => {
    const path = join(bench.folder, `import-${file}.csv`);
    writeAnimals(path, bench.sizes.rows, file === "profiles");
    return bench.checkouts.map(({ prefix, root }) => ({
      name: `${prefix}${file}`,
      measure: async (isWarmUp) =>
        isWarmUp ? {} : withContext((t) => measureImport({ ...bench, t }, path, root)),
    }));
  });
}

async function measureImport(bench: Bench, path: string, root: string | undefined): Promise<Partial<Sample>> {
  const store = await bench.stores.create(ANIMALS, root);
  const node = await startNode(bench, store, ANIMALS);
  const load = { ...node, ...bench, requestFile: join(bench.folder, "requests-import.txt") };
  await writeRequests(load.requestFile, getWorkload("hot-list"), node);
  await untilQuiet(1_000);
  const before = await runProbe(load, pause(bench.seconds * 1000));
  const startMs = performance.now();
  const cores = joinCores(bench.cores);
  const importing = runCommand(["import", path, "--json"], store.environment, { root, cores });
  const ended = importing.then(() => performance.now());
  const during = await runProbe(load, ended);
  const fault = before.fault ?? during.fault;
  if (fault !== undefined) throw new Error(fault);
  // Releases before 1.2 call it `animals`.
  const { added, animals = added } = JSON.parse(await importing);
  if (animals !== bench.sizes.rows) throw new Error("The import is incomplete.");
  const { p99Ms } = during;
  return { p99Ms, slowdown: p99Ms / before.p99Ms, duration: ((await ended) - startMs) / 1000 };
}
