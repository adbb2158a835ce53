// Measures the duration and the CPU time of the command `import` for a file with profiles, and for the same animals without.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { joinCores } from "../cores.ts";
import { ENGINES, type Engine, runCommand } from "../data/stores.ts";
import { watchForeignLoad } from "../foreign-load.ts";
import { IMPORT_LANE_NAMES, type ImportLane, writeImportFile } from "../load/import-part.ts";
import { showProgress } from "../progress.ts";
import type { ImportRound, ImportRun } from "../results.ts";
import type { Bench } from "./bench.ts";

/** Each file twice in a round, the second time in reverse order: a machine that becomes slower or faster affects all of them. */
const LANES = [...IMPORT_LANE_NAMES, ...IMPORT_LANE_NAMES.toReversed()];
/** Of the times in /proc, on Linux. */
const TICKS_PER_SECOND = 100;

export async function measureImports(bench: Bench, engine: Engine): Promise<ImportRun> {
  const rows = bench.sizes.imports;
  const cores = joinCores(bench.cores);
  const fileOf = (lane: ImportLane) => join(bench.scope.folder, `import-${lane}.csv`);
  for (const lane of IMPORT_LANE_NAMES) writeImportFile(fileOf(lane), lane, rows);
  const rounds: ImportRound[] = [];
  for (let round = 1; round <= bench.rounds; round++) {
    const foreignShare = watchForeignLoad();
    const seconds = { plain: 0, ignored: 0, profiles: 0 };
    const cpuSeconds = { ...seconds };
    for (const lane of LANES) {
      showProgress(`${ENGINES[engine]}, import, round ${round}, ${lane}`);
      const environment = await bench.stores.createEmpty(engine);
      const before = readChildSeconds();
      const startMs = performance.now();
      const output = await runCommand(["import", fileOf(lane), "--json"], environment, { cores });
      seconds[lane] += (performance.now() - startMs) / 2_000;
      cpuSeconds[lane] += (readChildSeconds() - before) / 2;
      const { animals } = JSON.parse(output);
      if (animals !== rows) throw new Error(`The import has added ${animals} animals instead of ${rows}`);
    }
    rounds.push({ seconds, cpuSeconds, foreignShare: foreignShare() });
  }
  return { engine, rows, rounds };
}

/** CPU time of all child processes that have ended. */
function readChildSeconds(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name of the program, in parentheses, may contain spaces. The fields 16 and 17 are the 14th and 15th behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
