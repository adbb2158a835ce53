// The command line of the benchmarks.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { listBounds } from "./bounds.ts";
import { ENGINES, type Engine } from "./data/stores.ts";
import { BASE_RELEASE, NETWORK_NODES, NETWORK_PART_NAMES } from "./load/network-parts.ts";
import { CHANGES_PER_SECOND } from "./load/stream-part.ts";
import { UPLOADERS } from "./load/upload-part.ts";
import { WORKLOAD_NAMES, WORKLOADS, type WorkloadName } from "./load/workloads.ts";
import { FULL_SIZES } from "./measure/bench.ts";
import { showCount } from "./report/text.ts";

const DOCS = join(import.meta.dirname, "../docs");
export const PARTS = [
  ...WORKLOAD_NAMES,
  ...NETWORK_PART_NAMES,
  "streams",
  "listings",
  "uploads",
  "import",
  "console",
  "growth",
  "keys",
] as const;
type Part = (typeof PARTS)[number];
const ENGINE_NAMES = Object.keys(ENGINES) as Engine[];

export interface Flags {
  parts: Part[];
  engines: Engine[];
  rounds: number;
  seconds: number;
  isQuick: boolean;
  isJson: boolean;
  isStrict: boolean;
  isHelp: boolean;
  /** Folder for the document; undefined: it is not written. */
  output: string | undefined;
  /** Files with results to build the document from, instead of measuring. */
  from: string[];
}

export const HELP = `Usage: npm run -s bench -- [OPTIONS]

Compares the service with a bare node:http server, with other servers and with its first release, and writes
docs/benchmarks.md and docs/benchmarks.svg. It takes about an hour; do not use the machine for anything else during
that time.

  --only A,B      run only these parts of the list below
  --engines A,B   use only these engines: ${ENGINE_NAMES.join(", ")}
  --rounds N      rounds per part (default 5)
  --seconds N     length of a round in seconds (default 4)
  --quick         small sizes, 2 rounds of 1 s: a check that everything runs
  --output DIR    folder for the document (default docs; with --quick, --only or --engines it is not written)
  --from A,B      measure nothing; build the document from files with the output of --json
  --json          print the raw results as JSON to standard output
  --strict        exit with 1 if a bound is missed, a round is invalid or the machine was busy

Parts:
${listParts()}

64 connections are kept busy. PostgreSQL runs with fsync. A missed bound is printed to standard error:
${listBounds()
  .map((bound) => `  ${bound}`)
  .join("\n")}

Set WRK, TEST_POSTGRES, TEST_REDIS, TEST_NGINX and CHROMIUM if these programs are not in their usual folders.`;

/** One line per part. */
function listParts(): string {
  const network = `${NETWORK_NODES} nodes behind nginx, compared with release ${BASE_RELEASE} (postgres only)`;
  const { streams, seconds } = FULL_SIZES.streams;
  const meanings: Record<Part, string> = {
    ...(Object.fromEntries(WORKLOAD_NAMES.map((name) => [name, WORKLOADS[name].meaning])) as Record<
      WorkloadName,
      string
    >),
    "network-create": `create on ${network}`,
    "network-hot-list": `hot list on ${network}`,
    streams: `hot list with ${showCount(streams)} event streams and ${CHANGES_PER_SECOND} changes per second, rounds of ${seconds} s`,
    listings: `pages of listings and searches over ${FULL_SIZES.listings.map(showCount).join(" and ")} animals`,
    uploads: `hot list while ${UPLOADERS} clients upload photos`,
    import: `duration of an import of ${showCount(FULL_SIZES.imports)} rows with profiles, compared with that without`,
    console: `the console in Chromium over ${showCount(FULL_SIZES.console)} animals: first paint, first rows, layout shifts`,
    growth: "lists, start and memory of the service as the number of animals grows",
    keys: "memory and time of the in-process gate as the number of keys grows",
  };
  return PARTS.map((part) => `  ${part.padEnd(16)}  ${meanings[part].replaceAll("`", "")}`).join("\n");
}

export function readFlags(args: string[]): Flags {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string" },
      engines: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      quick: { type: "boolean", default: false },
      output: { type: "string" },
      from: { type: "string" },
      json: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const parts = readChoices("--only", values.only, PARTS);
  const engines = readChoices("--engines", values.engines, ENGINE_NAMES);
  const wantsNetwork = values.only !== undefined && NETWORK_PART_NAMES.some((name) => parts.includes(name));
  if (wantsNetwork && !engines.includes("postgres"))
    throw new Error(`${NETWORK_PART_NAMES.join(" and ")} need --engines postgres.`);
  const isComplete = !values.quick && values.only === undefined && values.engines === undefined;
  return {
    parts,
    engines,
    rounds: readCount("--rounds", values.rounds ?? (values.quick ? "2" : "5")),
    seconds: readCount("--seconds", values.seconds ?? (values.quick ? "1" : "4")),
    isQuick: values.quick,
    isJson: values.json,
    isStrict: values.strict,
    isHelp: values.help,
    output: values.output ?? (isComplete ? DOCS : undefined),
    from: values.from?.split(",") ?? [],
  };
}

function readChoices<T extends string>(flag: string, text: string | undefined, all: readonly T[]): T[] {
  if (text === undefined) return [...all];
  const wanted = text.split(",");
  const unknown = wanted.filter((name) => !all.includes(name as T));
  if (unknown.length > 0)
    throw new Error(`${flag} does not know ${unknown.join(", ")}. Allowed: ${all.join(", ")}.`);
  return all.filter((name) => wanted.includes(name));
}

function readCount(flag: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${flag} must be a whole number from 1 to 9999.`);
  return Number(text);
}
