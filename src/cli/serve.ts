// `serve`: runs the service until it is told to stop.

import type { Logger } from "pino";
import { readConfig } from "../config.ts";
import type { FirstKey } from "../domain/keys/key-ring.ts";
import { createLog } from "../log.ts";
import { createService, type Service } from "../service.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { openOutlet } from "../tools/outlet.ts";
import { createOutput } from "../tools/output.ts";
import { type Command, readFlags } from "./command.ts";

/** A stop takes 10 s at most: past this, connections that still hold a request are cut. */
const STOP_PATIENCE_MS = 8_000;

const STANDARD_OUTPUT = 1;
const LOOPBACK = /^(127\.|::1$)/;
/** npm is stopped by signals that its shell does not pass on: the service then goes with its parent. */
const PARENT_CHECK_MS = 250;

export const serve: Command = {
  name: "serve",
  summary: "Run the service (npm start does this).",
  help: `Usage: npm run -s animal-store -- serve

Runs the service until SIGTERM or SIGINT: then it finishes the requests that run, within 10 s after DRAIN_SECONDS, and exits with 0.
A second signal ends it at once. Where no admin key is active, as on a new store, it makes one and prints it, once; not
with ADMIN_API_KEY set. It refuses to start on a store that it cannot write, or on a database of another program.`,
  async run(args) {
    readFlags(args, {});
    const config = readConfig();
    const { log, logLinesDropped, close: closeLog } = createLog(config.logLevel);
    takeOverReports(log);
    // From the very start: neither a signal nor the end of npm may fall between two lines.
    const toldToStop = [untilSignal(), ...(config.isStartedByNpm ? [untilOrphaned()] : [])];
    const service = await createService(config, { log, logLinesDropped });
    const address = await listen(service);
    if (config.publicUrl === undefined && !LOOPBACK.test(config.host)) {
      log.warn(
        { address },
        "PUBLIC_URL is not set: links in answers lead to this address, also for clients elsewhere",
      );
    }
    try {
      const places = { address, publicUrl: config.publicUrl ?? address };
      await greet(welcome(places, await service.createFirstKey()));
      const reason = await Promise.race(toldToStop);
      log.info({ reason }, "stopping");
    } finally {
      const impatience = setTimeout(
        () => service.app.server.closeAllConnections(),
        STOP_PATIENCE_MS + config.drainMs,
      );
      await service.stop();
      clearTimeout(impatience);
      log.info("stopped");
      await closeLog();
    }
  },
};

async function listen(service: Service): Promise<string> {
  try {
    return await service.listen();
  } catch (error) {
    await service.stop();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new OperatorError(`${message}. Stop what listens there, or set PORT to another.`);
    if (code === "EACCES")
      throw new OperatorError(`${message}. Ports below 1024 need privileges; set PORT to another.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new OperatorError(`${message}. Set HOST to an address of this machine.`);
    }
    throw error;
  }
}

/** Node would write these to standard error by itself, and wait there for a reader. */
function takeOverReports(log: Logger): void {
  process.removeAllListeners("warning");
  process.on("warning", (err) => log.warn({ err }, "Node warns"));
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "an error that nobody has caught ends the service");
    process.exit(1);
  });
}

/** Not as commands print: a service without a reader goes on. */
async function greet(text: string): Promise<void> {
  const output = createOutput(openOutlet(STANDARD_OUTPUT), () => "");
  output.write(`${text}\n`);
  await output.close();
}

function welcome(
  { address, publicUrl }: { address: string; publicUrl: string },
  first: FirstKey | undefined,
): string {
  const listening = `Animal Store listens on ${address} (console: ${publicUrl}/, reference: ${publicUrl}/docs)`;
  if (first === undefined) return listening;
  const why = first.isStoreNew
    ? "This store is new. Its first key"
    : "No admin key of this store is active. A new one";
  return `${listening}

${why}, with access "admin", is shown this once:

  ${first.secret}

Try it:

  curl -H "Authorization: Bearer ${first.secret}" ${address}/v1/pets
`;
}

/** For a service that npm has started; elsewhere a parent may well end before its service. */
function untilOrphaned(): Promise<string> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve("npm has ended");
    }, PARENT_CHECK_MS);
    timer.unref();
  });
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const take = (signal: NodeJS.Signals) => {
      for (const each of ["SIGTERM", "SIGINT"] as const) {
        process.removeListener(each, take);
        process.once(each, () => process.exit(1));
      }
      resolve(signal);
    };
    process.once("SIGTERM", take);
    process.once("SIGINT", take);
  });
}
