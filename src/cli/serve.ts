// `serve`: runs the service until a signal stops it.

import type { Logger } from "pino";
import { type Config, getEnvFile, listSettingWarnings, readConfig } from "../config/config.ts";
import type { FirstKey } from "../domain/keys/key-ring.ts";
import { createLog } from "../log/log.ts";
import { createOutput, openStandard } from "../log/output.ts";
import { createService, type Service } from "../service/service.ts";
import { COMMAND, VERSION } from "../tools/program.ts";
import { defineCommand } from "./command.ts";
import { explainListenError, isLoopback } from "./listen-faults.ts";
import { stopInTime, untilLauncherEnds, untilOrphaned, untilSignal } from "./signals.ts";

const STANDARD_OUTPUT = 1;

export const command = defineCommand({
  help: `Usage: ${COMMAND} serve

Runs the service until SIGTERM or SIGINT. It then finishes running requests, within 10 s after DRAIN_SECONDS, and exits
with 0. A second signal ends it immediately. If no admin key is active, as on a new store, it creates one and prints it
once, unless ADMIN_API_KEY is set. It does not start on a store that it cannot write, or on another program's database.`,
  options: {},
  async run() {
    const config = readConfig();
    const { close: closeLog, ...logging } = createLog(config.logLevel);
    const { log } = logging;
    logWarningsAndCrashes(log);
    logEnvFile(log);
    // Before anything else, so that a signal during the start is not lost.
    const stopRequests = [untilSignal(), untilLauncherEnds()];
    if (config.isStartedByNpm) stopRequests.push(untilOrphaned());
    const service = await createService(config, logging);
    const address = await listen(service, config.port);
    log.info(describeNode(config, address), "started");
    if (config.publicUrl === undefined && !isLoopback(config.host)) {
      log.warn(
        { address },
        "PUBLIC_URL is not set, so links in responses begin with this address; set it to the address that clients use",
      );
    }
    try {
      const urls = { address, publicUrl: config.publicUrl ?? address };
      await printWelcome(describeStart(urls, await service.createFirstKey()));
      const reason = await Promise.race(stopRequests);
      log.info({ reason }, "stopping");
    } finally {
      await stopInTime(service, config.drainMs);
      log.info("stopped");
      await closeLog();
    }
  },
});

/** The log line of the start. It has no addresses of engines, which may hold passwords. */
function describeNode({ database, redisUrl }: Config, address: string) {
  const gate = redisUrl === undefined ? "in-process" : "redis";
  return { version: VERSION, node: process.versions.node, engine: database.engine, gate, address };
}

async function listen(service: Service, port: number): Promise<string> {
  try {
    return await service.listen();
  } catch (error) {
    await service.stop();
    throw explainListenError(error, port) ?? error;
  }
}

/** Names only: the values may be secret. */
function logEnvFile(log: Logger): void {
  const { path, names = [] } = getEnvFile() ?? {};
  if (names.length > 0) log.info({ file: path, settings: names }, "settings read from a file");
  for (const { problem, advice } of listSettingWarnings()) log.warn(`${problem}. ${advice}`);
}

/** Node itself would write these to standard error, and block while the reader is slow. */
function logWarningsAndCrashes(log: Logger): void {
  process.removeAllListeners("warning");
  process.on("warning", (err) => log.warn({ err }, "warning from Node"));
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "uncaught exception; the service ends");
    process.exit(1);
  });
}

/** Unlike `print`, it does not fail when standard output is closed: the service keeps running. */
async function printWelcome(text: string): Promise<void> {
  const output = createOutput(openStandard(STANDARD_OUTPUT), () => "");
  output.write(`${text}\n`);
  await output.close();
}

function describeStart(
  { address, publicUrl }: { address: string; publicUrl: string },
  first: FirstKey | undefined,
): string {
  const listening = `Animal Store ${VERSION} listens on ${address} (console: ${publicUrl}/, reference: ${publicUrl}/docs)`;
  if (first === undefined) return listening;
  const why = first.isStoreNew
    ? "This store is new. Its first key"
    : "No admin key of this store is active. A new key";
  return `${listening}

${why}, with access "admin", is shown only once:

  ${first.secret}

Try it:

  curl -H "Authorization: Bearer ${first.secret}" ${address}/v1/pets

Other commands: ${COMMAND} --help
`;
}
