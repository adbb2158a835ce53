// The processes of a test run. A new process for each file would cost more CPU time than most files themselves.

import { ALONE, isIn } from "./folders.ts";
import { FILE_TIMEOUT_MS } from "./patience.ts";
import { LEFT_OPEN } from "./test-file.ts";
import { startTestProcess, type TestProcess, type TestResult } from "./test-process.ts";

/** They mark their process as ending, for good: work on files then never continues. */
export const ENDING_FILES = [
  "test/contract/backup-signal.test.ts",
  "test/unit/tools/temporary-files.test.ts",
];
/** How long something may stay open after the last test of a file that shares its process. */
const LINGER_MS = 5_000;

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

export function createTestProcesses({ lingerMs = LINGER_MS } = {}): TestProcesses {
  const idle: TestProcess[] = [];

  async function take(combination: string): Promise<TestProcess> {
    const index = idle.findIndex((each) => each.combination === combination);
    const [found] = index < 0 ? [] : idle.splice(index, 1);
    if (found !== undefined) return found;
    // Never more processes than files at a time: each holds the memory of a service.
    await idle.pop()?.end();
    return startTestProcess(combination);
  }

  async function runAlone(file: TestFile): Promise<TestResult> {
    const host = startTestProcess(file.combination);
    const result = await runIn(host, file, FILE_TIMEOUT_MS);
    if (result.problems.length === 0) await host.end();
    return result;
  }

  return {
    async run(file) {
      if (isAlone(file.path)) return runAlone(file);
      const host = await take(file.combination);
      const result = await runIn(host, file, lingerMs);
      const { problems, report } = result;
      if (problems.length === 0) idle.push(host);
      if (problems.join() !== LEFT_OPEN) return result;
      // Another file may have left it open. A process of its own decides.
      const again = await runAlone(file);
      return {
        ...again,
        report: `${report}\nRun again in a process of its own:\n${again.report}`,
        isRepeated: true,
      };
    },
    async end() {
      await Promise.all(idle.splice(0).map((each) => each.end()));
    },
  };
}

function isAlone(path: string): boolean {
  return ENDING_FILES.includes(path) || isIn(ALONE, path);
}

async function runIn(host: TestProcess, file: TestFile, maxLingerMs: number): Promise<TestResult> {
  const { path, signal, timeoutMs = FILE_TIMEOUT_MS } = file;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const result = await host.run({ path, maxLingerMs }, ended);
  return timeout.aborted ? { ...result, problems: [`did not end within ${timeoutMs / 1000} s`] } : result;
}
