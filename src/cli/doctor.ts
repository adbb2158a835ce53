// `doctor`: checks what the service stands on and says what to mend.

import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { inspect } from "../compose.ts";
import { type Config, ConfigError, nameDatabase, readConfig } from "../config.ts";
import { OperatorError, ServiceError } from "../domain/errors.ts";
import { type Command, readFlags } from "./command.ts";
import { print, printJson, printTable } from "./output.ts";

const NODE_MIN = "24.2";
const DISK_FREE_MIN = 100 * 2 ** 20;
const DISK_FREE_LOW = 2 ** 30;
/** No clock that is right shows a time before this release was made. */
const RELEASED_MS = Date.UTC(2026, 10, 1);
const CLOCK_TOLERANCE_MS = 60_000;

interface Finding {
  check: string;
  result: "ok" | "warning" | "fault";
  detail: string;
  mend: string;
}

export const doctor: Command = {
  name: "doctor",
  summary: "Check configuration, engine, schema, clock and disk.",
  help: `Usage: npm run -s animal-store -- doctor [--deep] [--json]

Checks without changing anything and prints what to mend. Exits with 1 when there is a fault.
  --deep   also reads the whole database and checks its integrity; may take a while`,
  async run(args) {
    const { flags } = readFlags(args, {
      json: { type: "boolean" },
      deep: { type: "boolean", default: false },
    });
    const findings = await examine(flags.deep);
    if (flags.json) printJson(findings);
    else printFindings(findings);
    const faults = findings.filter(({ result }) => result === "fault").length;
    if (faults > 0) throw new OperatorError(`${faults} of ${findings.length} checks found a fault.`);
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

async function examine(deep: boolean): Promise<Finding[]> {
  const runtime = examineRuntime();
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const detail = error.message
      .split("\n")
      .slice(1)
      .map((line) => line.trim())
      .join("; ");
    return [
      runtime,
      fault("configuration", detail, "Correct these variables; docs/operating.md lists them all."),
    ];
  }
  const { database } = config;
  const disk = database.engine === "sqlite" ? [examineDisk(database.path)] : [];
  return [runtime, ok("configuration", "valid"), ...(await examineStorage(config, deep)), ...disk];
}

function examineRuntime(): Finding {
  const detail = `Node ${process.versions.node}`;
  const isNewEnough = process.versions.node.localeCompare(NODE_MIN, "en", { numeric: true }) >= 0;
  if (isNewEnough) return ok("runtime", detail);
  return fault("runtime", detail, `Use Node ${NODE_MIN} or newer: run "npm ci", then start through npm.`);
}

async function examineStorage(config: Config, deep: boolean): Promise<Finding[]> {
  const name = nameDatabase(config);
  try {
    const { exists, engine, damage, ...found } = await inspect(config, { deep });
    if (!exists) return [ok("engine", `${engine}; ${name} will be made by the first start`), examineClock(0)];
    const [first = "", ...more] = damage;
    const mend = "Stop the service and restore a backup.";
    return [
      first === ""
        ? ok("engine", `${engine}; ${name} ${describeUse(found.isServed, deep)}`)
        : fault("engine", `${name} is damaged in ${more.length + 1} places: ${first.split("\n")[0]}`, mend),
      examineSchema(found.schemaVersion, found.knownVersion),
      examineClock(found.newestMs),
    ];
  } catch (error) {
    const cause = error instanceof ServiceError ? error.cause : error;
    const mend = `Check that ${name} is a database of this service that this user may read and write.`;
    return [fault("engine", (cause as Error).message, mend)];
  }
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
    return warning(
      "schema",
      detail,
      "The next start migrates it, or run: npm run -s animal-store -- migrate",
    );
  return ok("schema", detail);
}

function examineClock(newestMs: number): Finding {
  const nowMs = Date.now();
  const detail = new Date(nowMs).toISOString();
  if (nowMs >= Math.max(RELEASED_MS, newestMs - CLOCK_TOLERANCE_MS)) return ok("clock", detail);
  const mend = "The clock is behind what is stored, so limits and expiries go wrong. Set it, best by NTP.";
  return fault("clock", detail, mend);
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
      "Give this user the right to write there, or set DATABASE_URL.",
    );
  }
  if (free < DISK_FREE_MIN) return fault("disk", detail, "Make room: writes fail when the disk is full.");
  return free < DISK_FREE_LOW ? warning("disk", detail, "Make room before it is full.") : ok("disk", detail);
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
