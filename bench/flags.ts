// The command line of the benchmarks.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { ENGINES, type Engine } from "./data/stores.ts";
import { WORK_NAMES } from "./load/works.ts";

const DOCS = join(import.meta.dirname, "../docs");
const PARTS = [...WORK_NAMES, "growth", "keys"] as const;
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
  /** Where the document goes; undefined for nowhere. */
  output: string | undefined;
  /** Results to make the document of, instead of measuring. */
  from: string[];
}

export const HELP = `Usage: npm run -s bench -- [OPTIONS]

Runs the service beside a bare node:http server and its peers, and writes docs/benchmarks.md and docs/benchmarks.svg.
It takes about half an hour; leave the machine alone meanwhile.

  --only A,B      only these parts: ${PARTS.join(", ")}
  --engines A,B   only these engines: ${ENGINE_NAMES.join(", ")}
  --rounds N      rounds of each (default 5)
  --seconds N     length of a round (default 4)
  --quick         small sizes, 2 rounds of 1 s: to see that it works
  --output DIR    where the document goes (default docs; with --quick, --only or --engines nowhere)
  --from A,B      measure nothing: make the document from files that --json has printed
  --json          print the raw results to standard output
  --strict        exit with 1 when a bound is missed, a round is void or the machine was busy

WRK, TEST_POSTGRES and TEST_REDIS name the programs where they are in no usual place.`;

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
  const isWhole = !values.quick && values.only === undefined && values.engines === undefined;
  return {
    parts: readChoices("--only", values.only, PARTS),
    engines: readChoices("--engines", values.engines, ENGINE_NAMES),
    rounds: readCount("--rounds", values.rounds ?? (values.quick ? "2" : "5")),
    seconds: readCount("--seconds", values.seconds ?? (values.quick ? "1" : "4")),
    isQuick: values.quick,
    isJson: values.json,
    isStrict: values.strict,
    isHelp: values.help,
    output: values.output ?? (isWhole ? DOCS : undefined),
    from: values.from?.split(",") ?? [],
  };
}

function readChoices<T extends string>(flag: string, text: string | undefined, all: readonly T[]): T[] {
  if (text === undefined) return [...all];
  const wanted = text.split(",");
  const unknown = wanted.filter((name) => !all.includes(name as T));
  if (unknown.length > 0) throw new Error(`${flag} knows ${all.join(", ")}, not ${unknown.join(", ")}.`);
  return all.filter((name) => wanted.includes(name));
}

function readCount(flag: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${flag} must be a whole number from 1 to 9999.`);
  return Number(text);
}
