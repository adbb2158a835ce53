// npm run bench: measures, prints the results and missed bounds, and writes the document.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../test/harness/packages.ts";
import { checkBounds } from "./bounds.ts";
import { leaveServerCore, splitCores } from "./cores.ts";
import { createStores } from "./data/stores.ts";
import { type Flags, HELP, readFlags } from "./flags.ts";
import { NETWORK_PART_NAMES } from "./load/network-parts.ts";
import { WORKLOAD_NAMES } from "./load/workloads.ts";
import { describeMachine } from "./machine.ts";
import { type Bench, FULL_SIZES, QUICK_SIZES } from "./measure/bench.ts";
import { compare } from "./measure/comparison.ts";
import { measureConsole } from "./measure/console.ts";
import { measureGate } from "./measure/gate.ts";
import { measureGrowth } from "./measure/growth.ts";
import { measureImports } from "./measure/imports.ts";
import { measureListings } from "./measure/listings.ts";
import { measureNetwork } from "./measure/network.ts";
import { measureStreams } from "./measure/streams.ts";
import { measureUploads } from "./measure/uploads.ts";
import { findWrk, installPeers } from "./programs.ts";
import { endProgress, showProgress } from "./progress.ts";
import { renderChart } from "./report/chart.ts";
import { renderDocument } from "./report/document.ts";
import { describeForeignLoad } from "./report/foreign-load.ts";
import { listInvalidRounds } from "./report/tables.ts";
import { mergeResults, type Results } from "./results.ts";
import { openScope, type Scope } from "./scope.ts";

const WARM_UP_SECONDS = 5;

try {
  const flags = readFlags(process.argv.slice(2));
  // Before the measurements, so that a wrong folder does not waste half an hour.
  if (flags.output !== undefined) mkdirSync(flags.output, { recursive: true });
  if (flags.isHelp) process.stdout.write(`${HELP}\n`);
  else process.exitCode = reportResults(await getResults(flags), flags);
} catch (error) {
  endProgress();
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function getResults(flags: Flags): Promise<Results> {
  if (flags.from.length > 0)
    return mergeResults(flags.from.map((file) => JSON.parse(readFileSync(file, "utf8"))));
  if (process.platform !== "linux")
    throw new Error("The benchmarks need Linux: they pin servers to cores and read /proc.");
  const scope = openScope();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      showProgress(`${signal}: cleaning up`);
      void scope.close().finally(() => process.exit(1));
    });
  try {
    return await measureAll(flags, scope);
  } finally {
    showProgress("cleaning up");
    await scope.close();
    endProgress();
  }
}

async function measureAll(flags: Flags, scope: Scope): Promise<Results> {
  const { parts, engines, rounds, seconds, isQuick } = flags;
  showProgress("installing missing programs");
  installPeers();
  const wrk = findWrk();
  const workloads = WORKLOAD_NAMES.filter((name) => parts.includes(name));
  const networkParts = engines.includes("postgres")
    ? NETWORK_PART_NAMES.filter((name) => parts.includes(name))
    : [];
  // The network is measured last: a missing nginx must not waste half an hour.
  if (networkParts.length > 0) findProgram("nginx");
  const cores = splitCores();
  leaveServerCore(cores);
  const sizes = isQuick ? QUICK_SIZES : FULL_SIZES;
  const bench: Bench = {
    scope,
    stores: createStores(scope),
    sizes,
    wrk,
    cores,
    rounds,
    seconds,
    warmUpSeconds: isQuick ? 1 : WARM_UP_SECONDS,
  };
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    isQuick,
    rounds,
    seconds,
    machine: describeMachine(cores, engines.includes("postgres") && parts.some((part) => part !== "keys")),
    comparisons: [],
    network: [],
    streams: [],
    listings: [],
    uploads: [],
    imports: [],
    console: [],
    growth: [],
    gate: parts.includes("keys") ? await measureGate(bench) : [],
  };
  for (const engine of engines) {
    // First, because it does not change the stores.
    if (parts.includes("growth")) results.growth.push(await measureGrowth(bench, engine));
    results.comparisons.push(...(await compare(bench, engine, workloads)));
    if (parts.includes("streams")) results.streams.push(await measureStreams(bench, engine));
    if (parts.includes("listings")) results.listings.push(await measureListings(bench, engine));
    if (parts.includes("import")) results.imports.push(await measureImports(bench, engine));
    if (parts.includes("console")) results.console.push(await measureConsole(bench, engine));
    if (parts.includes("uploads")) results.uploads.push(await measureUploads(bench, engine));
    if (engine === "postgres") results.network.push(...(await measureNetwork(bench, networkParts)));
  }
  return results;
}

/** Returns the exit code. */
function reportResults(results: Results, { isJson, isStrict, output }: Flags): number {
  const document = renderDocument(results);
  if (output !== undefined) {
    writeFileSync(join(output, "benchmarks.md"), document);
    writeFileSync(join(output, "benchmarks.svg"), renderChart(results));
  }
  process.stdout.write(isJson ? `${JSON.stringify(results, null, 2)}\n` : document);
  const missed = checkBounds(results).filter(({ state }) => state === "missed");
  const invalid = listInvalidRounds(results);
  const others = describeForeignLoad(results);
  const complaints = [
    ...missed.map(({ title, bound, found }) => `Missed: ${title}: ${found}, required ${bound}`),
    ...invalid.map((text) => `Invalid: ${text}`),
    ...(others.isBusy ? [`Busy: ${others.text}`] : []),
  ];
  for (const text of complaints) process.stderr.write(`${text}\n`);
  return isStrict && complaints.length > 0 ? 1 : 0;
}
