// Runs one test file in this process and judges its result.

import { resolve } from "node:path";
import { run, type TestsStream } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";

/** The problem of a file whose process could not go on with the next one. */
export const LEFT_OPEN = "left something open";

export interface FileResult {
  tests: number;
  /** One line each; a file without problems has passed. */
  problems: string[];
}

/**
 * Resolves when the file has left nothing that keeps the process alive. `onReport` gets the output of Node's spec
 * reporter. Stricter than `node --test`, which accepts a file that runs no test, that throws after its first one, or
 * that skips some.
 */
export async function runTestFile(
  path: string,
  maxLingerMs: number,
  onReport: (text: string) => void,
): Promise<FileResult> {
  const stream = run({ files: [path], isolation: "none" });
  const lingers = watchForLinger(stream, maxLingerMs);
  let tests = 0;
  const problems: string[] = [];
  // Node adds one test to a file without any and calls it like the file.
  let isEmpty = false;
  stream.on("test:start", ({ name, nesting }) => (isEmpty ||= name === path && nesting === 0));
  stream.on("test:summary", ({ success, counts }) => {
    tests = counts.tests;
    if (!success) problems.push("failed");
    if (counts.skipped + counts.todo > 0) problems.push(`skipped ${counts.skipped + counts.todo} tests`);
  });
  const failures: string[] = [];
  stream.on("test:fail", ({ name, details: { error } }) =>
    failures.push(`${name}: ${error.cause instanceof Error ? error.cause.stack : error.message}\n`),
  );
  const reported = printReport(stream, onReport);
  if (await Promise.race([reported, lingers])) {
    // The reporter prints them at the end, which does not come.
    onReport(failures.join(""));
    return { tests, problems: [...(failures.length > 0 ? ["failed"] : []), LEFT_OPEN] };
  }
  if (isEmpty || tests === 0) return { tests: 0, problems: [...problems, "has no test"] };
  try {
    await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    // Node does not report it when the file has declared a test before.
    onReport(`${error instanceof Error ? error.stack : error}\n`);
    problems.push("threw outside its tests");
  }
  return { tests, problems };
}

async function printReport(stream: TestsStream, onReport: (text: string) => void): Promise<false> {
  for await (const text of stream.compose(new spec())) onReport(String(text));
  return false;
}

/**
 * Resolves to true when the file could not end for `maxLingerMs` after its last test, or after nothing was left that could
 * wake up the test that runs.
 */
function watchForLinger(stream: TestsStream, maxLingerMs: number): Promise<true> {
  const { promise, resolve } = Promise.withResolvers<true>();
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(resolve, maxLingerMs, true).unref();
  };
  const note = (change: 1 | -1, nesting: number) => {
    clearTimeout(timer);
    if (nesting === 0) running += change;
    if (running === 0) wait();
  };
  stream.on("test:enqueue", ({ nesting }) => note(1, nesting));
  stream.on("test:complete", ({ nesting }) => note(-1, nesting));
  process.once("beforeExit", wait);
  return promise;
}
