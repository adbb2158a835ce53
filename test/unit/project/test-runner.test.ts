// The test runner: which test files pass, which fail the run, and on which engines they run.

import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ENGINE_TESTS, listEngineTests } from "../../harness/runner/engine-tests.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { createCommandJob, runJobs } from "../../harness/runner/queue.ts";
import type { TestResult } from "../../harness/runner/test-process.ts";
import { createTestProcesses, ENDING_FILES } from "../../harness/runner/test-processes.ts";

const HEAD = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';
const PASS = 'test("it", () => {});';

const VERDICTS: Record<string, [code: string, problems: string, tests: number]> = {
  "passing tests": ['test("outer", async (t) => { await t.test("inner", () => {}); });', "", 2],
  "a failing subtest": [
    'test("outer", async (t) => { await t.test("inner", () => assert.equal(1, 2)); });',
    "failed",
    2,
  ],
  "an error outside any test": ['throw new Error("crash");', "failed; has no test", 0],
  "an error after the first test": [`${PASS} throw new Error("crash");`, "threw outside its tests", 1],
  "an exit with 0 in the middle of a test": [
    'test("it", () => new Promise(() => setTimeout(() => process.exit(0), 10)));',
    "exited before its tests had ended",
    0,
  ],
  "no test": ["", "has no test", 0],
  "a test marked as only, and another that fails": [
    'test("fails", () => assert.fail()); test.only("it", () => {});',
    "failed",
    2,
  ],
  "a skipped test": [`${PASS} test("skipped", { skip: true }, () => {});`, "skipped 1 tests", 2],
  "a test marked as todo": ['test("later", { todo: true }, () => {});', "skipped 1 tests", 1],
  "a test that fails and leaves something open": [
    'test("it", () => { setInterval(() => {}, 1_000); assert.fail("broken"); });',
    "failed; left something open",
    0,
  ],
};

function writeTestFile(t: TestContext, name: string, code: string): string {
  const path = join(makeFolder(t), `${name}.test.mjs`);
  writeFileSync(path, `${HEAD}${code}\n`);
  return path;
}

test("the runner accepts passing files only, and states each problem of the others", async (t) => {
  const processes = createTestProcesses({ lingerMs: 500 });
  const run = async ([code]: [string, string, number], index: number) =>
    processes.run({ path: writeTestFile(t, String(index), code), combination: "sqlite" });
  const results = await Promise.all(Object.values(VERDICTS).map(run));
  await processes.end();
  for (const [index, [what, [, problems, tests]]] of Object.entries(VERDICTS).entries())
    await t.test(`${what}: ${problems || "passes"}`, () => {
      const result = results[index] as TestResult;
      assert.equal(result.problems.join("; "), problems, result.report);
      if (tests > 0) assert.equal(result.tests, tests, result.report);
    });
});

test("a file that does not end in time fails", async (t) => {
  const path = writeTestFile(t, "endless", `${PASS} setInterval(() => {}, 1_000);`);
  const { problems } = await createTestProcesses().run({ path, combination: "sqlite", timeoutMs: 1_000 });
  assert.match(problems.join(), /did not end within 1 s$/);
});

test("a file that passes hands its process on to the next file of its combination only", async (t) => {
  const processes = createTestProcesses();
  const runIn = async (combination: string, body = "") => {
    const print = 'console.log("process", process.pid, "on", process.env.TEST_COMBINATION);';
    const path = writeTestFile(t, "shared", `${print} test("it", () => {${body}});`);
    const { report } = await processes.run({ path, combination });
    const [, id, itsCombination] = /process (\d+) on (\S+)/.exec(report) ?? assert.fail(report);
    assert.equal(itsCombination, combination);
    return id;
  };
  const first = await runIn("sqlite");
  assert.equal(await runIn("sqlite", "assert.fail();"), first);
  const third = await runIn("sqlite");
  assert.notEqual(third, first, "a process in which a file failed has ended");
  assert.notEqual(await runIn("postgres"), third);
  await processes.end();
});

test("a file that ends only in a process of its own is run again in one", async (t) => {
  // Long enough for a busy machine: a file that is thought to hang would not share its process.
  const processes = createTestProcesses({ lingerMs: 2_000 });
  t.after(() => processes.end());
  const run = (code: string) =>
    processes.run({ path: writeTestFile(t, "open", code), combination: "sqlite" });
  await run(`globalThis.timer = setInterval(() => {}, 1_000).unref(); ${PASS}`);
  const kept = await run('test("it", () => void globalThis.timer?.ref());');
  assert.deepEqual([kept.problems, kept.isRepeated], [[], true], kept.report);
});

test("a file that passes but crashes its process later ends the run with an error", async (t) => {
  const processes = createTestProcesses();
  const path = writeTestFile(t, "abort", `process.on("exit", () => process.abort()); ${PASS}`);
  assert.deepEqual((await processes.run({ path, combination: "sqlite" })).problems, []);
  await assert.rejects(processes.end(), /SIGABRT after \S+abort\.test\.mjs$/);
});

test("a job fails when its command exits with another code than 0, and throws without a program", async () => {
  const options = { concurrency: 1, signal: new AbortController().signal, onFinished: () => {} };
  const jobs = ["process.exit(0)", "console.log('out'); console.error('err'); process.exit(3)"].map((code) =>
    createCommandJob(process.execPath, "-e", code),
  );
  const [passed, failed] = await runJobs(jobs, options);
  assert.deepEqual([passed?.problems, failed?.problems], [[], ["exited with 3"]]);
  assert.match(failed?.report ?? "", /out[\s\S]*err/);
  const broken = { name: "broken", run: () => Promise.reject(new Error("no such program")) };
  await assert.rejects(runJobs([broken], options), /no such program/);
});

test("a quiet job runs after all others, alone", async () => {
  const order: string[] = [];
  const createJob = (name: string, isQuiet = false) => ({
    name,
    isQuiet,
    async run() {
      order.push(`${name} starts`);
      await yieldToEventLoop();
      order.push(`${name} ends`);
      return { tests: 1, problems: [], report: "" };
    },
  });
  const jobs = [createJob("quiet", true), createJob("a"), createJob("b")];
  await runJobs(jobs, { concurrency: 3, signal: new AbortController().signal, onFinished: () => {} });
  assert.deepEqual(order.slice(-2), ["quiet starts", "quiet ends"]);
  assert.equal(order.length, 6);
});

test("files that mark their process as ending share none", () => {
  const marking = globSync("test/**/*.test.ts").filter((path) =>
    /^import \{[^}]*\bremoveTemporaryFiles\b/m.test(readFileSync(path, "utf8")),
  );
  assert.deepEqual(marking.sort(), ENDING_FILES);
});

test("tests of the interface that are missing in the table of engines are named", () => {
  const files = Object.keys(ENGINE_TESTS).map((name) => `test/http/${name}.test.ts`);
  assert.throws(() => listEngineTests([...files, "test/http/new-operation.test.ts"]), /new-operation/);
  assert.throws(() => listEngineTests(files.slice(1)), new RegExp(files[0] as string));
});
