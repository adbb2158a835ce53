// Compares a network of three nodes with one of the first release, each on its own database and Redis.

import { unpackRelease } from "../../test/upgrade/previous-release.ts";
import { startNetwork } from "../contenders/network.ts";
import { BASE_RELEASE, NETWORK_LANE, NETWORK_PARTS, type NetworkPart } from "../load/network-parts.ts";
import { showProgress } from "../progress.ts";
import type { NetworkRun } from "../results.ts";
import { asTest } from "../scope.ts";
import type { Bench } from "./bench.ts";
import { runRounds } from "./rounds.ts";

export async function measureNetwork(bench: Bench, parts: NetworkPart[]): Promise<NetworkRun[]> {
  if (parts.length === 0) return [];
  const animals = bench.sizes.comparison;
  showProgress(`networks: creating ${animals} animals each`);
  const root = unpackRelease(asTest(bench.scope), BASE_RELEASE);
  const [store, baseStore] = [
    await bench.stores.get("postgres", animals),
    await bench.stores.createForRelease(root, animals),
  ];
  showProgress("networks: starting");
  const lanes = [
    await startNetwork(bench, { name: NETWORK_LANE, store }),
    await startNetwork(bench, { name: BASE_RELEASE, store: baseStore, root }),
  ];
  const runs: NetworkRun[] = [];
  for (const part of parts) {
    const samples = await runRounds(bench, lanes, {
      workload: NETWORK_PARTS[part],
      animals,
      title: "network",
    });
    runs.push({ part, animals, samples });
  }
  for (const { server } of lanes) await server.stop();
  return runs;
}
