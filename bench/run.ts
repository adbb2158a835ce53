// npm run bench: measures, prints the table and what is wrong, and writes the document.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../test/harness/runner/folder.ts";
import { findProgram } from "../test/harness/runner/packages.ts";
import { OTHER, type Results, type Sample } from "./bench.ts";
import { closeAll, withContext } from "./context.ts";
import { createStores } from "./data/stores.ts";
import { type Flags, HELP, readFlags } from "./flags.ts";
import { measureEngine } from "./lanes.ts";
import { describeMachine, leaveServerCore, splitCores } from "./machine/cores.ts";
import { listComplaints, renderTable, updateDocument } from "./report/document.ts";
import type { Setting } from "./workloads.ts";

const HERE = import.meta.dirname;
const DOCUMENT = join(HERE, "../docs/benchmarks.md");
const CURRENT = { prefix: "", root: undefined };
/** Settings that share servers. Idle servers of the others would use processor time. */
const TOGETHER: Setting[][] = [["node", "sizes"], ["network"], ["import"]];

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void closeAll(signal).finally(() => process.exit(1)));
try {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) process.stdout.write(`${HELP}\n`);
  else if (flags.from) process.exitCode = report(mergeResults(flags.from), flags);
  else process.exitCode = report(await measure(flags), flags);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** Returns the exit code. */
function report(results: Results, { json, write }: Flags): number {
  if (write) writeFileSync(DOCUMENT, updateDocument(readFileSync(DOCUMENT, "utf8"), results));
  process.stdout.write(`${json ? JSON.stringify(results) : renderTable(results)}\n`);
  const complaints = listComplaints(results);
  for (const line of complaints) process.stderr.write(`${line}\n`);
  return complaints.length > 0 ? 1 : 0;
}

async function measure(flags: Flags): Promise<Results> {
  const { workloads, engines, conditions, quick, against } = flags;
  if (process.platform !== "linux") throw new Error("The benchmarks need Linux: they read /proc.");
  // Used late: a missing nginx must not waste half an hour.
  if (engines.includes("postgres")) findProgram("nginx");
  const wrk = findProgram("wrk");
  const cores = splitCores();
  if (cores !== undefined) leaveServerCore(cores);
  const checkouts = against ? [CURRENT, { prefix: OTHER, root: against }] : [CURRENT];
  const shared = { ...conditions, wrk, cores, checkouts };
  const results: Results = {
    ...conditions,
    date: new Date().toISOString().slice(0, 10),
    release: JSON.parse(readFileSync(join(HERE, "../package.json"), "utf8")).version,
    isAgainst: against !== undefined,
    isQuick: quick,
    machine: describeMachine(cores),
    samples: [],
  };
  for (const engine of engines)
    for (const settings of TOGETHER)
      await withContext(async (t) => {
        const folder = makeFolder(t);
        const bench = { ...shared, t, folder, engine, stores: createStores(t, folder, engine) };
        const chosen = workloads.filter(({ setting }) => settings.includes(setting));
        results.samples.push(...(await measureEngine(bench, chosen)));
      });
  return results;
}

/** Later samples replace earlier ones of the same workload and engine. */
function mergeResults(files: string[]): Results {
  const runs: Results[] = files.map((file) => JSON.parse(readFileSync(file, "utf8")));
  const conditions = runs.map(({ sizes, isAgainst, machine }) => JSON.stringify([sizes, isAgainst, machine]));
  if (new Set(conditions).size > 1)
    throw new Error("These results come from different machines, or some of them from a quick run.");
  return runs.reduce((earlier, later) => {
    const nameOf = ({ workload, engine }: Sample) => `${workload} ${engine}`;
    const replaced = new Set(later.samples.map(nameOf));
    const kept = earlier.samples.filter((sample) => !replaced.has(nameOf(sample)));
    return { ...later, samples: [...kept, ...later.samples] };
  });
}
