// Processor time of this program and of all others: to wait until our servers rest, and to notice foreign load.

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Our processes rest when they use less than this share of one core; idle nodes still poll their engines. */
const QUIET_SHARE = 0.15;
const TICKS_PER_SECOND = 100;

/** The returned function gives the share of all cores, from 0 to 1, that other programs have used since. */
export function watchForeignLoad(): () => number {
  const read = () => {
    const [, ...columns] = readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/\s+/) ?? [];
    // The last two are guest times, which the first two include.
    const ticks = columns.slice(0, 8).map(Number);
    return { all: sum(ticks), foreign: sum(ticks.slice(0, 3)) - readOwnTicks() };
  };
  const before = read();
  return () => {
    const after = read();
    return Math.max(0, (after.foreign - before.foreign) / (after.all - before.all));
  };
}

/** Resolves when all processes of this program, engines included, have rested for `windowMs`, or after 600 such times. */
export async function untilQuiet(windowMs: number): Promise<void> {
  for (let window = 0; window < 600; window++) {
    const before = readOwnTicks();
    await pause(windowMs);
    if ((readOwnTicks() - before) / TICKS_PER_SECOND < (QUIET_SHARE * windowMs) / 1000) return;
  }
}

/** This process and its descendants, including ended ones. */
function readOwnTicks(): number {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      // The process name before the bracket may contain spaces.
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ").map(Number);
      const [, parent = 0] = fields ?? [];
      processes.set(Number(name), { parent, ticks: sum(fields?.slice(11, 15) ?? []) });
    } catch {
      // The process ended after readdir.
    }
  }
  const isOwn = (pid: number): boolean => pid === process.pid || (pid > 1 && isOwn(parentOf(pid)));
  const parentOf = (pid: number) => processes.get(pid)?.parent ?? 0;
  return sum([...processes].filter(([pid]) => isOwn(pid)).map(([, { ticks }]) => ticks));
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
