// The command line of the benchmarks.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { FULL, QUICK } from "./conditions.ts";
import { ENGINE_NAMES } from "./data/stores.ts";
import { WORKLOADS } from "./workloads.ts";

export const HELP = `Usage: npm run -s bench -- [OPTIONS]

Compares the service with a bare node:http server, with Fastify and with its previous release, and prints a table. A
complete run takes over an hour; do not use the machine for anything else during that time.

  --only A,B        only these workloads of the list below
  --engines A,B     only these engines: ${ENGINE_NAMES.join(", ")}
  --rounds N        rounds per workload (default ${FULL.rounds})
  --seconds N       length of a round in seconds (default ${FULL.seconds})
  --quick           small stores, ${QUICK.rounds} rounds of ${QUICK.seconds} s: a check that everything runs
  --against FOLDER  compare with another checkout of this project instead: new / old, required within 5 %
  --write           write the table to docs/benchmarks.md, as a complete run does
  --from A,B        measure nothing; report files with the output of --json
  --json            print the results as JSON instead of the table

${WORKLOADS.map(({ name, meaning }) => `  ${name.padEnd(16)}  ${meaning.replaceAll("`", "")}`).join("\n")}

The exit code is 1 if a target is missed, a round is invalid, or other programs used the machine.
Set WRK, TEST_POSTGRES, TEST_REDIS and TEST_NGINX if these programs are not in their usual folders.`;

const TEXT = { type: "string" } as const;
const SWITCH = { type: "boolean", default: false } as const;

export type Flags = ReturnType<typeof readFlags>;

export function readFlags(args: string[]) {
  const texts = { only: TEXT, engines: TEXT, rounds: TEXT, seconds: TEXT, against: TEXT, from: TEXT };
  const switches = { quick: SWITCH, write: SWITCH, json: SWITCH, help: SWITCH };
  const { values } = parseArgs({ args, options: { ...texts, ...switches } });
  const { quick, only, engines, against, from } = values;
  const usual = quick ? QUICK : FULL;
  const names = WORKLOADS.map(({ name }) => name);
  const chosen = readChoices("--only", only, names);
  if (against !== undefined && !existsSync(join(against, "node_modules")))
    throw new Error("--against needs the folder of a checkout in which npm ci was run.");
  return {
    ...values,
    workloads: WORKLOADS.filter(({ name }) => chosen.includes(name)),
    engines: readChoices("--engines", engines, ENGINE_NAMES),
    conditions: {
      ...usual,
      rounds: readCount("--rounds", values.rounds, usual.rounds),
      seconds: readCount("--seconds", values.seconds, usual.seconds),
    },
    against: against === undefined ? undefined : resolve(against),
    from: from?.split(","),
    write: values.write || (!quick && (only ?? engines ?? against ?? from) === undefined),
  };
}

function readChoices<T extends string>(flag: string, text: string | undefined, choices: readonly T[]): T[] {
  const wanted = text?.split(",") ?? choices;
  const unknown = wanted.filter((name) => !choices.includes(name as T));
  if (unknown.length === 0) return choices.filter((name) => wanted.includes(name));
  throw new Error(`${flag} does not know ${unknown.join(", ")}. Allowed: ${choices.join(", ")}.`);
}

function readCount(flag: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error(`${flag} must be a whole number from 1 to 9999.`);
}
