// `serve`: runs the service until it is told to stop.

import { composeService, type Service } from "../compose.ts";
import { readConfig } from "../config.ts";
import type { IssuedKey } from "../domain/key-ring.ts";
import { createLog } from "../log.ts";
import { type Command, CommandError, readFlags } from "./command.ts";
import { print } from "./output.ts";

/** A stop takes 10 s at most: past this, connections that still hold a request are cut. */
const STOP_PATIENCE_MS = 8_000;

export const serve: Command = {
  name: "serve",
  summary: "Run the service (npm start does this).",
  help: `Usage: npm run -s animal-store -- serve

Runs the service until SIGTERM or SIGINT: then it finishes the requests that run, within 10 s, and exits with 0.
A second signal ends it at once. The first start on an empty store prints an admin key, once.`,
  async run(args) {
    readFlags(args, {});
    const config = readConfig(process.env);
    const log = createLog(config.logLevel);
    const service = await composeService(config, { log });
    const address = await listen(service);
    log.info({ address, database: config.databasePath, environment: config.environment }, "listening");
    print(welcome(address, await service.createFirstKey()));
    const signal = await untilSignal();
    log.info({ signal }, "stopping");
    const impatience = setTimeout(() => service.app.server.closeAllConnections(), STOP_PATIENCE_MS);
    await service.stop();
    clearTimeout(impatience);
    log.info("stopped");
  },
};

async function listen(service: Service): Promise<string> {
  try {
    return await service.listen();
  } catch (error) {
    await service.stop();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new CommandError(`${message}. Stop what listens there, or set PORT to another.`);
    if (code === "EACCES")
      throw new CommandError(`${message}. Ports below 1024 need privileges; set PORT to another.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new CommandError(`${message}. Set HOST to an address of this machine.`);
    }
    throw error;
  }
}

function welcome(address: string, first: IssuedKey | undefined): string {
  const listening = `Animal Store listens on ${address} (reference: ${address}/docs)`;
  if (first === undefined) return listening;
  return `${listening}

This store is new. Its first key, with access "admin", is shown this once:

  ${first.secret}

Try it:

  curl -H "Authorization: Bearer ${first.secret}" ${address}/v1/pets
`;
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
