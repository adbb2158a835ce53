// Describes the machine of a run, because results of different machines cannot be compared.

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
  /** File system of the stores. In memory, fsync would cost nothing. */
  fileSystem: string;
  /** Whether the server had its own core. */
  isPinned: boolean;
  engines: string[];
}

export function describeMachine(cores: Cores | undefined, withServers: boolean): Machine {
  const processor =
    /^Model name:\s*(.+)$/m.exec(readOutput("lscpu", []))?.[1] ?? cpus()[0]?.model ?? "unknown";
  return {
    processor: `${processor} (${process.arch})`,
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    fileSystem: readOutput("df", ["--output=fstype", tmpdir()]).split("\n")[1] ?? "unknown",
    isPinned: cores !== undefined,
    engines: withServers ? [versionOf("postgres"), versionOf("redis")] : [],
  };
}

function versionOf(program: "postgres" | "redis"): string {
  const number = /\d+(?:\.\d+)+/.exec(readOutput(findProgram(program), ["--version"]))?.[0];
  return `${program === "postgres" ? "PostgreSQL" : "Redis"} ${number}`;
}

function readOutput(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });
  } catch {
    return "";
  }
}
