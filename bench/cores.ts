// Assigns one core to the server under test, and the others to the load and the engines.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const TASKSET = "/usr/bin/taskset";

export interface Cores {
  server: number[];
  others: number[];
}

/** Undefined with only one core, or without taskset: then nothing is pinned. */
export function splitCores(): Cores | undefined {
  const status = readFileSync("/proc/self/status", "utf8");
  const [server, ...others] = expandList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "");
  if (server === undefined || others.length === 0 || !existsSync(TASKSET)) return undefined;
  // A hyper-threading sibling shares the physical core; avoid it if there are others.
  const siblings = listSiblings(server);
  const apart = others.filter((core) => !siblings.includes(core));
  return { server: [server], others: apart.length > 0 ? apart : others };
}

/** Moves this process, and all processes it starts from now on, off the server's core. */
export function leaveServerCore(cores: Cores | undefined): void {
  if (cores === undefined) return;
  execFileSync(TASKSET, ["-a", "-c", "-p", cores.others.join(","), String(process.pid)], { stdio: "ignore" });
}

/** The command that runs `command` on the server's core. */
export function onServerCore(cores: Cores | undefined, command: string[]): string[] {
  return cores === undefined ? command : [TASKSET, "-c", cores.server.join(","), ...command];
}

/** The same with all cores for the server. */
export function joinCores(cores: Cores | undefined): Cores | undefined {
  return cores && { ...cores, server: [...cores.server, ...cores.others] };
}

function listSiblings(core: number): number[] {
  const file = `/sys/devices/system/cpu/cpu${core}/topology/thread_siblings_list`;
  return existsSync(file) ? expandList(readFileSync(file, "utf8").trim()) : [];
}

/** "0-2,5" → 0, 1, 2, 5 */
function expandList(list: string): number[] {
  return list
    .split(",")
    .filter((range) => range !== "")
    .flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
}
