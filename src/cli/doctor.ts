// `doctor`: checks everything that the service depends on, and says how to fix it and what the next start would do.

import { type Config, ConfigError, getEnvFile, listSettingWarnings, readConfig } from "../config/config.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { COMMAND, NODE_MIN, VERSION } from "../tools/program.ts";
import { defineCommand, SWITCH } from "./command.ts";
import { type AddressState, describeAddress, inspectAddress, servesStore } from "./doctor/address.ts";
import { type DatabaseFindings, examineDatabase } from "./doctor/database.ts";
import { type Finding, fault, inTime, ok, printFindings, warning } from "./doctor/finding.ts";
import { examineDisk, examinePhotos, PHOTOS_SILENT } from "./doctor/machine.ts";
import { describeKeys, describeStart, examineSettings } from "./doctor/next-start.ts";
import { examineRedis } from "./doctor/redis.ts";
import { examineWebhooks } from "./doctor/webhooks.ts";
import { printJson } from "./output.ts";

/** Limit of each check of a partner: the database, Redis and the port are checked at the same time. */
const LIMIT_MS = 8_000;
const SILENT = `no answer within ${LIMIT_MS / 1_000} s`;
const SILENT_ADVICE = "Check that it is not frozen and that no firewall drops its packets.";

export const command = defineCommand({
  help: `Usage: ${COMMAND} doctor [--deep] [--json]

Checks runtime, configuration, database, Redis if REDIS_URL is set, clock, disk, photos, HOST and PORT, says what the
next start would do, and prints how to fix each problem. The test write is rolled back, so nothing changes. It takes at
most 10 s, without --deep. Run it with the settings and as the user of the service.

  --deep   also read the whole SQLite database and check its integrity; may take a while
  --json   print the findings as JSON: check, result (ok, warning, fault), detail, and in "mend" how to fix it

Exits with 1 if there is a fault, which needs action, and with 0 if there are only warnings.`,
  options: { deep: SWITCH, json: SWITCH },
  async run({ deep, json }) {
    const findings = await examine({ deep });
    if (json) printJson(findings);
    else printFindings(findings);
    const faults = findings.filter(({ result }) => result === "fault").length;
    if (faults > 0)
      throw new OperatorError(
        `${faults} of ${findings.length} checks found a fault. See the advice for each.`,
      );
  },
});

/** Runs all checks. `env` replaces the environment of the process. */
export async function examine({ deep }: { deep: boolean }, env?: NodeJS.ProcessEnv): Promise<Finding[]> {
  const program = [ok("version", `Animal Store ${VERSION}`), examineRuntime()];
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...program, fault("configuration", error.faults.join("; "), ConfigError.advice)];
  }
  return [...program, ...(await examinePartners(config, deep))];
}

async function examinePartners(config: Config, deep: boolean): Promise<Finding[]> {
  // First, since SQLite blocks the process, which would use up the time limits of the others.
  const examined = inTime<DatabaseFindings>(examineDatabase(config, deep), LIMIT_MS, {
    findings: [fault("engine", SILENT, SILENT_ADVICE)],
    state: undefined,
  });
  const [stored, redis, address, photos] = await Promise.all([
    examined,
    inTime(examineRedis(config), LIMIT_MS, fault("redis", SILENT, SILENT_ADVICE)),
    inTime<AddressState>(inspectAddress(config), LIMIT_MS, { error: new Error(SILENT), running: undefined }),
    inTime(examinePhotos(), LIMIT_MS, PHOTOS_SILENT),
  ]);
  const { database } = config;
  const store = stored.state;
  const isRunning = servesStore(address.running, store);
  const findings = [
    ...examineConfiguration(),
    ...examineSettings(config, store),
    ...stored.findings,
    await examineWebhooks(config, store),
    photos,
    redis,
    database.engine === "sqlite" ? examineDisk(database.path) : undefined,
    describeAddress(config, address, store),
    describeKeys(config, store),
  ].filter((each) => each !== undefined);
  return [...findings, describeStart({ config, store, isRunning, findings })];
}

/** Reports a valid configuration with the names of its settings, never their values: these may be secret. */
function examineConfiguration(): Finding[] {
  const { path, names = [] } = getEnvFile() ?? {};
  const detail = names.length === 0 ? "valid" : `valid; ${names.join(", ")} from ${path}`;
  return [
    ok("configuration", detail),
    ...listSettingWarnings().map(({ problem, advice }) => warning("configuration", problem, advice)),
  ];
}

function examineRuntime(): Finding {
  const detail = `Node ${process.versions.node}`;
  const isNewEnough = process.versions.node.localeCompare(NODE_MIN, "en", { numeric: true }) >= 0;
  if (isNewEnough) return ok("runtime", detail);
  const mend = `Install Node ${NODE_MIN} or newer, or use the Node that npm installs: ${COMMAND} doctor`;
  return fault("runtime", detail, mend);
}
