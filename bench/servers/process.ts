// Starts a server as a separate process on its own core and waits until it is ready.

import { call } from "../../test/harness/clients/call.ts";
import { findFreePort } from "../../test/harness/servers/ports.ts";
import { startProxyProcess } from "../../test/harness/servers/proxy-server.ts";
import type { Bench } from "../bench.ts";
import { onServerCore } from "../machine/cores.ts";

/** The cores that servers run on, their folder, and the context that stops them. */
export type Site = Pick<Bench, "cores" | "folder" | "t">;

export interface Server {
  url: string;
  key: string;
  /** Animals that it had at the start, with the ids from 1 on. */
  animals: number;
  /** The path of the page that starts after the animal with this id. */
  pageAfter(id: number): string;
  /** Rejects if the server is not fully healthy. */
  checkHealth?(): Promise<void>;
  /** The server whose responses it replays. */
  original?: Server;
}

/** Resolves to its URL when `readyPath` returns no error. `args` go to Node. */
export async function startProcess(
  { cores, t }: Site,
  program: { args: string[]; environment: Record<string, string>; readyPath: string; key?: string },
): Promise<string> {
  const port = String(await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const [command = "", ...args] = onServerCore(cores, [process.execPath, ...program.args]);
  // Without a developer's .env.
  const env = { PATH: process.env.PATH ?? "", ENV_FILE: "/dev/null", PORT: port, ...program.environment };
  return startProxyProcess(t, { program: command, args, env, endSignal: "SIGTERM" }, async () => {
    const { status } = await call("GET", url + program.readyPath, { key: program.key });
    if (status < 400) return url;
    throw new Error(`The server returned ${status}.`);
  });
}
