// Starts the servers that the workloads of an engine need, and measures all of them.

import { unpackRelease } from "../test/faults/upgrade/previous-release.ts";
import { type Bench, PREVIOUS_RELEASE, type Sample } from "./bench.ts";
import { showProgress } from "./context.ts";
import { createImportLanes } from "./load/import.ts";
import { createLane, type Lane, runRounds } from "./load/rounds.ts";
import { untilQuiet } from "./machine/cpu-use.ts";
import type { Server } from "./servers/process.ts";
import { startBare, startFastify } from "./servers/references.ts";
import { startNetwork, startNode } from "./servers/service.ts";
import { getWorkload, type Workload } from "./workloads.ts";

const SIZES = ["small", "large"] as const;
/** After an import, SQLite writes its log into the file, and PostgreSQL tidies its indexes. */
const QUIET_MS = 3_000;

export async function measureEngine(bench: Bench, workloads: Workload[]): Promise<Sample[]> {
  const listLanes = createLaneList(bench);
  const samples: Sample[] = [];
  for (const workload of workloads)
    if (workload.setting !== "network" || bench.engine === "postgres")
      samples.push(...(await runRounds(bench, workload.name, await listLanes(workload))));
  return samples;
}

/** Each server is started once, for all workloads that need it. */
function createServers(bench: Bench) {
  const started = new Map<string, Server>();

  async function get(name: string, start: () => Promise<Server>): Promise<Server> {
    const server = started.get(name) ?? (await start());
    started.set(name, server);
    return server;
  }

  function getService(size: (typeof SIZES)[number], root: string | undefined, start = startNode) {
    return get(`${start.name} ${size} ${root}`, async () => {
      const animals = bench.sizes[size];
      showProgress(`${bench.engine}: creating a store with ${animals} animals`);
      const server = await start(bench, await bench.stores.create(animals, root), animals);
      showProgress(`${bench.engine}: waiting until it is quiet`);
      await untilQuiet(QUIET_MS);
      return server;
    });
  }

  return { get, getService };
}

function createLaneList(bench: Bench): (workload: Workload) => Promise<Lane[]> {
  const isAgainst = bench.checkouts.length > 1;
  const { get, getService } = createServers(bench);
  let previous: string | undefined;

  /** With `--against`, the other checkout is the reference. */
  return async (workload) => {
    const { setting } = workload;
    if (setting === "import") return createImportLanes(bench);
    const asked: Array<Parameters<typeof createLane>[1]> = [];
    const add = (name: string, server: Server, own = workload) => asked.push({ name, server, workload: own });
    for (const { prefix, root } of bench.checkouts) {
      if (setting === "network") add(`${prefix}network`, await getService("small", root, startNetwork));
      if (setting === "node") add(`${prefix}service`, await getService("large", root));
      for (const size of setting === "sizes" ? SIZES : []) {
        const node = await getService(size, root);
        add(`${prefix}${size}`, node);
        if (!isAgainst) add(`${size} get`, node, getWorkload("get-by-id"));
      }
    }
    if (setting === "network" && !isAgainst) {
      previous ??= unpackRelease(bench.t, PREVIOUS_RELEASE);
      add("previous", await getService("small", previous, startNetwork));
    }
    if (setting === "node" && !isAgainst) {
      if (workload.hasPeer !== false) add("fastify", await get("fastify", () => startFastify(bench)));
      add("bare", await startBare(bench, await getService("large", undefined), workload));
    }
    return Promise.all(asked.map((lane) => createLane(bench, lane)));
  };
}
