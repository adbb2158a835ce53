// Runs the static checks and all tests but the long round; with --long the long round. With files or globs as arguments,
// only those, on the engines of TEST_COMBINATION.

import { globSync } from "node:fs";
import { join } from "node:path";
import { listEngineTests } from "./harness/runner/engine-tests.ts";
import { isIn, isLong, SLOW } from "./harness/runner/folders.ts";
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
 * Only `npm run faults` runs these: two install hundreds of megabytes, and the soak test repeats what the long round
 * tests one by one.
 */
const FAULTS_ONLY = ["test/faults/**"];

process.chdir(ROOT);
// Test processes share their compiled code: a file starts in two thirds of the time.
process.env.NODE_COMPILE_CACHE = join(ROOT, "node_modules/.cache/node");

const processes = createTestProcesses();
const chosen = process.argv.slice(2);
const isLongChosen = chosen[0] === "--long";
const tests = chosen.length > 0 && !isLongChosen ? listChosen(chosen) : listRound(isLongChosen);
const checks = chosen.length > 0 ? [] : [createCommandJob("npm", "run", "-s", "check")];
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
  return globSync("test/**/*.test.ts", { exclude: FAULTS_ONLY }).toSorted();
}

/** All tests of the long round, or all others. */
function listRound(isLongRound: boolean): Job[] {
  const files = listFiles();
  const short = files.filter((path) => !isLong(path));
  const paths = isLongRound ? files.filter(isLong) : short;
  const slowFirst = paths.toSorted((a, b) => Number(isIn(SLOW, b)) - Number(isIn(SLOW, a)));
  const onEngines = listEngineTests(short)
    .filter(({ combination }) => (combination === BOTH_ENGINES) !== isLongRound)
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
  if (!isPassed || (chosen.length > 0 && !isLongChosen)) process.stdout.write(`\n${report}`);
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
