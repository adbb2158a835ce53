// A server as a process of its own on the server's core, quiet, timed from its start until it answers.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { call } from "../../test/harness/call.ts";
import { findFreePort } from "../../test/harness/ports.ts";
import { onServerCore } from "../cores.ts";
import type { Bench } from "../measure/bench.ts";

const START_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 10_000;
const ASK_EVERY_MS = 5;
const IDLE_PATIENCE_MS = 10_000;
const IDLE_CHECK_MS = 100;

export interface ServerSpec {
  /** What Node is started with: flags, the program, its arguments. */
  args: (port: number) => string[];
  environment?: Record<string, string>;
  /** Answers 200 once the server can serve. */
  readyPath: string;
  key?: string;
}

export interface ServerProcess {
  url: string;
  readySeconds: number;
  residentMegabytes(): number;
  /** Resolves once it has worked off what was left of the last load, lest it disturb the next server's. */
  untilIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Where servers run, and with what they end. */
export type Site = Pick<Bench, "cores" | "scope">;

export async function startServer({ cores, scope }: Site, spec: ServerSpec): Promise<ServerProcess> {
  const port = await findFreePort();
  const [program = "", ...args] = onServerCore(cores, [process.execPath, ...spec.args(port)]);
  const startMs = performance.now();
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, PORT: String(port), ...spec.environment },
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
  const impatience = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS);
  await ended;
  clearTimeout(impatience);
}

async function untilReady(child: ChildProcess, url: string, key: string | undefined): Promise<void> {
  const endMs = performance.now() + START_PATIENCE_MS;
  for (;;) {
    const status = await call("GET", url, { key }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    const command = child.spawnargs.join(" ");
    if (hasEnded(child)) throw new Error(`A server ended at its start: ${command}`);
    if (performance.now() > endMs) throw new Error(`A server never was ready (${status}): ${command}`);
    await pause(ASK_EVERY_MS);
  }
}

async function untilIdle(pid: number): Promise<void> {
  const endMs = performance.now() + IDLE_PATIENCE_MS;
  let before = -1;
  for (let used = usedTicks(pid); used - before > 1 && performance.now() < endMs; used = usedTicks(pid)) {
    before = used;
    await pause(IDLE_CHECK_MS);
  }
}

/** Processor time in ticks of 10 ms. */
function usedTicks(pid: number): number {
  // The name before the bracket may hold spaces.
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
