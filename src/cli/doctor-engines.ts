// The checks of `doctor` on the database and on Redis.

import { inspect, inspectRedis } from "../command-stores.ts";
import { type Config, describeDatabase, describeRedis } from "../config.ts";
import { ServiceError } from "../domain/errors.ts";
import { ExplainedError } from "../tools/operator-error.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** A correct clock is later than the date of this release. */
const RELEASED_MS = Date.UTC(2026, 10, 1);
const CLOCK_TOLERANCE_MS = 60_000;

export async function examineStorage(config: Config, deep: boolean): Promise<Finding[]> {
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
export async function examineRedis(config: Config): Promise<Finding[]> {
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
  return "Start Redis, or correct REDIS_URL. Until then each node applies its share of the limits.";
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
  const mend =
    "The clock is behind the times in the data, so limits and expiries are wrong. Correct it; use NTP.";
  return fault("clock", detail, mend);
}
