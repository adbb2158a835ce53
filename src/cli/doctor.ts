// `doctor`: checks everything that the service depends on and says how to fix faults.

import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { inspect, inspectRedis } from "../command-stores.ts";
import {
  type Config,
  ConfigError,
  describeDatabase,
  describeRedis,
  getEnvFile,
  readConfig,
} from "../config.ts";
import { ServiceError } from "../domain/errors.ts";
import { ExplainedError, OperatorError } from "../tools/operator-error.ts";
import { COMMAND, VERSION } from "../tools/program.ts";
import { type Command, readFlags, SWITCH } from "./command.ts";
import { print, printJson, printTable } from "./output.ts";

const NODE_MIN = "24.2";
const DISK_FREE_MIN = 100 * 2 ** 20;
const DISK_FREE_LOW = 2 ** 30;
/** A correct clock is later than the date of this release. */
const RELEASED_MS = Date.UTC(2026, 10, 1);
const CLOCK_TOLERANCE_MS = 60_000;

export interface Finding {
  check: string;
  result: "ok" | "warning" | "fault";
  detail: string;
  /** How to fix it; empty for "ok". */
  mend: string;
}

export const doctor: Command = {
  name: "doctor",
  summary: "Check configuration, database, writes, Redis, clock and disk.",
  help: `Usage: ${COMMAND} doctor [--deep] [--json]

Checks runtime, configuration, database, Redis if REDIS_URL is set, clock and disk, and prints how to fix faults. The
test write is rolled back, so nothing changes. Exits with 1 if there is a fault. Run it as the user of the service, or as
root, which then acts as the owner of the store's folder.

  --deep   also read the whole SQLite database and check its integrity; may take a while
  --json   print the findings as JSON`,
  async run(args) {
    const { flags } = readFlags(args, { deep: SWITCH, json: SWITCH });
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
  const program = [ok("version", `Animal Store ${VERSION}`), examineRuntime()];
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = "Correct these variables; docs/operating.md lists them all.";
    return [...program, fault("configuration", error.faults.join("; "), advice)];
  }
  const { database } = config;
  const disk = database.engine === "sqlite" ? [examineDisk(database.path)] : [];
  const engines = [...(await examineStorage(config, deep)), ...(await examineRedis(config))];
  return [...program, ...examineSettings(), ...engines, ...disk];
}

/** Of a valid configuration. Shows only names of settings: the values may be secret. */
function examineSettings(): Finding[] {
  const { path, names = [], warnings = [] } = getEnvFile() ?? {};
  const detail = names.length === 0 ? "valid" : `valid; ${names.join(", ")} from ${path}`;
  return [
    ok("configuration", detail),
    ...warnings.map(({ problem, advice }) => warning("configuration", problem, advice)),
  ];
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

async function examineStorage(config: Config, deep: boolean): Promise<Finding[]> {
  const name = describeDatabase(config);
  try {
    const { exists, engine, damage, writeFault, exposure, ...found } = await inspect(config, { deep });
    if (!exists)
      return [ok("engine", `${engine}; ${name} will be created by the first start`), examineClock(0)];
    const [first = "", ...more] = damage;
    const mend = "Stop the service and restore a backup.";
    return [
      first === ""
        ? ok("engine", `${engine}; ${name} ${describeUse(found.isServed, deep)}`)
        : fault("engine", `${name} is damaged in ${more.length + 1} places: ${first.split("\n")[0]}`, mend),
      writeFault === undefined
        ? ok("writes", "a test write succeeded and was rolled back")
        : fault("writes", writeFault.problem, writeFault.advice),
      ...(exposure === undefined ? [] : [warning("privacy", exposure.problem, exposure.advice)]),
      examineSchema(found.schemaVersion, found.knownVersion),
      examineClock(found.newestMs),
    ];
  } catch (error) {
    if (error instanceof ExplainedError) return [fault("engine", error.problem, error.advice)];
    const cause = error instanceof ServiceError ? error.cause : error;
    const mend = `Check that ${name} is a database of this service that this user may read and write.`;
    return [fault("engine", (cause as Error).message, mend)];
  }
}

/** Empty without REDIS_URL. The address is shown without its password. */
async function examineRedis(config: Config): Promise<Finding[]> {
  if (config.redisUrl === undefined) return [];
  const name = describeRedis(config.redisUrl);
  try {
    const { server, policy } = await inspectRedis(config, config.redisUrl);
    const detail = `${server}; ${name} answers, takes writes and runs scripts`;
    if (!policy.startsWith("allkeys")) return [ok("redis", detail)];
    const mend =
      "Redis may delete counts that are in use. Set maxmemory-policy to volatile-ttl or noeviction.";
    return [warning("redis", `${detail}; maxmemory-policy is ${policy}`, mend)];
  } catch (error) {
    return [fault("redis", `${name}: ${(error as Error).message}`, adviseRedis(error as Error))];
  }
}

function adviseRedis({ message }: Error): string {
  if (/NOAUTH|WRONGPASS|NOPERM/.test(message))
    return "Correct user and password in REDIS_URL. The user needs all commands on keys that begin with animal-store:.";
  if (/READONLY/.test(message)) return "This server is a replica: set REDIS_URL to the primary server.";
  if (/OOM/.test(message))
    return "The memory of Redis is full: raise maxmemory, or set maxmemory-policy to volatile-ttl.";
  return "Start Redis, or correct REDIS_URL. Until then each node admits its share of the limits.";
}

function describeUse(isServed: boolean | undefined, deep: boolean): string {
  const depth = deep && isServed !== undefined ? "integrity checked" : "readable";
  if (isServed === undefined) return depth;
  return `${depth}, ${isServed ? "being served" : "not being served"}`;
}

function examineSchema(version: number, known: number): Finding {
  const detail = `version ${version}, this release has ${known}`;
  if (version > known) return fault("schema", detail, "Run the newer release again, or restore a backup.");
  if (version < known)
    return warning("schema", detail, `The next start migrates it, or run: ${COMMAND} migrate`);
  return ok("schema", detail);
}

function examineClock(newestMs: number): Finding {
  const nowMs = Date.now();
  const detail = new Date(nowMs).toISOString();
  if (nowMs >= Math.max(RELEASED_MS, newestMs - CLOCK_TOLERANCE_MS)) return ok("clock", detail);
  const mend =
    "The clock is behind the times in the data, so limits and expiries are wrong. Correct it; use NTP.";
  return fault("clock", detail, mend);
}

function ok(check: string, detail: string): Finding {
  return { check, result: "ok", detail, mend: "" };
}

function warning(check: string, detail: string, mend: string): Finding {
  return { check, result: "warning", detail, mend };
}

function fault(check: string, detail: string, mend: string): Finding {
  return { check, result: "fault", detail, mend };
}
