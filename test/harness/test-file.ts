// Runs one test file in a process of its own and judges its result.

import { run } from "node:test";
import { spec } from "node:test/reporters";

/** A file that has not ended by then hangs. */
const FILE_TIMEOUT_MS = 300_000;

export interface TestFile {
  path: string;
  environment: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface TestResult {
  tests: number;
  /** One line each; a file without problems has passed. */
  problems: string[];
  /** The output of Node's spec reporter. */
  report: string;
}

/**
 * Stricter than `node --test`, which accepts a file that runs no test, that exits in the middle of one, or that skips some.
 */
export async function runTestFile(file: TestFile): Promise<TestResult> {
  const { path, environment, signal, timeoutMs = FILE_TIMEOUT_MS } = file;
  const timeout = AbortSignal.timeout(timeoutMs);
  const stream = run({
    files: [path],
    env: environment,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    timeout: timeoutMs,
  });
  let tests = 0;
  let isEnded = false;
  const problems: string[] = [];
  stream.on("test:summary", ({ file: summarized, success, counts }) => {
    if (summarized === undefined) {
      if (!success) problems.unshift("failed");
      return;
    }
    isEnded = true;
    tests = counts.tests;
    if (counts.skipped + counts.todo > 0) problems.push(`skipped ${counts.skipped + counts.todo} tests`);
  });
  let report = "";
  for await (const part of stream.compose(new spec())) report += part;
  if (timeout.aborted) problems.push(`did not end within ${timeoutMs / 1000} s`);
  else if (!isEnded) problems.push("exited before its tests had ended, or has none");
  return { tests, problems, report };
}
