// The check of HOST and PORT: free, used by this service, or used by another program.

import { createServer } from "node:net";
import type { Config } from "../../config/config.ts";
import { formatUrl } from "../../tools/local-url.ts";
import { VERSION } from "../../tools/program.ts";
import { explainListenError } from "../listen-faults.ts";
import type { StoreState } from "./database.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { findRunningStore, type RunningStore } from "./probe.ts";

export interface AddressState {
  /** Why listening fails; undefined if the address is free. */
  error: Error | undefined;
  /** The Animal Store that uses the address. */
  running: RunningStore | undefined;
}

/** Listens for a moment, because only that shows whether the address can be used. */
export async function inspectAddress({ host, port }: Config): Promise<AddressState> {
  const error = await tryListen(host, port);
  const isUsed = (error as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
  return { error, running: isUsed ? await findRunningStore(formatUrl(host, port)) : undefined };
}

function tryListen(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

export function describeAddress(
  { host, port }: Config,
  { error, running }: AddressState,
  store: StoreState | undefined,
): Finding {
  const url = formatUrl(host, port);
  if (error === undefined) {
    return ok("address", port === 0 ? `HOST ${host}; each start chooses a free port` : `${url} is free`);
  }
  const { problem, advice } = explainListenError(error, port) ?? {
    problem: error.message,
    advice: "Correct HOST and PORT.",
  };
  if (running === undefined) {
    const isUsed = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    return fault("address", isUsed ? `another program uses ${url}` : problem, advice);
  }
  if (servesStore(running, store)) return describeRunning(url, running);
  return fault("address", `an Animal Store with another store uses ${url}`, advice);
}

/** True also where neither side knows its store, as with release 1.0 on PostgreSQL. */
export function servesStore(
  running: RunningStore | undefined,
  store: StoreState | undefined,
): running is RunningStore {
  if (running === undefined) return false;
  if (running.storeId !== undefined && store?.storeId !== undefined) return running.storeId === store.storeId;
  // A store without a running service, or one that does not exist yet.
  return store === undefined || (store.isServed ?? store.schemaVersion > 0);
}

function describeRunning(url: string, { version, status, reasons }: RunningStore): Finding {
  const release = version === undefined ? "an older version" : `version ${version}`;
  const other = version === undefined || version === VERSION ? "" : ` (this is ${VERSION})`;
  const detail = `this service answers at ${url}, ${release}${other}, ${status}`;
  if (status === "ready") return ok("address", detail);
  const mend =
    "Fix the faults that the other checks report. The service recovers by itself; if not, see its log.";
  return warning("address", [detail, ...reasons].join("; "), mend);
}
