// Runs the static checks and the tests of `npm test`; with --long or --faults the tests of that round. With files or globs
// as arguments, only those, on the engines of TEST_COMBINATION.

import { globSync } from "node:fs";
import { join } from "node:path";
import { listEngineTests } from "./harness/runner/engine-tests.ts";
import { isIn, ROUNDS, type Round, roundOf, SLOW } from "./harness/runner/folders.ts";
import { globalSetup, globalTeardown } from "./harness/runner/global-setup.ts";
import {
  createCommandJob,
  createTestJob,
  type FinishedJob,
  type Job,
  runJobs,
} from "./harness/runner/queue.ts";
import { createTestProcesses } from "./harness/runner/test-processes.ts";

const ROOT = join(import.meta.dirname, "..");
/** Three times the cores of a small machine: many tests wait for a timer or a process, and with 4 a seventh of two cores was idle. */
const CONCURRENCY = Number(process.env.TEST_CONCURRENCY ?? 6);
const SLOWEST_SHOWN = 10;
/** The long round has the tests on one of them alone. */
const BOTH_ENGINES = "postgres+redis";
/**
 * Only `npm run faults` runs these: two install hundreds of megabytes, and the soak test repeats what the others in
 * `test/faults/` test one by one.
 */
const EXTENDED = ["test/faults/extended/**"];

process.chdir(ROOT);
// Test processes share their compiled code: a file starts in two thirds of the time.
process.env.NODE_COMPILE_CACHE = join(ROOT, "node_modules/.cache/node");

const processes = createTestProcesses();
const chosen = process.argv.slice(2);
const round = chosen.length === 0 ? "test" : ROUNDS.find((name) => chosen[0] === `--${name}`);
const tests = round === undefined ? listChosen(chosen) : listRound(round);
const checks = round === "test" ? [createCommandJob("npm", "run", "-s", "check")] : [];
const jobs = [...checks, ...tests];
if (tests.length === 0) throw new Error(`No test file matches ${chosen.join(" ")}`);
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const startMs = performance.now();
let finished: FinishedJob[] = [];
try {
  const run = (some: Job[]) =>
    runJobs(some, { concurrency: CONCURRENCY, signal: stop.signal, onFinished: printJob });
  // The checks need no programs, which take their time to install.
  const checked = run(checks);
  await globalSetup();
  finished = [...(await run(tests)), ...(await checked)];
  await processes.end();
} finally {
  stop.abort();
  await globalTeardown();
}
printSummary(finished);
if (finished.length < jobs.length || finished.some(({ problems }) => problems.length > 0))
  process.exitCode = 1;

function listChosen(patterns: string[]): Job[] {
  const combination = process.env.TEST_COMBINATION ?? "sqlite";
  const paths = new Set(patterns.flatMap((pattern) => globSync(pattern).toSorted()));
  return [...paths].map((path) => createTestJob(processes, path, combination));
}

function listFiles(): string[] {
  return globSync("test/**/*.test.ts", { exclude: EXTENDED }).toSorted();
}

function listRound(round: Round): Job[] {
  const files = listFiles();
  const paths = files.filter((path) => roundOf(path) === round);
  const slowFirst = paths.toSorted((a, b) => Number(isIn(SLOW, b)) - Number(isIn(SLOW, a)));
  const onEngines = listEngineTests(files)
    .filter(({ combination }) => round === (combination === BOTH_ENGINES ? "test" : "long"))
    // By combination, because a process serves only one.
    .toSorted((a, b) => a.combination.localeCompare(b.combination));
  const all = [
    ...onEngines.map(({ path, combination }) => createTestJob(processes, path, combination)),
    ...slowFirst.map((path) => createTestJob(processes, path, "sqlite")),
  ];
  return all.toSorted((a, b) => Number(b.isHeavy) - Number(a.isHeavy));
}

/** The whole report of a file that was chosen or has failed; one line otherwise. */
function printJob({ name, tests, seconds, problems, report, isRepeated }: FinishedJob): void {
  const isPassed = problems.length === 0;
  if (!isPassed || round === undefined) process.stdout.write(`\n${report}`);
  const count = tests > 0 ? `${tests} tests, ` : "";
  const remark = isRepeated ? ", run again alone because it left something open" : "";
  const verdict = isPassed ? remark : `${remark}: ${problems.join("; ")}`;
  process.stdout.write(`${isPassed ? "✔" : "✖"} ${name} (${count}${seconds.toFixed(1)} s)${verdict}\n`);
}

function printSummary(all: FinishedJob[]): void {
  const lines = ["", "Slowest:"];
  for (const { name, seconds } of all.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN))
    lines.push(`${seconds.toFixed(1).padStart(6)} s  ${name}`);
  const failed = all.filter(({ problems }) => problems.length > 0);
  if (failed.length > 0)
    lines.push("", "Failed:", ...failed.map(({ name, problems }) => `  ${name}: ${problems.join("; ")}`));
  const tests = all.reduce((sum, job) => sum + job.tests, 0);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  lines.push(
    "",
    `${tests} tests in ${all.length} of ${jobs.length} jobs, ${failed.length} failed, ${seconds} s`,
    "",
  );
  process.stdout.write(lines.join("\n"));
}
