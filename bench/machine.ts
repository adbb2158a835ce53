// The machine that a run was made on, so that nobody takes its numbers for another's.

import { execFileSync } from "node:child_process";
import { cpus, release, tmpdir, totalmem } from "node:os";
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
}

export function describeMachine(cores: Cores | undefined, withServers: boolean): Machine {
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
  };
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
