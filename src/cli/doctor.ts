// `doctor`: checks everything that the service depends on and says how to fix faults.

import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { type Command, readFlags } from "./command.ts";
import { examineRedis, examineStorage } from "./doctor-engines.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { print, printJson, printTable } from "./output.ts";

const NODE_MIN = "24.2";
const DISK_FREE_MIN = 100 * 2 ** 20;
const DISK_FREE_LOW = 2 ** 30;

export const doctor: Command = {
  name: "doctor",
  summary: "Check configuration, database, writes, Redis, clock and disk.",
  help: `Usage: npm run -s animal-store -- doctor [--deep] [--json]

Checks runtime, configuration, database, Redis if REDIS_URL is set, clock and disk, and prints how to fix faults. The
test write is rolled back, so nothing changes. Exits with 1 if there is a fault. Run it as the user of the service, or as
root, which then acts as the owner of the store's folder.

  --deep   also read the whole SQLite database and check its integrity; may take a while
  --json   print the findings as JSON`,
  async run(args) {
    const { flags } = readFlags(args, {
      json: { type: "boolean" },
      deep: { type: "boolean", default: false },
    });
    const findings = await examine({ deep: flags.deep });
    if (flags.json) printJson(findings);
    else printFindings(findings);
    const faults = findings.filter(({ result }) => result === "fault").length;
    if (faults > 0)
      throw new OperatorError(
        `${faults} of ${findings.length} checks found a fault. See the advice for each.`,
      );
  },
};

function printFindings(findings: Finding[]): void {
  printTable(
    ["CHECK", "RESULT", "DETAIL"],
    findings.map(({ check, result, detail }) => [check, result, detail]),
  );
  for (const { check, mend } of findings.filter(({ result }) => result !== "ok"))
    print(`\n${check}: ${mend}`);
}

/** Runs all checks. `env` replaces the environment of the process. */
export async function examine({ deep }: { deep: boolean }, env?: NodeJS.ProcessEnv): Promise<Finding[]> {
  const runtime = examineRuntime();
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = "Correct these variables; docs/operating.md lists them all.";
    return [runtime, fault("configuration", error.faults.join("; "), advice)];
  }
  const { database } = config;
  const disk = database.engine === "sqlite" ? [examineDisk(database.path)] : [];
  const engines = [...(await examineStorage(config, deep)), ...(await examineRedis(config))];
  return [runtime, ok("configuration", "valid"), ...engines, ...disk];
}

function examineRuntime(): Finding {
  const detail = `Node ${process.versions.node}`;
  const isNewEnough = process.versions.node.localeCompare(NODE_MIN, "en", { numeric: true }) >= 0;
  if (isNewEnough) return ok("runtime", detail);
  return fault("runtime", detail, `Use Node ${NODE_MIN} or newer: run "npm ci", then start through npm.`);
}

function examineDisk(databasePath: string): Finding {
  let folder = dirname(databasePath);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${(free / 2 ** 30).toFixed(1)} GiB free for ${folder}`;
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return fault(
      "disk",
      `${folder} cannot be written`,
      "Allow this user to write there, or set DATABASE_URL to another place.",
    );
  }
  if (free < DISK_FREE_MIN)
    return fault("disk", detail, "Free some space: writes fail when the disk is full.");
  return free < DISK_FREE_LOW
    ? warning("disk", detail, "Free some space before the disk is full.")
    : ok("disk", detail);
}
