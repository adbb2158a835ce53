// Finds TCP ports that are free at this moment.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Redis Cluster: each server also listens on the port 10,000 above its own. */
const BUS_OFFSET = 10_000;
const PORT_MAX = 65_535;

/** The system may choose a port again as soon as it is free. */
const chosen = new Set<number>();

/** A different port for each call. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (chosen.has(port)) continue;
    chosen.add(port);
    return port;
  }
}

/** A port for a server of a Redis Cluster. */
export async function findClusterPort(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    if (port + BUS_OFFSET > PORT_MAX) continue;
    const bus = await listenOnce(port + BUS_OFFSET).catch((error) => {
      if (error.code !== "EADDRINUSE") throw error;
    });
    if (bus !== undefined) return port;
  }
}

/** Resolves to the port, chosen by the system for 0; rejects if it is in use. */
async function listenOnce(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
