// The benchmarks without servers: flags, targets, the table and the document.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Results, Sample } from "../../../bench/bench.ts";
import { FULL, QUICK } from "../../../bench/conditions.ts";
import { readFlags } from "../../../bench/flags.ts";
import { markUnequalBytes } from "../../../bench/load/rounds.ts";
import { listComplaints, renderTable, updateDocument } from "../../../bench/report/document.ts";
import { WORKLOADS } from "../../../bench/workloads.ts";
import { environmentOf } from "../../harness/clients/commands.ts";
import { column } from "../../harness/clients/pages.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

const BENCH = join(import.meta.dirname, "../../../bench");
const DOCUMENT = join(BENCH, "../docs/benchmarks.md");

function createSample(workload: string, lane: string, more: Partial<Sample> = {}): Sample {
  return {
    engine: "embedded",
    workload,
    lane,
    round: 1,
    rate: 1_000,
    bytes: 2_000,
    foreignShare: 0,
    ...more,
  };
}

function createResults(samples: Sample[], more: Partial<Results> = {}): Results {
  const run = { date: "2026-01-01", release: "9.9.9", isAgainst: false, isQuick: false, machine: "test" };
  return { ...run, ...FULL, rounds: 1, samples, ...more };
}

/** Rounds in which the bare server serves 1,000 requests per second. */
function createShares(workload: string, ...shares: number[]): Sample[] {
  return shares.flatMap((share, i) => [
    createSample(workload, "service", { round: i + 1, rate: share * 1_000 }),
    createSample(workload, "bare", { round: i + 1 }),
  ]);
}

/** The cells of the row with this title. */
function readRow(results: Results, title: string): string[] | undefined {
  const rows = renderTable(results).split("\n");
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  return cells.find((row) => row[1] === title)?.slice(2, -1);
}

test("the flags choose workloads, engines and rounds", () => {
  const all = readFlags([]);
  assert.deepEqual([all.workloads, all.engines], [WORKLOADS, ["embedded", "postgres"]]);
  assert.deepEqual([all.conditions, all.write], [FULL, true]);

  const some = readFlags(["--only", "network-create,hot-list", "--engines", "postgres", "--rounds", "2"]);
  assert.deepEqual(column(some.workloads, "name"), ["hot-list", "network-create"]);
  assert.deepEqual([some.engines, some.conditions.rounds], [["postgres"], 2]);
  assert.equal(some.write, false, "an incomplete run does not replace the document");
  const quick = readFlags(["--quick"]);
  assert.deepEqual([quick.conditions, quick.write], [QUICK, false]);
  assert.equal(readFlags(["--from", "a.json", "--write"]).write, true);
});

const wrongFlags: Record<string, { args: string[]; message: RegExp }> = {
  "an unknown workload": {
    args: ["--only", "fast"],
    message: /^--only does not know fast\. Allowed: hot-list, /,
  },
  "an unknown engine": { args: ["--engines", "mysql"], message: /^--engines does not know mysql\./ },
  "no round": { args: ["--rounds", "0"], message: /^--rounds must be a whole number/ },
  "a folder without packages": { args: ["--against", "/dev"], message: /^--against needs the folder of/ },
  "an unknown flag": { args: ["--fast"], message: /--fast/ },
};
for (const [what, { args, message }] of Object.entries(wrongFlags))
  test(`the flags reject ${what}`, () => {
    assert.throws(() => readFlags(args), { message });
  });

test("a row has the median of its rounds, minimum and maximum, and whether it meets the target", () => {
  const met = createResults(createShares("unchanged-list", 0.9, 0.95, 1.1));
  assert.deepEqual(readRow(met, "unchanged list"), ["0.95 (0.90–1.10)", "≥ 0.95 ok", "–", ""]);
  const even = createResults(createShares("unchanged-list", 0.9, 0.98));
  assert.deepEqual(readRow(even, "unchanged list")?.slice(0, 2), ["0.94 (0.90–0.98)", "≥ 0.95 **missed**"]);
  assert.equal(readRow(createResults([]), "unchanged list"), undefined);
});

test("two checkouts are compared lane by lane: rates and durations within 5 %, latencies without a target", () => {
  const samples = [
    createSample("rare-word", "small", { rate: 95, p99Ms: 3 }),
    createSample("rare-word", "other small", { rate: 100, p99Ms: 2 }),
    createSample("import", "plain", { duration: 1.06 }),
    createSample("import", "other plain", { duration: 1 }),
  ].map(({ rate, ...sample }) => (sample.workload === "import" ? sample : { ...sample, rate: rate ?? 0 }));
  const results = createResults(samples, { isAgainst: true });
  assert.equal(readRow(results, "rare-word, small")?.[1], "≥ 0.95 ok");
  assert.deepEqual(readRow(results, "rare-word, small, 99th percentile")?.slice(0, 2), [
    "1.50 (1.50–1.50)",
    "",
  ]);
  assert.equal(readRow(results, "import, plain, duration")?.[1], "≤ 1.05 **missed**");
  assert.equal(readRow(results, "import, plain"), undefined, "an import has no rate");
  assert.equal(renderTable(results).split("\n").length, 6, "head, rule, section, and these three rows");
});

test("an invalid round counts for no figure and is listed", () => {
  const samples = createShares("hot-list", 0.8, 0.2);
  const broken = samples.map((sample) =>
    sample.round === 2 ? { ...sample, fault: "3 error responses" } : sample,
  );
  assert.equal(readRow(createResults(broken), "hot list")?.[0], "0.80 (0.80–0.80)");
  assert.deepEqual(listComplaints(createResults(broken)), [
    "Invalid: embedded, hot-list, service, round 2: 3 error responses",
    "Invalid: embedded, hot-list, bare, round 2: 3 error responses",
  ]);
  const none = createResults(broken.filter(({ fault }) => fault !== undefined));
  assert.deepEqual(readRow(none, "hot list")?.slice(0, 2), ["invalid", "≥ 0.75 **missed**"]);
});

test("a machine that other programs used in more than 20 % of the measurements is a complaint", () => {
  const busy = (rounds: number) =>
    createShares("hot-list", 1, 1, 1, 1, 1).map((sample) => ({
      ...sample,
      foreignShare: sample.round <= rounds ? 0.11 : 0.1,
    }));
  assert.deepEqual(listComplaints(createResults(busy(1))), []);
  const text = "Busy: Other programs used over 10 % of all cores in 4 of 10 measurements.";
  assert.deepEqual(listComplaints(createResults(busy(2))), [text]);
});

test("a round in which the bare server sent shorter responses than the service is invalid", () => {
  const faults = (service: number, bare: number) =>
    markUnequalBytes([
      createSample("hot-list", "service", { bytes: service }),
      createSample("hot-list", "bare", { bytes: bare }),
      createSample("hot-list", "fastify", { bytes: 1 }),
    ]).map(({ fault }) => fault);
  assert.deepEqual(faults(2_000, 1_950), [undefined, undefined, undefined]);
  assert.deepEqual(faults(2_000, 500), [undefined, "500 bytes per response instead of 2000", undefined]);
});

/** Runs the program on files with results. */
function runFrom(t: TestContext, runs: Results[], ...flags: string[]) {
  const files = runs.map((results) => {
    const file = join(makeFolder(t), "results.json");
    writeFileSync(file, JSON.stringify(results));
    return file;
  });
  const args = [join(BENCH, "run.ts"), "--from", files.join(","), ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: environmentOf({}),
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("a missed target is printed and the exit code is 1", (t) => {
  const missed = runFrom(t, [createResults(createShares("create", 0.05))]);
  const line = "Missed: create, embedded: 0.05 (0.05–0.05), required ≥ 0.4\n";
  assert.deepEqual([missed.status, missed.stderr], [1, line]);
  assert.match(missed.stdout, /\| create +\| 0\.05 \(0\.05–0\.05\) \| ≥ 0\.4 \*\*missed\*\* \|/);

  const met = runFrom(t, [createResults(createShares("create", 0.5))]);
  assert.deepEqual([met.status, met.stderr], [0, ""]);
  const quick = runFrom(t, [createResults(createShares("create", 0.05), { isQuick: true })]);
  assert.deepEqual([quick.status, quick.stderr], [0, ""], "a quick run is too small for targets");
});

test("the document keeps its text and gets the table, the run and its invalid rounds", () => {
  const samples = [
    ...createShares("hot-list", 0.8),
    createSample("mix", "bare", { fault: "3 lost responses" }),
  ];
  const old = readFileSync(DOCUMENT, "utf8");
  const results = createResults(samples);
  const document = updateDocument(old, results);
  const [start, end] = old.split(/<!-- results -->[\s\S]*<!-- end -->/);
  assert.ok(start && document.startsWith(start) && document.endsWith(end ?? ""));
  assert.ok(document.includes(renderTable(results)), document);
  assert.match(document, /^Release 9\.9\.9, 2026-01-01, 1 rounds of 4 s/m);
  assert.match(document, /^Invalid: embedded, mix, bare, round 1: 3 lost responses$/m);
  for (const { name } of WORKLOADS)
    assert.match(document, new RegExp(`^- \\*\\*${name.replaceAll("-", " ")}\\*\\*`, "m"));
});
