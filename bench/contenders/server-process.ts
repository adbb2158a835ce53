// Starts a server as a separate process on its own core and measures the time until it is ready.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { call } from "../../test/harness/call.ts";
import { findFreePort } from "../../test/harness/ports.ts";
import { onServerCore } from "../cores.ts";
import type { Bench } from "../measure/bench.ts";

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 5;
const IDLE_TIMEOUT_MS = 10_000;
const IDLE_CHECK_MS = 100;

export interface ServerSpec {
  /** Arguments of Node: flags, the program, its arguments. */
  args: (port: number) => string[];
  environment?: Record<string, string>;
  /** Returns 200 when the server is ready. */
  readyPath: string;
  key?: string;
}

export interface ServerProcess {
  url: string;
  readySeconds: number;
  residentMegabytes(): number;
  /** Resolves when the server has finished the rest of the last load, which would disturb the next measurement. */
  untilIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** The cores that servers run on, and the scope that stops them. */
export type Site = Pick<Bench, "cores" | "scope">;

export async function startServer({ cores, scope }: Site, spec: ServerSpec): Promise<ServerProcess> {
  const port = await findFreePort();
  const [program = "", ...args] = onServerCore(cores, [process.execPath, ...spec.args(port)]);
  const startMs = performance.now();
  const child = spawn(program, args, {
    // Without a developer's .env.
    env: { PATH: process.env.PATH, ENV_FILE: "/dev/null", PORT: String(port), ...spec.environment },
    stdio: "ignore",
  });
  scope.after(() => stop(child));
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, `${url}${spec.readyPath}`, spec.key);
  return {
    url,
    readySeconds: (performance.now() - startMs) / 1000,
    residentMegabytes: () => residentMegabytes(child.pid as number),
    untilIdle: () => untilIdle(child.pid as number),
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const killTimer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(killTimer);
}

async function untilReady(child: ChildProcess, url: string, key: string | undefined): Promise<void> {
  const endMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const status = await call("GET", url, { key }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    const command = child.spawnargs.join(" ");
    if (hasEnded(child)) throw new Error(`A server exited during its start: ${command}`);
    if (performance.now() > endMs)
      throw new Error(`A server did not become ready (last status ${status}): ${command}`);
    await pause(POLL_MS);
  }
}

async function untilIdle(pid: number): Promise<void> {
  const endMs = performance.now() + IDLE_TIMEOUT_MS;
  let before = -1;
  for (let used = usedTicks(pid); used - before > 1 && performance.now() < endMs; used = usedTicks(pid)) {
    before = used;
    await pause(IDLE_CHECK_MS);
  }
}

/** Processor time in ticks of 10 ms. */
function usedTicks(pid: number): number {
  // The process name before the bracket may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}
