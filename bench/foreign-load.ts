// Measures the processor use of other programs, so that results from a busy machine can be recognised.

import { readdirSync, readFileSync } from "node:fs";

interface Ticks {
  /** All cores, idle time included. */
  all: number;
  /** All processes. */
  used: number;
  /** This process and its descendants, including ended ones. */
  own: number;
}

/** The returned function gives the share of all cores, from 0 to 1, that other programs have used since. */
export function watchForeignLoad(): () => number {
  const before = readTicks();
  return () => {
    const after = readTicks();
    const foreign = after.used - before.used - (after.own - before.own);
    return Math.max(0, foreign / (after.all - before.all));
  };
}

function readTicks(): Ticks {
  const [, ...columns] = readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/\s+/) ?? [];
  // The last two are guest times, which the first two include.
  const ticks = columns.slice(0, 8).map(Number);
  const [user = 0, nice = 0, system = 0] = ticks;
  return { all: ticks.reduce((sum, part) => sum + part, 0), used: user + nice + system, own: ownTicks() };
}

function ownTicks(): number {
  const processes = readProcesses();
  const isOwn = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent;
    return pid === process.pid || (parent !== undefined && parent > 1 && isOwn(parent));
  };
  return [...processes].filter(([pid]) => isOwn(pid)).reduce((sum, [, { ticks }]) => sum + ticks, 0);
}

function readProcesses(): Map<number, { parent: number; ticks: number }> {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The process name before the bracket may contain spaces.
      const fields =
        readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ").map(Number) ?? [];
      const [, parent = 0] = fields;
      const ticks = fields.slice(11, 15).reduce((sum, part) => sum + part, 0);
      processes.set(Number(name), { parent, ticks });
    } catch {
      // The process ended after readdir.
    }
  }
  return processes;
}
