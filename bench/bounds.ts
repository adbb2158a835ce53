// The bounds that the service must meet, in one table, and the check of a run against them.

import type { Engine } from "./data/stores.ts";
import type { WorkloadName } from "./load/workloads.ts";
import { listP99Ratio, rateShare, summarise, timeRatio } from "./ratios.ts";
import type { Results } from "./results.ts";

interface Bound {
  title: string;
  /** Either `least` or `most` is set. */
  least?: number;
  most?: number;
  unit?: string;
  /** Undefined if the run did not measure it. */
  find(results: Results): number | undefined;
}

export const BOUNDS: Bound[] = [
  {
    title: "hot list, embedded engine, share of the bare server",
    least: 0.75,
    find: (results) => shareOf(results, "embedded", "hot-list"),
  },
  {
    title: "cold list over 1,000,000 animals, embedded engine, share of the bare server",
    least: 0.4,
    find: (results) => shareOf(results, "embedded", "cold-list"),
  },
  {
    title: "create with fsync, embedded engine, share of the bare server",
    least: 0.4,
    find: (results) => shareOf(results, "embedded", "create"),
  },
  {
    title: "hot list, PostgreSQL + Redis, share of the bare server",
    least: 0.5,
    find: (results) => shareOf(results, "postgres", "hot-list"),
  },
  {
    title: "99th percentile of the hot list under the mix, embedded engine, compared with the bare server",
    most: 3,
    unit: "×",
    find: (results) => listP99Ratio(samplesOf(results, "embedded", "mix"), "service", "bare")?.median,
  },
  {
    title: "time of a list over 10,000,000 animals compared with 10,000 animals, worst case",
    most: 1.15,
    unit: "×",
    find: worstGrowth,
  },
  {
    title: "time from start to ready over 1,000,000 animals, slower engine",
    most: 0.6,
    unit: " s",
    find: slowestStart,
  },
  {
    title: "resident memory after the hot list, largest of all sizes and engines",
    most: 180,
    unit: " MB",
    find: ({ growth }) => worst(growth.flatMap(({ sizes }) => sizes.map((size) => size.residentMegabytes))),
  },
  {
    title: "gate memory per key with 1,000,000 keys in use",
    most: 200,
    unit: " bytes",
    find: ({ gate }) => gate.toSorted((a, b) => b.keys - a.keys)[0]?.bytesPerKey,
  },
];

export interface BoundResult {
  title: string;
  bound: string;
  found: string;
  state: "met" | "missed" | "not measured";
}

export function checkBounds(results: Results): BoundResult[] {
  return BOUNDS.map(({ title, least, most, unit = "", find }) => {
    const found = find(results);
    const bound = least === undefined ? `at most ${most}${unit}` : `at least ${least}${unit}`;
    if (found === undefined) return { title, bound, found: "–", state: "not measured" };
    const isMet = found >= (least ?? -Infinity) && found <= (most ?? Infinity);
    const digits = found >= 10 ? 0 : 2;
    return { title, bound, found: `${found.toFixed(digits)}${unit}`, state: isMet ? "met" : "missed" };
  });
}

function samplesOf(results: Results, engine: Engine, workload: WorkloadName) {
  return (
    results.comparisons.find((each) => each.engine === engine && each.workload === workload)?.samples ?? []
  );
}

function shareOf(results: Results, engine: Engine, workload: WorkloadName): number | undefined {
  return rateShare(samplesOf(results, engine, workload), "service", "bare")?.median;
}

function slowestStart({ growth }: Results): number | undefined {
  const starts = growth.map(({ sizes }) => sizes.toSorted((a, b) => a.animals - b.animals)[1]?.readySeconds);
  return worst(starts.map((seconds) => summarise(seconds ?? [])?.median ?? Infinity));
}

function worstGrowth({ growth }: Results): number | undefined {
  const ratios = growth.flatMap(({ lists, sizes }) => {
    const numbers = sizes.map(({ animals }) => animals);
    const [smallest, largest] = [Math.min(...numbers), Math.max(...numbers)].map(String) as [string, string];
    return lists.map(({ samples }) => timeRatio(samples, largest, smallest)?.median ?? Infinity);
  });
  return worst(ratios);
}

function worst(values: number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}
