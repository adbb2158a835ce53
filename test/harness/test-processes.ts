// The processes of a test run. A new process for each file would cost more CPU time than most files themselves.

import { startTestProcess, type TestProcess, type TestResult } from "./test-process.ts";

/** Files after which no other can use the process: this one marks it as ending, for good. */
const LAST_IN_PROCESS = ["test/contract/backup-signal.test.ts"];
/** A file that has not ended by then hangs. */
const FILE_TIMEOUT_MS = 300_000;

export interface TestFile {
  path: string;
  combination: string;
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface TestProcesses {
  /** In a process that has run other files of the same combination without problems, or in a new one. */
  run(file: TestFile): Promise<TestResult>;
  end(): Promise<void>;
}

export function createTestProcesses(): TestProcesses {
  const idle: TestProcess[] = [];

  async function take(combination: string): Promise<TestProcess> {
    const index = idle.findIndex((each) => each.combination === combination);
    const [found] = index < 0 ? [] : idle.splice(index, 1);
    if (found !== undefined) return found;
    // Never more processes than files at a time: each holds the memory of a service.
    await idle.pop()?.end();
    return startTestProcess(combination);
  }

  return {
    async run({ path, combination, signal, timeoutMs = FILE_TIMEOUT_MS }) {
      const host = await take(combination);
      const timeout = AbortSignal.timeout(timeoutMs);
      const result = await host.run(
        path,
        signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      );
      if (timeout.aborted) return { ...result, problems: [`did not end within ${timeoutMs / 1000} s`] };
      if (result.problems.length > 0) return result;
      if (LAST_IN_PROCESS.includes(path)) await host.end();
      else idle.push(host);
      return result;
    },
    async end() {
      await Promise.all(idle.splice(0).map((each) => each.end()));
    },
  };
}
