// The benchmarks without servers: flags, bounds, merging and rendering of results.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkBounds } from "../../bench/bounds.ts";
import { fillSqlite } from "../../bench/data/sqlite.ts";
import { HELP, PARTS, readFlags } from "../../bench/flags.ts";
import { markUnequalBytes } from "../../bench/measure/equal-bytes.ts";
import { renderDocument } from "../../bench/report/document.ts";
import { mergeResults, type Results } from "../../bench/results.ts";
import { searchTextOf } from "../../src/domain/search-text.ts";
import { openStoreFile } from "../contract/engines.ts";
import { environmentOf } from "../harness/commands.ts";
import { makeFolder } from "../harness/folder.ts";
import {
  createComparison,
  createImportRun,
  createListingRun,
  createNetworkRun,
  createResults,
  createSample,
  createStreamRun,
  createUploadRun,
} from "./sample-results.ts";

const BENCH = join(import.meta.dirname, "../../bench");

test("the flags choose parts, engines and rounds", () => {
  const all = readFlags([]);
  assert.deepEqual([all.parts, all.engines], [[...PARTS], ["embedded", "postgres"]]);
  assert.deepEqual([all.rounds, all.seconds], [5, 4]);
  assert.match(all.output ?? "", /docs$/);

  const some = readFlags(["--only", "network-create,hot-list", "--engines", "postgres", "--rounds", "2"]);
  assert.deepEqual(some.parts, ["hot-list", "network-create"]);
  assert.deepEqual([some.engines, some.rounds], [["postgres"], 2]);
  assert.equal(some.output, undefined, "an incomplete run does not replace the document");
  assert.deepEqual([readFlags(["--quick"]).rounds, readFlags(["--quick"]).output], [2, undefined]);
});

const wrongFlags: Record<string, { args: string[]; message: RegExp }> = {
  "an unknown part": {
    args: ["--only", "fast"],
    message: /^--only does not know fast\. Allowed: hot-list, /,
  },
  "an unknown engine": { args: ["--engines", "mysql"], message: /^--engines does not know mysql\./ },
  "a network on SQLite": {
    args: ["--only", "network-create", "--engines", "embedded"],
    message: /^network-create and network-hot-list need --engines postgres\.$/,
  },
  "no round": { args: ["--rounds", "0"], message: /^--rounds must be a whole number/ },
  "an unknown flag": { args: ["--fast"], message: /--fast/ },
};
for (const [what, { args, message }] of Object.entries(wrongFlags))
  test(`the flags reject ${what}`, () => {
    assert.throws(() => readFlags(args), { message });
  });

test("--help has one line for each part and for each bound", () => {
  for (const part of PARTS) assert.match(HELP, new RegExp(`^  ${part} {2,}\\S`, "m"));
  for (const { title, bound } of checkBounds(createResults()))
    assert.ok(HELP.includes(`\n  ${title}: ${bound}\n`), title);
});

/** The state of every bound whose title contains `words`. */
function boundStates(results: Results, words: string): string[] {
  return checkBounds(results)
    .filter(({ title }) => title.includes(words))
    .map(({ found, state }) => `${found} ${state}`);
}

test("a bound on a share is met at its value and missed below it", () => {
  const title = "unchanged list, embedded engine";
  const withShare = (share: number) =>
    createResults({ comparisons: [createComparison("embedded", "unchanged-list", share)] });
  assert.deepEqual(boundStates(withShare(0.95), title), ["0.95 met"]);
  assert.deepEqual(boundStates(withShare(0.94), title), ["0.94 missed"]);
  assert.deepEqual(boundStates(createResults(), title), ["– not measured"]);
});

test("each engine has its own bounds on shares", () => {
  const comparisons = [createComparison("postgres", "get", 0.4), createComparison("embedded", "get", 0.5)];
  const results = createResults({ comparisons });
  assert.deepEqual(boundStates(results, "get by id, PostgreSQL"), ["0.40 met"]);
  assert.deepEqual(boundStates(results, "get by id, embedded"), ["0.50 missed"]);
});

test("the bounds on the network compare creates with release 1.0.0 and limit their 99th percentile", () => {
  const withCreates = (rate: number, p99Ms: number) =>
    createResults({ network: [createNetworkRun("network-create", rate, p99Ms)] });
  assert.deepEqual(boundStates(withCreates(2_000, 150), "3 nodes"), ["20× met", "150 ms met"]);
  assert.deepEqual(boundStates(withCreates(1_900, 160), "3 nodes"), ["19× missed", "160 ms missed"]);
  const lists = createResults({ network: [createNetworkRun("network-hot-list", 100, 500)] });
  assert.deepEqual(boundStates(lists, "3 nodes"), ["– not measured", "– not measured"]);
});

test("the bounds on event streams are per engine for the hot list, and on the worse engine for memory", () => {
  const streams = [createStreamRun("embedded", 0.8, 120), createStreamRun("postgres", 0.79, 121)];
  const title = "1,000 event streams";
  assert.deepEqual(boundStates(createResults({ streams }), title), [
    "0.80 met",
    "0.79 missed",
    "1.21× missed",
  ]);
  const met = createResults({ streams: [createStreamRun("embedded", 0.9, 120)] });
  assert.deepEqual(boundStates(met, title), ["0.90 met", "– not measured", "1.20× met"]);
});

test("the bounds on listings are the share of the first page, and the worst search of each engine", () => {
  const listings = [
    createListingRun("embedded", 0.7, [1, 3, 2]),
    createListingRun("postgres", 0.1, [1, 1, 3.1]),
  ];
  const results = createResults({ listings });
  assert.deepEqual(boundStates(results, "first page of listings"), ["0.70 met"]);
  assert.deepEqual(boundStates(results, "time of a search"), ["3.00× met", "3.10× missed"]);
  assert.match(renderDocument(results), /^\| absent word \| – \| 1,000 \(.*\| 3\.10 \(3\.10–3\.10\) \|$/m);
  assert.deepEqual(boundStates(createResults(), "search"), ["– not measured", "– not measured"]);
});

test("the texts that are filled in by SQL are those of the service", async (t) => {
  const path = join(makeFolder(t), "store.db");
  const db = await openStoreFile(t, path);
  fillSqlite(path, 250);
  const rows = await db.all("SELECT name, category_id, text FROM pets JOIN pet_texts ON pet_id = id");
  assert.equal(rows.length, 250);
  for (const { name, category_id, text } of rows)
    assert.equal(text, searchTextOf({ name: name as string, categoryId: category_id as bigint }));
});

/** Runs the program on a file with results; it writes the document to a temporary folder. */
function runFrom(t: TestContext, results: Results, ...flags: string[]) {
  const folder = makeFolder(t);
  const file = join(folder, "results.json");
  writeFileSync(file, JSON.stringify(results));
  const args = [join(BENCH, "run.ts"), "--from", file, "--output", folder, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: environmentOf({}),
    encoding: "utf8",
  });
  return { status, stdout, stderr, folder };
}

test("a missed bound is printed, and with --strict the exit code is 1", (t) => {
  const missed = createResults({ comparisons: [createComparison("postgres", "create", 0.05)] });
  const line = "Missed: create, PostgreSQL + Redis, share of the bare server: 0.05, required at least 0.3\n";
  const strict = runFrom(t, missed, "--strict");
  assert.deepEqual([strict.status, strict.stderr], [1, line]);
  const lenient = runFrom(t, missed);
  assert.deepEqual([lenient.status, lenient.stderr], [0, line]);

  const met = createResults({ comparisons: [createComparison("postgres", "create", 0.5)] });
  const good = runFrom(t, met, "--strict");
  assert.deepEqual([good.status, good.stderr], [0, ""]);
  assert.equal(readFileSync(join(good.folder, "benchmarks.md"), "utf8"), good.stdout);
  assert.match(readFileSync(join(good.folder, "benchmarks.svg"), "utf8"), /create, PostgreSQL \+ Redis/);
});

test("an invalid round of the network is printed, and with --strict the exit code is 1", (t) => {
  const run = createNetworkRun("network-create", 5_000, 20);
  run.samples.push(createSample("1.0.0", { round: 2, fault: "3 error responses" }));
  const { status, stderr } = runFrom(t, createResults({ network: [run] }), "--strict");
  assert.deepEqual([status, stderr], [1, "Invalid: network-create, 1.0.0, round 2: 3 error responses\n"]);
});

test("an invalid round with event streams is printed and counts for no bound", (t) => {
  const run = createStreamRun("embedded", 0.9, 100);
  const samples = run.samples.map((sample) => ({ ...sample, fault: "stream 3: event 9 after event 7" }));
  const results = createResults({ streams: [{ ...run, samples }] });
  const { status, stderr } = runFrom(t, results, "--strict");
  const lines = ["without streams", "with streams"].map(
    (lane) => `Invalid: streams, embedded, ${lane}, round 1: stream 3: event 9 after event 7\n`,
  );
  assert.deepEqual([status, stderr], [1, lines.join("")]);
  const states = ["– not measured", "– not measured", "– not measured"];
  assert.deepEqual(boundStates(results, "1,000 event streams"), states);
  assert.match(
    renderDocument(results),
    /^\| embedded engine \| invalid \| invalid \| invalid \| invalid \| invalid \|$/m,
  );
});

test("merged results take each measurement from the last run that has it", () => {
  const [early, late] = [
    createResults({
      comparisons: [createComparison("embedded", "get", 0.1), createComparison("embedded", "create", 0.2)],
      network: [createNetworkRun("network-create", 200, 100), createNetworkRun("network-hot-list", 300, 9)],
      streams: [createStreamRun("embedded", 0.5, 100), createStreamRun("postgres", 0.6, 100)],
    }),
    createResults({
      comparisons: [createComparison("embedded", "get", 0.7), createComparison("postgres", "get", 0.4)],
      network: [createNetworkRun("network-create", 4_000, 30)],
      streams: [createStreamRun("postgres", 0.9, 100)],
    }),
  ];
  const { comparisons, network, streams } = mergeResults([early, late]);
  const rate = ({ samples }: { samples: Array<{ requestsPerSecond: number }> }) =>
    samples[0]?.requestsPerSecond;
  assert.deepEqual(
    comparisons.map((each) => [each.engine, each.workload, rate(each)]),
    [
      ["embedded", "get", 700],
      ["embedded", "create", 200],
      ["postgres", "get", 400],
    ],
  );
  assert.deepEqual(
    network.map((each) => [each.part, rate(each)]),
    [
      ["network-create", 4_000],
      ["network-hot-list", 300],
    ],
  );
  assert.deepEqual(
    streams.map(({ engine, samples }) => [engine, samples[1]?.requestsPerSecond]),
    [
      ["embedded", 500],
      ["postgres", 900],
    ],
  );
});

test("results of different machines or of a quick run cannot be merged", () => {
  const other = { ...createResults().machine, processor: "another" };
  for (const more of [{ machine: other }, { isQuick: true }])
    assert.throws(() => mergeResults([createResults(), createResults(more)]), /different machines/);
});

test("merged results name the fewest rounds and the shortest", () => {
  const merged = mergeResults([
    createResults({ rounds: 3, seconds: 4 }),
    createResults({ rounds: 5, seconds: 2 }),
  ]);
  assert.deepEqual([merged.rounds, merged.seconds], [3, 2]);
  assert.match(renderDocument(merged), /at least 3 rounds of\nat least 2 s each/);
});

test("the document has a table with shares for each engine and the figures of the network", () => {
  const peer = createSample("fastify", { requestsPerSecond: 250 });
  const onPostgres = createComparison("postgres", "unchanged-list", 0.61);
  const document = renderDocument(
    createResults({
      comparisons: [
        createComparison("embedded", "origin-list", 0.9),
        { ...onPostgres, samples: [...onPostgres.samples, peer] },
      ],
      network: [createNetworkRun("network-create", 2_345.6, 31.4)],
    }),
  );
  assert.match(document, /^\| origin list \| 0\.90 \(0\.90–0\.90\) \|$/m);
  assert.match(document, /^\| Workload \| Animal Store \| Fastify \|$/m);
  assert.match(document, /^\| unchanged list \| 0\.61 \(0\.61–0\.61\) \| 0\.25 \(0\.25–0\.25\) \|$/m);
  const create =
    "| create | 2,346 (2,346–2,346) | 31 (31–31) | 100 (100–100) | 900 (900–900) | 23.46 (23.46–23.46) |";
  assert.ok(document.includes(`\n${create}\n`), document);
});

test("the duration of an import with profiles is compared with that without, per engine", () => {
  const results = createResults({
    imports: [createImportRun("embedded", 10), createImportRun("postgres", 11)],
  });
  assert.deepEqual(boundStates(results, "of an import"), ["2.00× met", "2.20× missed"]);
  const document = renderDocument(results);
  assert.match(document, /^## Import$/m);
  assert.match(
    document,
    /\| with profiles \| 11 \(11–11\) \| 2\.20 \(2\.20–2\.20\) \| 11 \(11–11\) \| 2\.75 /,
  );
});

test("the 99th percentile of the hot list during uploads is compared with that without, per engine", () => {
  const results = createResults({
    uploads: [createUploadRun("embedded", 8), createUploadRun("postgres", 9)],
  });
  assert.deepEqual(boundStates(results, "during uploads"), ["4.00× met", "4.50× missed"]);
  const document = renderDocument(results);
  assert.match(document, /^## Uploads of photos$/m);
  assert.match(document, /\| 1,234 \| .* \| 2 \(2–2\) \| 8 \(8–8\) \| 4\.00 /);
});

test("the document has the times of the console, and its worst layout shift has a bound", () => {
  const times = { firstPaintMs: 120.4, firstRowsMs: 301 };
  const loads = [{ cold: times, warm: { firstPaintMs: 60, firstRowsMs: 99 }, foreignShare: 0 }];
  const shifts = { animals: 0.001, usage: 0.15 };
  const results = createResults({ console: [{ engine: "embedded", animals: 100_000, loads, shifts }] });
  assert.deepEqual(boundStates(results, "layout shift"), ["0.15 missed"]);
  const document = renderDocument(results);
  assert.match(document, /^## The console$/m);
  assert.match(document, /\| cold \| 120 \(120–120\) \| 301 \(301–301\) \|/);
  assert.match(document, /animals 0\.0010, usage 0\.1500$/m);
});

test("the document has the share, the latency and the memory of a node with event streams", () => {
  const document = renderDocument(createResults({ streams: [createStreamRun("embedded", 0.87, 110)] }));
  assert.match(document, /^## 1,000 event streams$/m);
  assert.match(document, /compared with that after 5 s of it\.$/m);
  const row = "| embedded engine | 0.87 (0.87–0.87) | 5 (5–5) | 9 (9–9) | 110 (110–110) | 1.10 (1.10–1.10) |";
  assert.ok(document.includes(`\n${row}\n`), document);
});

test("the document shows the network as invalid without a valid round", () => {
  const run = createNetworkRun("network-create", 5_000, 20);
  const samples = run.samples.map((sample) => ({ ...sample, fault: "no responses" }));
  const document = renderDocument(createResults({ network: [{ ...run, samples }] }));
  assert.match(document, /^\| create \| invalid \| invalid \| invalid \| invalid \| invalid \|$/m);
});

test("a round in which the bare server sent shorter responses than the service is invalid", () => {
  const bytes = (service: number, bare: number) =>
    markUnequalBytes([
      createSample("service", { bytesPerResponse: service }),
      createSample("bare", { bytesPerResponse: bare }),
      createSample("fastify", { bytesPerResponse: 1 }),
    ]).map(({ fault }) => fault);
  assert.deepEqual(bytes(2_000, 1_950), [undefined, undefined, undefined]);
  const fault = "500 bytes per response, the service sent 2000";
  assert.deepEqual(bytes(2_000, 500), [undefined, fault, undefined]);
});

test("the peers have exact versions", () => {
  const { dependencies } = JSON.parse(readFileSync(join(BENCH, "package.json"), "utf8"));
  for (const [name, version] of Object.entries(dependencies))
    assert.match(String(version), /^\d+\.\d+\.\d+$/, name);
});
