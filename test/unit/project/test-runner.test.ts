// The test runner: which test files pass, which fail the run, and on which engines they run.

import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { ENGINE_TESTS, listEngineTests } from "../../harness/runner/engine-tests.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { createCommandJob, runJobs } from "../../harness/runner/queue.ts";
import type { TestResult } from "../../harness/runner/test-process.ts";
import { createTestProcesses, ENDING_FILES } from "../../harness/runner/test-processes.ts";

const HEAD = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';
const PRINT_PROCESS = 'console.log("process", process.pid, "on", process.env.TEST_COMBINATION);';

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
    problems: /^failed; has no test$/,
    tests: 0,
  },
  "an error after the first test": {
    code: 'test("it", () => {}); throw new Error("crash");',
    problems: /^threw outside its tests$/,
    tests: 1,
  },
  "an exit with 0 in the middle of a test": {
    code: 'test("it", () => new Promise(() => setTimeout(() => process.exit(0), 10)));',
    problems: /^exited before its tests had ended$/,
    tests: 0,
  },
  "no test": { code: "", problems: /^has no test$/, tests: 0 },
  "a test marked as only, and another that fails": {
    code: 'test("fails", () => assert.fail()); test.only("it", () => {});',
    problems: /^failed$/,
    tests: 2,
  },
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

test("a file that passes hands its process on to the next file of its combination only", async (t) => {
  const folder = makeFolder(t);
  const processes = createTestProcesses();
  const runIn = async (combination: string, name: string, code = "") => {
    const path = writeTestFile(folder, name, `${PRINT_PROCESS} test("it", () => {${code}});`);
    const { problems, report } = await processes.run({ path, combination, timeoutMs: 60_000 });
    const [, id, itsCombination] = /process (\d+) on (\S+)/.exec(report) ?? assert.fail(report);
    assert.equal(itsCombination, combination);
    return { id, problems, report };
  };
  const first = await runIn("sqlite", "first");
  const second = await runIn("sqlite", "second", "assert.fail('broken');");
  assert.equal(second.id, first.id);
  assert.deepEqual(second.problems, ["failed"]);
  assert.match(second.report, /broken[\s\S]*The same process had run: \S+first\.test\.mjs\n$/);

  const third = await runIn("sqlite", "third");
  assert.notEqual(third.id, first.id, "a process in which a file failed has ended");
  assert.deepEqual(third.problems, []);
  const other = await runIn("postgres", "first-on-other-engine");
  assert.notEqual(other.id, third.id);
  const fourth = await runIn("sqlite", "fourth");
  assert.notEqual(fourth.id, third.id, "it has ended for the process of the other combination");
  await processes.end();
});

test("the report of a file that fails and leaves something open has the reason", async (t) => {
  const processes = createTestProcesses({ lingerMs: 500 });
  t.after(() => processes.end());
  const code = 'test("it", () => { setInterval(() => {}, 1_000); assert.fail("broken"); });';
  const path = writeTestFile(makeFolder(t), "open", code);
  const { problems, report } = await processes.run({ path, combination: "sqlite" });
  assert.deepEqual(problems, ["failed", "left something open"]);
  assert.match(report, /^it: AssertionError \[ERR_ASSERTION\]: broken$/m);
});

test("a file that passes but ends only in a process of its own is run again in one", async (t) => {
  const folder = makeFolder(t);
  // Long enough for a busy machine: a file that is thought to hang would not share its process.
  const processes = createTestProcesses({ lingerMs: 2_000 });
  t.after(() => processes.end());
  const run = (name: string, code: string) =>
    processes.run({ path: writeTestFile(folder, name, code), combination: "sqlite" });
  await run("first", 'globalThis.timer = setInterval(() => {}, 1_000).unref(); test("it", () => {});');
  const kept = await run("kept", 'test("it", () => void globalThis.timer?.ref());');
  assert.deepEqual(kept.problems, [], kept.report);
  assert.ok(kept.isRepeated);
  await run("second", 'globalThis.isShared = true; test("it", () => {});');
  const stuck = await run("stuck", 'test("it", () => globalThis.isShared && new Promise(() => {}));');
  assert.deepEqual(stuck.problems, [], stuck.report);
  assert.ok(stuck.isRepeated);
  const failing = await run("failing", 'test("it", () => { setInterval(() => {}, 1_000); assert.fail(); });');
  assert.deepEqual(failing.problems, ["failed", "left something open"]);
});

test("a file that passes but crashes its process later ends the run with an error", async (t) => {
  const processes = createTestProcesses();
  const code = 'process.on("exit", () => process.abort()); test("it", () => {});';
  const path = writeTestFile(makeFolder(t), "abort", code);
  const { problems } = await processes.run({ path, combination: "sqlite" });
  assert.deepEqual(problems, []);
  await assert.rejects(processes.end(), /SIGABRT after \S+abort\.test\.mjs$/);
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

test("at most three heavy jobs run at a time, beside others", async () => {
  const running = new Set<string>();
  const seen: string[] = [];
  const jobs = Array.from({ length: 16 }, (_, index) => {
    const isHeavy = index < 8;
    const name = `${isHeavy ? "heavy" : "light"} ${index}`;
    const run = async () => {
      running.add(name);
      seen.push([...running].map((each) => each[0]).join(""));
      await nextTick();
      running.delete(name);
      return { tests: 1, problems: [], report: "" };
    };
    return { name, isHeavy, run };
  });
  const options = { concurrency: 6, signal: new AbortController().signal, onFinished: () => {} };
  assert.equal((await runJobs(jobs, options)).length, 16);
  const heavyOf = (names: string) => names.replaceAll("l", "").length;
  assert.equal(Math.max(...seen.map(heavyOf)), 3, seen.join(" "));
  assert.ok(seen.includes("hhhlll"), seen.join(" "));
});

test("a job that throws ends the run with its error", async () => {
  const job = { name: "broken", run: () => Promise.reject(new Error("no such program")) };
  const options = { concurrency: 2, signal: new AbortController().signal, onFinished: () => {} };
  await assert.rejects(runJobs([job], options), /no such program/);
});

test("files that mark their process as ending share none", () => {
  const marking = globSync("test/**/*.test.ts").filter((path) =>
    /^import \{[^}]*\bremoveTemporaryFiles\b/m.test(readFileSync(path, "utf8")),
  );
  assert.deepEqual(marking.sort(), ENDING_FILES);
});

test("tests of the interface that are missing in the table of engines are named", () => {
  const files = Object.keys(ENGINE_TESTS).map((name) => `test/http/${name}.test.ts`);
  assert.ok(listEngineTests(files).length > files.length);
  assert.throws(() => listEngineTests([...files, "test/http/new-operation.test.ts"]), /new-operation/);
  assert.throws(() => listEngineTests(files.slice(1)), new RegExp(files[0] as string));
});

async function runAll(t: TestContext): Promise<Record<string, TestResult>> {
  const folder = makeFolder(t);
  const processes = createTestProcesses();
  const results = Object.entries(cases).map(async ([what, { code, timeoutMs }], index) => {
    const path = writeTestFile(folder, String(index), code);
    const file = { path, combination: "sqlite", ...(timeoutMs && { timeoutMs }) };
    return [what, await processes.run(file)] as const;
  });
  const all = Object.fromEntries(await Promise.all(results));
  await processes.end();
  return all;
}

function writeTestFile(folder: string, name: string, code: string): string {
  const path = join(folder, `${name}.test.mjs`);
  writeFileSync(path, `${HEAD}${code}\n`);
  return path;
}
