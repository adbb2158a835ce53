// A queue of jobs that run a few at a time and report when they end.

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { TestResult } from "./test-process.ts";
import type { TestProcesses } from "./test-processes.ts";

export interface Job {
  name: string;
  run(signal: AbortSignal): Promise<TestResult>;
}

export interface FinishedJob extends TestResult {
  name: string;
  seconds: number;
}

/** Starts the jobs in their order; none any more once `signal` is aborted. */
export async function runJobs(
  jobs: Job[],
  { concurrency, signal, onFinished }: QueueOptions,
): Promise<FinishedJob[]> {
  const waiting = [...jobs];
  const finished: FinishedJob[] = [];
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined && !signal.aborted; job = waiting.shift()) {
      const startMs = performance.now();
      const result = await job.run(signal);
      const ended = { name: job.name, seconds: (performance.now() - startMs) / 1000, ...result };
      finished.push(ended);
      onFinished(ended);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
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
      const [code] = await once(child, "close");
      return { tests: 0, problems: code === 0 ? [] : [`exited with ${code}`], report };
    },
  };
}
