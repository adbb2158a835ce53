// Animal Store itself, started like npm start, on an existing store.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeCursor } from "../../src/domain/page.ts";
import { call } from "../../test/harness/call.ts";
import type { Store } from "../data/stores.ts";
import type { Addresses } from "../load/requests.ts";
import type { Contender } from "./contender.ts";
import { type ServerProcess, type Site, startServer } from "./server-process.ts";

const ROOT = join(import.meta.dirname, "../..");

export const SERVICE_ADDRESSES: Addresses = {
  firstPage: "/v1/pets?status=available",
  pageAfter: (id) => `/v1/pets?cursor=${encodeCursor("pets", BigInt(id))}`,
  pet: (id) => `/v1/pets/${id}`,
  pets: "/v1/pets",
};

/** `root` is the folder of a release; default: this one. */
export function startServiceProcess(site: Site, store: Store, root = ROOT): Promise<ServerProcess> {
  const args = readStartArguments(root);
  return startServer(site, { args: () => args, environment: store.environment, readyPath: "/readyz" });
}

/** The arguments of the last command of `npm start`, which starts the service. */
function readStartArguments(root: string): string[] {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    .scripts.start.replace(/^.*&& node /, "")
    .split(" ")
    .map((word: string) => (word.endsWith(".ts") ? join(root, word) : word));
}

/** Rejects if a node is not fully healthy: a degraded one takes other code paths than the ones to be measured. */
export async function requireReady(url: string): Promise<void> {
  const { status, text } = await call("GET", `${url}/readyz`);
  if (status !== 200 || JSON.parse(text).status !== "ready") throw new Error(`/readyz says ${text}`);
}

export async function startService(site: Site, store: Store, name = "service"): Promise<Contender> {
  const server = await startServiceProcess(site, store);
  return {
    name,
    server,
    key: store.key,
    addresses: SERVICE_ADDRESSES,
    checkHealth: () => requireReady(server.url),
  };
}
