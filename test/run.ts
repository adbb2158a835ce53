// Runs the static checks and all tests but the long round; with --long the long round. With files or globs as arguments,
// only those, on the engines of TEST_COMBINATION.

import { globSync } from "node:fs";
import { join } from "node:path";
import { listEngineTests } from "./engine-tests.ts";
import { isIn, LONG, SLOW } from "./folders.ts";
import { globalSetup, globalTeardown } from "./harness/global-setup.ts";
import { createCommandJob, createTestJob, type FinishedJob, type Job, runJobs } from "./harness/queue.ts";
import { createTestProcesses } from "./harness/test-processes.ts";

const ROOT = join(import.meta.dirname, "..");
/** Three times the cores of a small machine: many tests wait for a timer or a process, and with 4 a seventh of two cores was idle. */
const CONCURRENCY = Number(process.env.TEST_CONCURRENCY ?? 6);
const SLOWEST_SHOWN = 10;
/**
 * Only `npm run faults` runs them. Two install much: 300 MB from Debian, or many packages from npm's registry. The
 * soak test combines faults that other files test one by one, and rolling-restart.test.ts tests without a proxy what
 * proxy-restart.test.ts tests behind one.
 */
const FAULTS_ONLY = [
  ...["test/faults/prometheus.test.ts", "test/faults/generated-clients.test.ts"],
  ...["test/faults/soak.test.ts", "test/faults/rolling-restart.test.ts"],
];

process.chdir(ROOT);
// Test processes share their compiled code: a file starts in two thirds of the time.
process.env.NODE_COMPILE_CACHE = join(ROOT, "node_modules/.cache/node");

const processes = createTestProcesses();
const chosen = process.argv.slice(2);
const isLong = chosen[0] === "--long";
const jobs = isLong ? listLong() : chosen.length > 0 ? listChosen(chosen) : listAll();
if (jobs.length === 0) throw new Error(`No test file matches ${chosen.join(" ")}`);
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const startMs = performance.now();
let finished: FinishedJob[] = [];
try {
  await globalSetup();
  finished = await runJobs(jobs, { concurrency: CONCURRENCY, signal: stop.signal, onFinished: printJob });
  await processes.end();
} finally {
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

function listLong(): Job[] {
  return listFiles()
    .filter((path) => isIn(LONG, path))
    .map((path) => createTestJob(processes, path, "sqlite"));
}

function listAll(): Job[] {
  const all = listFiles().filter((path) => !isIn(LONG, path));
  const slowFirst = all.toSorted((a, b) => Number(isIn(SLOW, b)) - Number(isIn(SLOW, a)));
  // By combination, because a process serves only one.
  const onEngines = listEngineTests(all).toSorted((a, b) => a.combination.localeCompare(b.combination));
  const tests = [
    ...onEngines.map(({ path, combination }) => createTestJob(processes, path, combination)),
    ...slowFirst.map((path) => createTestJob(processes, path, "sqlite")),
  ];
  const heavyFirst = tests.toSorted((a, b) => Number(b.isHeavy) - Number(a.isHeavy));
  return [createCommandJob("npm", "run", "-s", "check"), ...heavyFirst];
}

/** The whole report of a file that was chosen or has failed; one line otherwise. */
function printJob({ name, tests, seconds, problems, report, isRepeated }: FinishedJob): void {
  const isPassed = problems.length === 0;
  if (!isPassed || (chosen.length > 0 && !isLong)) process.stdout.write(`\n${report}`);
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
