// Assigns one core to the server under test and the others to the load and the engines, and describes the machine.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";

const TASKSET = "/usr/bin/taskset";

export type Cores = { server: number[]; others: number[] };

/** Undefined with only one core, or without taskset: then nothing is pinned. */
export function splitCores(): Cores | undefined {
  const status = readFileSync("/proc/self/status", "utf8");
  const [server, ...others] = expandList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "");
  if (server === undefined || others.length === 0 || !existsSync(TASKSET)) return undefined;
  return { server: [server], others };
}

/** Moves this process, and all processes it starts from now on, off the server's core. */
export function leaveServerCore({ others }: Cores): void {
  execFileSync(TASKSET, ["-a", "-c", "-p", others.join(","), String(process.pid)], { stdio: "ignore" });
}

/** The command that runs `command` on the server's core. */
export function onServerCore(cores: Cores | undefined, command: string[]): string[] {
  return cores === undefined ? command : [TASKSET, "-c", cores.server.join(","), ...command];
}

/** The same with all cores for the server. */
export function joinCores(cores: Cores | undefined): Cores | undefined {
  return cores && { ...cores, server: [...cores.server, ...cores.others] };
}

/** "0-2,5" → 0, 1, 2, 5 */
function expandList(list: string): number[] {
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return range === "" ? [] : Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** Results of different machines cannot be compared. */
export function describeMachine(cores: Cores | undefined): string {
  // In memory, fsync would cost nothing.
  const [, fileSystem] = execFileSync("df", ["--output=fstype", tmpdir()], { encoding: "utf8" }).split("\n");
  const hardware = `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const pinned = cores ? "the server has its own core" : "no process is pinned to a core";
  return `${hardware}, Linux ${release()}, Node ${process.version}, stores on ${fileSystem}; ${pinned}`;
}
