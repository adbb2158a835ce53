// The machine that a run was made on, so that nobody takes its numbers for another's.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { findProgram } from "../test/harness/packages.ts";
import type { Cores } from "./cores.ts";

export interface Machine {
  processor: string;
  cores: number;
  memoryGigabytes: number;
  kernel: string;
  node: string;
  /** Of the folder that holds the stores: on one in memory, fsync costs nothing. */
  fileSystem: string;
  /** Whether the server had a core for itself. */
  isPinned: boolean;
  engines: string[];
  /** What others used of all cores just before the run, from 0 to 1. */
  busyShare: number;
}

const BUSY_CHECK_MS = 2_000;

export async function describeMachine(cores: Cores | undefined, withServers: boolean): Promise<Machine> {
  const processor = /^Model name:\s*(.+)$/m.exec(ask("lscpu", []))?.[1] ?? cpus()[0]?.model ?? "unknown";
  return {
    processor: `${processor} (${process.arch})`,
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    fileSystem: ask("df", ["--output=fstype", tmpdir()]).split("\n")[1] ?? "unknown",
    isPinned: cores !== undefined,
    engines: withServers ? [versionOf("postgres"), versionOf("redis")] : [],
    busyShare: await measureBusyShare(),
  };
}

async function measureBusyShare(): Promise<number> {
  const before = readTicks();
  await pause(BUSY_CHECK_MS);
  const after = readTicks();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function readTicks(): { idle: number; all: number } {
  const [, ...ticks] = readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/\s+/) ?? [];
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, ...rest] = ticks.map(Number);
  // The last two are guests, which `user` and `nice` hold already.
  const all = [user, nice, system, idle, wait, ...rest.slice(0, 3)].reduce((sum, part) => sum + part, 0);
  return { idle: idle + wait, all };
}

function versionOf(program: "postgres" | "redis"): string {
  const number = /\d+(?:\.\d+)+/.exec(ask(findProgram(program), ["--version"]))?.[0];
  return `${program === "postgres" ? "PostgreSQL" : "Redis"} ${number}`;
}

function ask(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });
  } catch {
    return "";
  }
}
