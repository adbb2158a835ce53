// Finds TCP ports that are free at this moment.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections, which could take a chosen port before its server does. */
const FIRST = 11_000;
const LAST = 21_999;
/** Redis Cluster: each server also listens on the port 10,000 above its own. */
const BUS_OFFSET = 10_000;

const chosen = new Set<number>();

/** A different port for each call. Random, because other processes of the test run choose too. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if (chosen.has(port) || !(await isFree(port))) continue;
    chosen.add(port);
    return port;
  }
}

/** A port for a server of a Redis Cluster. */
export async function findClusterPort(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    if (await isFree(port + BUS_OFFSET)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}
