// What the service must keep to, in one table, and whether a run found that it does.

import type { Engine } from "./data/stores.ts";
import type { WorkName } from "./load/works.ts";
import { listP99Ratio, rateShare, summarise, timeRatio } from "./ratios.ts";
import type { Results } from "./results.ts";

interface Bound {
  what: string;
  /** One of the two. */
  least?: number;
  most?: number;
  unit?: string;
  /** Undefined where the run did not measure it. */
  find(results: Results): number | undefined;
}

export const BOUNDS: Bound[] = [
  {
    what: "hot list, embedded engine, share of the bare server",
    least: 0.75,
    find: (results) => shareOf(results, "embedded", "hot-list"),
  },
  {
    what: "cold list over 1,000,000 animals, embedded engine, share of the bare server",
    least: 0.4,
    find: (results) => shareOf(results, "embedded", "cold-list"),
  },
  {
    what: "create with fsync, embedded engine, share of the bare server",
    least: 0.4,
    find: (results) => shareOf(results, "embedded", "create"),
  },
  {
    what: "hot list, PostgreSQL + Redis, share of the bare server",
    least: 0.5,
    find: (results) => shareOf(results, "postgres", "hot-list"),
  },
  {
    what: "99th percentile of the hot list under the mix, embedded engine, against the bare server's",
    most: 3,
    unit: "×",
    find: (results) => listP99Ratio(samplesOf(results, "embedded", "mix"), "service", "bare")?.median,
  },
  {
    what: "time of a list over 10,000,000 animals against one over 10,000, the worst of all",
    most: 1.15,
    unit: "×",
    find: worstGrowth,
  },
  {
    what: "ready after a start over 1,000,000 animals, the slower engine",
    most: 0.6,
    unit: " s",
    find: slowestStart,
  },
  {
    what: "resident memory after the hot list, the largest of all sizes and engines",
    most: 180,
    unit: " MB",
    find: ({ growth }) => worst(growth.flatMap(({ sizes }) => sizes.map((size) => size.residentMegabytes))),
  },
  {
    what: "gate memory for each of 1,000,000 keys in use",
    most: 200,
    unit: " bytes",
    find: ({ gate }) => gate.toSorted((a, b) => b.keys - a.keys)[0]?.bytesPerKey,
  },
];

export interface BoundResult {
  what: string;
  bound: string;
  found: string;
  state: "kept" | "missed" | "not measured";
}

export function checkBounds(results: Results): BoundResult[] {
  return BOUNDS.map(({ what, least, most, unit = "", find }) => {
    const found = find(results);
    const bound = least === undefined ? `at most ${most}${unit}` : `at least ${least}${unit}`;
    if (found === undefined) return { what, bound, found: "–", state: "not measured" };
    const isKept = found >= (least ?? -Infinity) && found <= (most ?? Infinity);
    const digits = found >= 10 ? 0 : 2;
    return { what, bound, found: `${found.toFixed(digits)}${unit}`, state: isKept ? "kept" : "missed" };
  });
}

function samplesOf(results: Results, engine: Engine, work: WorkName) {
  return results.comparisons.find((each) => each.engine === engine && each.work === work)?.samples ?? [];
}

function shareOf(results: Results, engine: Engine, work: WorkName): number | undefined {
  return rateShare(samplesOf(results, engine, work), "service", "bare")?.median;
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
