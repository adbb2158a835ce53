// The test runner: which test files pass, which fail the run, and on which engines they run.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { ENGINE_TESTS, listEngineTests } from "./engine-tests.ts";
import { makeFolder } from "./harness/folder.ts";
import { createCommandJob, runJobs } from "./harness/queue.ts";
import type { TestResult } from "./harness/test-file.ts";

const HEAD = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';

const cases: Record<
  string,
  { code: string; problems: RegExp | undefined; tests: number; timeoutMs?: number }
> = {
  "passing tests": {
    code: 'test("outer", async (t) => { await t.test("inner", () => assert.ok(true)); });',
    problems: undefined,
    tests: 2,
  },
  "a failing subtest": {
    code: 'test("outer", async (t) => { await t.test("inner", () => assert.equal(1, 2)); });',
    problems: /^failed$/,
    tests: 2,
  },
  "a failing cleanup": {
    code: 'test("it", (t) => t.after(() => assert.fail("cleanup")));',
    problems: /^failed$/,
    tests: 1,
  },
  "an unhandled rejection": {
    code: 'test("it", () => {}); Promise.reject(new Error("lost"));',
    problems: /^failed$/,
    tests: 1,
  },
  "an error outside any test": {
    code: 'throw new Error("crash");',
    problems: /^failed; exited before/,
    tests: 0,
  },
  "an exit with 0 in the middle of a test": {
    code: 'test("it", () => new Promise(() => setTimeout(() => process.exit(0), 10)));',
    problems: /^exited before its tests had ended, or has none$/,
    tests: 0,
  },
  "no test": { code: "", problems: /^exited before its tests had ended, or has none$/, tests: 0 },
  "a skipped test": {
    code: 'test("it", () => {}); test("skipped", { skip: true }, () => {});',
    problems: /^skipped 1 tests$/,
    tests: 2,
  },
  "a test marked as todo": {
    code: 'test("later", { todo: true }, () => assert.fail("not yet"));',
    problems: /^skipped 1 tests$/,
    tests: 1,
  },
  "a process that does not end": {
    code: 'test("it", () => {}); setInterval(() => {}, 1_000);',
    problems: /did not end within 1 s$/,
    tests: 0,
    timeoutMs: 1_000,
  },
};

test("the verdict on a test file", async (t) => {
  const results = await runAll(t);
  for (const [what, { problems, tests }] of Object.entries(cases)) {
    await t.test(`${what}: ${problems === undefined ? "passes" : "fails"}`, () => {
      const result = results[what] ?? assert.fail("no result");
      assert.equal(result.tests, tests, result.report);
      if (problems === undefined) assert.deepEqual(result.problems, [], result.report);
      else assert.match(result.problems.join("; "), problems);
    });
  }
});

test("a job fails when its command exits with another code than 0, with the output of the command", async () => {
  const jobs = ["process.exit(0)", "console.log('out'); console.error('err'); process.exit(3)"].map((code) =>
    createCommandJob(process.execPath, "-e", code),
  );
  const [passed, failed] = await runJobs(jobs, {
    concurrency: 1,
    signal: new AbortController().signal,
    onFinished: () => {},
  });
  assert.deepEqual(passed?.problems, []);
  assert.deepEqual(failed?.problems, ["exited with 3"]);
  assert.match(failed?.report ?? "", /out[\s\S]*err/);
});

test("a job that throws ends the run with its error", async () => {
  const job = { name: "broken", run: () => Promise.reject(new Error("no such program")) };
  const options = { concurrency: 2, signal: new AbortController().signal, onFinished: () => {} };
  await assert.rejects(runJobs([job], options), /no such program/);
});

test("tests of the interface that are missing in the table of engines are named", () => {
  const files = Object.keys(ENGINE_TESTS).map((name) => `test/http/${name}.test.ts`);
  assert.ok(listEngineTests(files).length > files.length);
  assert.throws(() => listEngineTests([...files, "test/http/section-6-x.test.ts"]), /section-6-x/);
  assert.throws(() => listEngineTests(files.slice(1)), new RegExp(files[0] as string));
});

/** In another process, since Node runs no test files from within a test. */
async function runAll(t: TestContext): Promise<Record<string, TestResult>> {
  const folder = makeFolder(t);
  const files = Object.entries(cases).map(([what, { code, timeoutMs }], index) => {
    const path = join(folder, `${index}.test.mjs`);
    writeFileSync(path, `${HEAD}${code}\n`);
    return [what, { path, environment: {}, timeoutMs }] as const;
  });
  const script = `
    import { runTestFile } from ${JSON.stringify(import.meta.resolve("./harness/test-file.ts"))};
    const entries = ${JSON.stringify(files)}.map(async ([what, file]) => [what, await runTestFile(file)]);
    console.log(JSON.stringify(Object.fromEntries(await Promise.all(entries))));
  `;
  const runner = join(folder, "runner.mjs");
  writeFileSync(runner, script);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [runner], { env });
  return JSON.parse(stdout);
}
