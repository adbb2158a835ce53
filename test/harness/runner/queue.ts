// A queue of jobs that run a few at a time and report when they end.

import { spawn } from "node:child_process";
import { HEAVY, isIn, QUIET } from "./folders.ts";
import type { TestResult } from "./test-process.ts";
import type { TestProcesses } from "./test-processes.ts";

/** Heavy jobs at a time. */
const HEAVY_MAX = 3;

export interface Job {
  name: string;
  isHeavy?: boolean;
  /** Runs after all others, alone. */
  isQuiet?: boolean;
  run(signal: AbortSignal): Promise<TestResult>;
}

export interface FinishedJob extends TestResult {
  name: string;
  seconds: number;
}

/** Starts the jobs in their order, but few heavy ones at a time, and quiet ones last; none once `signal` is aborted. */
export async function runJobs(
  jobs: Job[],
  { concurrency, signal, onFinished }: QueueOptions,
): Promise<FinishedJob[]> {
  let waiting = jobs.filter(({ isQuiet }) => !isQuiet);
  const finished: FinishedJob[] = [];
  let heavy = 0;
  const take = () => {
    const index = waiting.findIndex(({ isHeavy }) => !isHeavy || heavy < HEAVY_MAX);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  };
  // A worker that finds only heavy jobs ends: those that run heavy jobs take the rest.
  const work = async () => {
    for (let job = take(); job !== undefined && !signal.aborted; job = take()) {
      const { name, isHeavy = false } = job;
      if (isHeavy) heavy += 1;
      const startMs = performance.now();
      const result = await job.run(signal);
      if (isHeavy) heavy -= 1;
      const ended = { name, seconds: (performance.now() - startMs) / 1000, ...result };
      finished.push(ended);
      onFinished(ended);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  waiting = jobs.filter(({ isQuiet }) => isQuiet);
  await work();
  return finished;
}

interface QueueOptions {
  concurrency: number;
  signal: AbortSignal;
  onFinished(job: FinishedJob): void;
}

export function createTestJob(processes: TestProcesses, path: string, combination: string): Job {
  return {
    name: `${path} on ${combination}`,
    isHeavy: isIn(HEAVY, path),
    isQuiet: isIn(QUIET, path),
    run: (signal) => processes.run({ path, combination, signal }),
  };
}

/** A job that passes when the command exits with 0. */
export function createCommandJob(program: string, ...args: string[]): Job {
  return {
    name: [program, ...args].join(" "),
    async run(signal) {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], signal });
      let report = "";
      for (const output of [child.stdout, child.stderr])
        output.setEncoding("utf8").on("data", (text) => (report += text));
      // Also when it is ended by the signal, or cannot be started.
      child.on("error", (error) => (report += `${error.message}\n`));
      const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
      return { tests: 0, problems: code === 0 ? [] : [`exited with ${code}`], report };
    },
  };
}
