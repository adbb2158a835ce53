// Runs one test file in this process and judges its result.

import { resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";

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
export async function runTestFile(path: string, onReport: (text: string) => void): Promise<FileResult> {
  const stream = run({ files: [path], isolation: "none" });
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
  for await (const text of stream.compose(new spec())) onReport(String(text));
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
