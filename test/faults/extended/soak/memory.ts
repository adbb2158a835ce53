// Resident memory of every node process during a soak, by thirds of its lifetime.

import { readFileSync } from "node:fs";
import type { Service } from "../../../harness/servers/service.ts";
import type { Findings } from "./findings.ts";

const EVERY_MS = 500;
const MIB = 2 ** 20;
/** Time for compilation and for heaps to reach their size. */
export const WARM_UP_MS = 30_000;
/** Generous, because a leak grows without end and a warm heap does not. */
const GROWTH_MAX = 1.3;
const GROWTH_MIB_MAX = 32;

interface Growth {
  pid: number;
  /** Medians in MiB of the three thirds of the process's life after its warm-up; undefined where it lived too shortly. */
  thirds: [number, number, number] | undefined;
}

export interface MemoryWatch {
  stop(): Growth[];
}

export function watchMemory(processes: Service[]): MemoryWatch {
  const samples = new Map<number, Array<{ atMs: number; mib: number }>>();
  const timer = setInterval(() => {
    for (const { process: child } of processes) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const own = samples.get(child.pid) ?? [];
      const mib = residentMib(child.pid);
      // The process was just killed.
      if (mib === 0) continue;
      own.push({ atMs: performance.now(), mib });
      samples.set(child.pid, own);
    }
  }, EVERY_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      return [...samples].map(([pid, all]) => {
        const startMs = (all[0]?.atMs ?? 0) + WARM_UP_MS;
        const warm = all.filter(({ atMs }) => atMs >= startMs).map(({ mib }) => mib);
        return { pid, thirds: warm.length < 9 ? undefined : mediansOfThirds(warm) };
      });
    },
  };
}

/** Reports every process that grew as a violation. Returns the lines of the report. */
export function checkGrowth(growths: Growth[], { violate }: Findings): string[] {
  const measured = growths.filter(({ thirds }) => thirds !== undefined);
  if (measured.length === 0) violate("the memory of no process was measured");
  return measured.map(({ pid, thirds: [first, second, last] = [0, 0, 0] }) => {
    if (last > first * GROWTH_MAX + GROWTH_MIB_MAX) violate(`memory of ${pid}: ${first} to ${last} MiB`);
    return `resident memory of ${pid} by thirds: ${first}, ${second}, ${last} MiB`;
  });
}

function residentMib(pid: number): number {
  const [, kib = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kib) * 1024) / MIB;
}

function mediansOfThirds(values: number[]): [number, number, number] {
  const third = Math.floor(values.length / 3);
  const median = (part: number) => {
    const sorted = values.slice(part * third, (part + 1) * third).sort((a, b) => a - b);
    return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  };
  return [median(0), median(1), median(2)];
}
