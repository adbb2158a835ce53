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
/** The arguments of the last command of `npm start`, which starts the service. */
const START: string[] = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  .scripts.start.replace(/^.*&& node /, "")
  .split(" ")
  .map((word: string) => (word.endsWith(".ts") ? join(ROOT, word) : word));

export const SERVICE_ADDRESSES: Addresses = {
  firstPage: "/v1/pets?status=available",
  pageAfter: (id) => `/v1/pets?cursor=${encodeCursor("pets", BigInt(id))}`,
  pet: (id) => `/v1/pets/${id}`,
  pets: "/v1/pets",
};

export function startServiceProcess(site: Site, store: Store): Promise<ServerProcess> {
  return startServer(site, { args: () => START, environment: store.environment, readyPath: "/readyz" });
}

export async function startService(site: Site, store: Store, name = "service"): Promise<Contender> {
  const server = await startServiceProcess(site, store);
  return {
    name,
    server,
    key: store.key,
    addresses: SERVICE_ADDRESSES,
    async checkHealth() {
      const { status, text } = await call("GET", `${server.url}/readyz`);
      // A degraded service takes other code paths than the ones to be measured.
      if (status !== 200 || JSON.parse(text).status !== "ready") throw new Error(`/readyz says ${text}`);
    },
  };
}
