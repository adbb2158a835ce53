// docs/benchmarks.md: the results of a run as a document.

import { REMARKS } from "../contenders/contender.ts";
import { ENGINES, type Engine } from "../data/stores.ts";
import { LISTING_PAGE_NAMES, LISTING_PAGES } from "../load/listing-part.ts";
import { BASE_RELEASE, NETWORK_NODES } from "../load/network-parts.ts";
import { CHANGES_PER_SECOND, SETTLED_PART } from "../load/stream-part.ts";
import { UPLOADERS } from "../load/upload-part.ts";
import { WORKLOADS } from "../load/workloads.ts";
import type { Machine } from "../machine.ts";
import type { Comparison, Results } from "../results.ts";
import { describeForeignLoad } from "./foreign-load.ts";
import {
  boundTable,
  consoleTable,
  gateTable,
  growthTable,
  importTable,
  latencyTable,
  listExclusions,
  listInvalidRounds,
  listingTable,
  namesIn,
  networkTable,
  shareTable,
  streamTable,
  uploadTable,
} from "./tables.ts";
import { bullets, capitalise, showCount } from "./text.ts";

const POSTGRES_NOTE = `One node. PostgreSQL and Redis share their cores with the load, not with the node. Fastify uses the same engines: a pool of \`pg\` with
named statements, which also looks up the key of each request, and \`@fastify/rate-limit\` with Redis through \`ioredis\`. Each server has its
own database and its own Redis. The other peers do not support these engines.`;

export function renderDocument(results: Results): string {
  const parts = [
    intro(results),
    ...shares(results),
    ...latency(results),
    ...network(results),
    ...streams(results),
    ...listings(results),
    ...uploads(results),
    ...imports(results),
    ...consoles(results),
    ...growth(results),
    ...gate(results),
  ];
  parts.push(
    "## Bounds",
    ...(results.isQuick ? ["The sizes of a quick run are too small for the bounds."] : []),
    boundTable(results),
  );
  const invalid = listInvalidRounds(results);
  parts.push("## Invalid rounds", invalid.length === 0 ? "None." : bullets(invalid));
  parts.push("## Machine", machineList(results));
  return `${parts.join("\n\n")}\n`;
}

function intro(results: Results): string {
  const { rounds, seconds, isQuick } = results;
  const { isBusy } = describeForeignLoad(results);
  const warnings = [
    isQuick ? "**A quick run with small sizes. Do not quote its results.**\n\n" : "",
    isBusy ? "**Other programs used the machine (see the end). Run it again.**\n\n" : "",
  ];
  return `# Benchmarks

${warnings.join("")}Written by \`npm run bench\`. Requests per second describe a machine more than a program, so a speed here is a share of the speed of
a bare \`node:http\` server, which sends the same bytes (status, headers, body) and does nothing else. 1.00 is the limit of Node.

\`wrk\` keeps 64 connections busy. All servers run at the same time and are measured one after another, at least ${rounds} rounds of
at least ${seconds} s each after a warm-up. A share compares two results of the same round. The tables show the median of the rounds, with
minimum and maximum in brackets. Before and after each round, one request of every kind is sent and its response is checked. A round with a
single error response is invalid, and so is one in which the bare server sent longer or shorter responses than the service.

The service runs as with \`npm start\`, including its log, with a key of the enterprise plan whose limits are never reached. The peers are
written as their users write them, with a key look-up, a rate limit, validation and an access log; see \`bench/\`.

SQLite and PostgreSQL store a create on disk before its response is sent: SQLite runs with \`synchronous = FULL\`, also in the peers,
PostgreSQL with its defaults \`fsync\`, \`synchronous_commit\` and \`full_page_writes\` on.`;
}

function shares({ comparisons }: Results): string[] {
  if (comparisons.length === 0) return [];
  const workloads = new Set(comparisons.map(({ workload }) => workload));
  const meanings = [...workloads].map(
    (workload) => `**${WORKLOADS[workload].title}**: ${WORKLOADS[workload].meaning}`,
  );
  return [
    "## Shares of the bare server",
    bullets(meanings),
    "![Shares of the bare server by workload and contender](benchmarks.svg)",
    ...(Object.keys(ENGINES) as Engine[]).flatMap((engine) =>
      sharesOn(
        engine,
        comparisons.filter((each) => each.engine === engine),
      ),
    ),
  ];
}

function sharesOn(engine: Engine, comparisons: Comparison[]): string[] {
  if (comparisons.length === 0) return [];
  const animals = showCount(comparisons[0]?.animals ?? 0);
  const remarks = namesIn(comparisons).flatMap((name) =>
    REMARKS[name] === undefined ? [] : [REMARKS[name]],
  );
  return [
    `### ${capitalise(ENGINES[engine])}, ${animals} animals`,
    shareTable(comparisons),
    engine === "embedded" ? bullets([...remarks, ...listExclusions(comparisons)]) : POSTGRES_NOTE,
  ];
}

function latency({ comparisons }: Results): string[] {
  if (!comparisons.some(({ workload }) => workload === "mix")) return [];
  return [
    "## Latency of the hot list under the mix",
    `While 64 connections run the mix, 8 more request only the hot list. The table compares their 99th percentile with that of the bare server
under the same mix. They start when all connections of the mix have been accepted.`,
    latencyTable(comparisons, (engine) => ENGINES[engine]),
  ];
}

function network(results: Results): string[] {
  if (results.network.length === 0) return [];
  const animals = showCount(results.network[0]?.animals ?? 0);
  return [
    `## A network of ${NETWORK_NODES} nodes`,
    `${NETWORK_NODES} nodes on one PostgreSQL and one Redis behind nginx, ${animals} animals, 64 connections to nginx. The same with release ${BASE_RELEASE}, on
its own database and Redis and with the packages of this release, is measured in the same rounds. Nodes and nginx may use all cores,
which they share with the load and the engines; so the requests per second are those of this machine, and only their ratio is valid
elsewhere. The 99th percentile is that of all requests, through nginx.`,
    networkTable(results),
  ];
}

function streams(results: Results): string[] {
  const [run] = results.streams;
  if (run === undefined) return [];
  return [
    `## ${showCount(run.streams)} event streams`,
    `One node, ${showCount(run.animals)} animals, rounds of ${run.seconds} s. A writer makes ${CHANGES_PER_SECOND} changes per second while 64 connections request the hot list; each
change invalidates its cached page. Every second round, ${showCount(run.streams)} clients also read \`GET /v1/events/stream\`. The share compares these
rounds with those before them, with the same changes and without streams. The streams share a core with the load, not with the node. A
round is invalid unless every stream has every event once and in order and none was cut. Resident memory at the end of a round is
compared with that after ${run.seconds * SETTLED_PART} s of it.`,
    streamTable(results),
  ];
}

function listings(results: Results): string[] {
  const [run] = results.listings;
  if (run === undefined) return [];
  const [small, large] = run.sizes.map(showCount);
  const meanings = LISTING_PAGE_NAMES.map(
    (name) => `**${LISTING_PAGES[name].title}**: ${LISTING_PAGES[name].meaning}`,
  );
  return [
    "## Listings and searches",
    `One node, ${small} and ${large} animals with a profile and a description of 20 words.`,
    bullets(meanings),
    ...results.listings.flatMap((each) => [`### ${capitalise(ENGINES[each.engine])}`, listingTable(each)]),
  ];
}

function uploads(results: Results): string[] {
  const [run] = results.uploads;
  if (run === undefined) return [];
  return [
    "## Uploads of photos",
    `One node, ${showCount(run.animals)} animals, 64 connections that request the hot list. In every second round, ${UPLOADERS} clients also upload photos, one after
another: JPEG files of 3 megapixels with much detail, each another one. The processes that convert the images share the core of the node,
with a lower priority.`,
    uploadTable(results),
  ];
}

function imports(results: Results): string[] {
  const [run] = results.imports;
  if (run === undefined) return [];
  return [
    "## Import",
    `The command \`import\` for a file with ${showCount(run.rows)} animals, into a new store: with name, category and status, and with a profile of
nine further members and a description of 36 words. One file has the same bytes as that with profiles, in a column that is ignored. A
round imports all files, and then all of them in reverse order; it counts the mean of both. The command may use all cores. The CPU time of
PostgreSQL itself is not in the table.`,
    importTable(results),
  ];
}

function consoles(results: Results): string[] {
  const [run] = results.console;
  if (run === undefined) return [];
  const shifts = results.console.map(({ engine, shifts }) => {
    const views = Object.entries(shifts).map(([view, shift]) => `${view} ${shift.toFixed(4)}`);
    return `${capitalise(ENGINES[engine])}: ${views.join(", ")}`;
  });
  return [
    "## The console",
    `Chromium without a window, ${showCount(run.animals)} animals with profiles. Cold: with an empty cache. Warm: the same again, with the files of the first visit.`,
    consoleTable(results),
    "The cumulative layout shift of each view, the larger of 1280 × 800 and 390 × 844:",
    bullets(shifts),
  ];
}

function growth(results: Results): string[] {
  return results.growth.flatMap((each) => [
    `## Growth: ${ENGINES[each.engine]}`,
    "A start may use all cores; it ends when `/readyz` returns 200.",
    growthTable(each),
  ]);
}

function gate(results: Results): string[] {
  if (results.gate.length === 0) return [];
  return [
    "## Growth: keys in use",
    "The in-process gate alone, after a garbage collection; memory is heap and buffers.",
    gateTable(results),
  ];
}

function machineList(results: Results): string {
  const { machine, date } = results;
  const pinned = machine.isPinned
    ? "the server has its own core, load and engines share the others"
    : "no process is pinned: servers and load share all cores";
  const cores = `Cores: ${machine.cores}; ${pinned}`;
  return bullets([...machineRows(machine), cores, describeForeignLoad(results).text, `Date: ${date}`]);
}

function machineRows({ processor, memoryGigabytes, kernel, node, fileSystem, engines }: Machine): string[] {
  return [
    `Processor: ${processor}`,
    `Memory: ${memoryGigabytes} GiB`,
    `Kernel: Linux ${kernel}`,
    `Node: ${node}`,
    ...engines.map((version) => `Engine: ${version}`),
    `File system of the stores: ${fileSystem}`,
  ];
}
