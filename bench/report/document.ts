// docs/benchmarks.md, from the results of a run.

import { REMARKS } from "../contenders/contender.ts";
import { ENGINES, type Engine } from "../data/stores.ts";
import { WORKS } from "../load/works.ts";
import type { Machine } from "../machine.ts";
import type { Comparison, Results } from "../results.ts";
import { describeForeignLoad } from "./foreign-load.ts";
import {
  boundTable,
  gateTable,
  growthTable,
  latencyTable,
  listAbsences,
  listVoids,
  namesIn,
  shareTable,
} from "./tables.ts";
import { bullets, capitalise, showCount } from "./text.ts";

export function renderDocument(results: Results): string {
  const parts = [
    intro(results),
    ...shares(results),
    ...latency(results),
    ...growth(results),
    ...gate(results),
  ];
  parts.push(
    "## Bounds",
    ...(results.isQuick ? ["These sizes are too small for the bounds to mean much."] : []),
    boundTable(results),
  );
  const voids = listVoids(results);
  parts.push("## Void rounds", voids.length === 0 ? "None." : bullets(voids));
  parts.push("## Machine", machineList(results));
  return `${parts.join("\n\n")}\n`;
}

function intro(results: Results): string {
  const { rounds, seconds, isQuick } = results;
  const { isBusy } = describeForeignLoad(results);
  const warnings = [
    isQuick ? "**A quick run with small sizes: to see that it works, not to be quoted.**\n\n" : "",
    isBusy ? "**The machine was busy with other things (see the end): run it again.**\n\n" : "",
  ];
  return `# Benchmarks

${warnings.join("")}Written by \`npm run bench\`. Numbers of requests say more about a machine than about a program, so there are none here: every
number of speed is a share of what a bare \`node:http\` server reaches that answers the same bytes (status, headers, body) and does
nothing else. 1.00 is the limit of Node.

\`wrk\` keeps 64 connections busy. All servers run at the same time and are asked in turn, ${rounds} rounds of ${seconds} s each after one to warm
up; a share is taken within a round. Shown is the median of the rounds, and from the least to the most in brackets. Before each
round every kind of request is sent once and its answer checked; a round with a single error answer is void.

The service runs as \`npm start\` runs it, logs and all, with a key of the enterprise plan whose limits are never reached. The peers
are written as their users write them, with a look-up of the key, a rate limit, validation and an access log; see \`bench/\`.`;
}

function shares({ comparisons }: Results): string[] {
  if (comparisons.length === 0) return [];
  const works = new Set(comparisons.map(({ work }) => work));
  const meanings = [...works].map((work) => `**${WORKS[work].title}**: ${WORKS[work].meaning}`);
  return [
    "## Shares of the bare server",
    bullets(meanings),
    "![Shares of the bare server by work and contender](benchmarks.svg)",
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
    engine === "embedded"
      ? bullets([...remarks, ...listAbsences(comparisons)])
      : "One node. PostgreSQL and Redis run beside the load, off the node's core. The peers have no such engine.",
  ];
}

function latency({ comparisons }: Results): string[] {
  if (!comparisons.some(({ work }) => work === "mix")) return [];
  return [
    "## Latency of the hot list under the mix",
    `While 64 connections run the mix, 8 more ask for the hot list alone: theirs is the 99th percentile here, against that of the
bare server under the same mix. They begin when all connections of the mix have been accepted.`,
    latencyTable(comparisons, (engine) => ENGINES[engine]),
  ];
}

function growth(results: Results): string[] {
  return results.growth.flatMap((each) => [
    `## Growth: ${ENGINES[each.engine]}`,
    "Starts have all cores, until `/readyz` answers 200.",
    growthTable(each),
  ]);
}

function gate(results: Results): string[] {
  if (results.gate.length === 0) return [];
  return [
    "## Growth: keys in use",
    "The in-process gate alone, after a collection of garbage; memory is heap and buffers.",
    gateTable(results),
  ];
}

function machineList(results: Results): string {
  const { machine, date } = results;
  const pinned = machine.isPinned
    ? "the server has one core for itself, load and engines share the others"
    : "nothing is pinned: servers and load share all cores";
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
