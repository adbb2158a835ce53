// A process that runs test files one after another, with their results and reports.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { FileResult } from "./test-file.ts";
import type { HostedFile } from "./test-host.ts";

export interface TestResult extends FileResult {
  /** The output of Node's spec reporter and of the file itself. */
  report: string;
  /** Whether the file left something open in a shared process, and the result is from a second run alone. */
  isRepeated?: boolean;
}

export interface TestProcess {
  combination: string;
  /** Resolves also when the process has crashed. An aborted signal kills it, and so does a problem of the file. */
  run(file: HostedFile, signal: AbortSignal): Promise<TestResult>;
  /** Ends a process that has run its last file without problems; rejects when it crashes at its end. */
  end(): Promise<void>;
}

const EXITED: FileResult = { tests: 0, problems: ["exited before its tests had ended"] };

export function startTestProcess(combination: string): TestProcess {
  const child = fork(join(import.meta.dirname, "test-host.ts"), {
    // As in a process of `node --test`, a test marked `only` hides no other.
    env: { ...process.env, TEST_COMBINATION: combination, NODE_TEST_CONTEXT: "shared" },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const closed = once(child, "close");
  const earlier: string[] = [];
  let report = "";
  let judge: (result: FileResult) => void = () => {};
  for (const output of [child.stdout, child.stderr])
    output?.setEncoding("utf8").on("data", (text) => (report += text));
  child.on("message", (message: { report: string } | { result: FileResult }) => {
    if ("report" in message) report += message.report;
    else judge(message.result);
  });

  return {
    combination,
    async run(file, signal) {
      const judged = new Promise<FileResult>((resolve) => (judge = resolve));
      const kill = () => child.kill("SIGKILL");
      signal.addEventListener("abort", kill);
      if (signal.aborted) kill();
      else child.send(file, () => {});
      const result = await Promise.race([judged, closed.then(() => EXITED)]);
      signal.removeEventListener("abort", kill);
      if (result.problems.length > 0) {
        kill();
        if (earlier.length > 0) report += `\nThe same process had run: ${earlier.join(" ")}\n`;
      }
      earlier.push(file.path);
      const whole = report;
      report = "";
      return { ...result, report: whole };
    },
    async end() {
      const exited = once(child, "exit");
      child.disconnect();
      const [, signal] = await exited;
      if (signal !== null) throw new Error(`A process ended with ${signal} after ${earlier.join(" ")}`);
    },
  };
}
