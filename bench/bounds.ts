// The bounds that the service must meet, in one table, and the check of a run against them.

import { ENGINES, type Engine } from "./data/stores.ts";
import { type ListingPageName, SEARCH_PAGES } from "./load/listing-part.ts";
import { BASE_RELEASE, NETWORK_LANE, NETWORK_NODES, type NetworkPart } from "./load/network-parts.ts";
import { CHANGES_PER_SECOND, STREAM_LANES } from "./load/stream-part.ts";
import { UPLOAD_LANES } from "./load/upload-part.ts";
import { WORKLOADS, type WorkloadName } from "./load/workloads.ts";
import { FULL_SIZES } from "./measure/bench.ts";
import {
  importRatio,
  laneP99Ms,
  listP99Ratio,
  memoryGrowth,
  p99Ratio,
  rateShare,
  summarise,
  timeRatio,
} from "./ratios.ts";
import { showCount } from "./report/text.ts";
import type { ListingRun, Results, Sample } from "./results.ts";

interface Bound {
  title: string;
  /** Either `least` or `most` is set. */
  least?: number;
  most?: number;
  unit?: string;
  /** Undefined if the run did not measure it. */
  find(results: Results): number | undefined;
}

/** The least share of the bare server, for one node and 64 connections. */
const SHARES: Record<Engine, Partial<Record<WorkloadName, number>>> = {
  embedded: {
    "hot-list": 0.75,
    "unchanged-list": 0.95,
    "origin-list": 0.85,
    "cold-list": 0.4,
    get: 0.6,
    create: 0.4,
  },
  postgres: { "hot-list": 0.65, "unchanged-list": 0.6, "cold-list": 0.3, get: 0.35, create: 0.3 },
};

const STREAMS = `${showCount(FULL_SIZES.streams.streams)} event streams`;

const BOUNDS: Bound[] = [
  ...(Object.keys(SHARES) as Engine[]).flatMap(listShareBounds),
  {
    title: `creates of ${NETWORK_NODES} nodes compared with release ${BASE_RELEASE}`,
    least: 20,
    unit: "×",
    find: (results) =>
      rateShare(networkSamples(results, "network-create"), NETWORK_LANE, BASE_RELEASE)?.median,
  },
  {
    title: `99th percentile of creates on ${NETWORK_NODES} nodes`,
    most: 150,
    unit: " ms",
    find: (results) => laneP99Ms(networkSamples(results, "network-create"), NETWORK_LANE)?.median,
  },
  {
    title: "99th percentile of the hot list under the mix, embedded engine, compared with the bare server",
    most: 3,
    unit: "×",
    find: (results) => listP99Ratio(samplesOf(results, "embedded", "mix"), "service", "bare")?.median,
  },
  ...(Object.keys(ENGINES) as Engine[]).map((engine) => ({
    title: `hot list with ${STREAMS} and ${CHANGES_PER_SECOND} changes per second, ${ENGINES[engine]}, share of that without streams`,
    least: 0.8,
    find: (results: Results) =>
      rateShare(streamSamples(results, engine), STREAM_LANES.with, STREAM_LANES.without)?.median,
  })),
  {
    title: `growth of resident memory with ${STREAMS} during a round, worse engine`,
    most: 1.2,
    unit: "×",
    // A leak is in every round, a late garbage collection in one.
    find: ({ streams }) => worst(streams.flatMap(({ samples }) => memoryGrowth(samples)?.median ?? [])),
  },
  ...(Object.keys(ENGINES) as Engine[]).map((engine) => ({
    title: `99th percentile of the hot list during uploads, ${ENGINES[engine]}, compared with that without`,
    most: 4,
    unit: "×",
    find: ({ uploads }: Results) => {
      const { samples = [] } = uploads.find((run) => run.engine === engine) ?? {};
      return p99Ratio(samples, UPLOAD_LANES.with, UPLOAD_LANES.without)?.median;
    },
  })),
  ...(Object.keys(ENGINES) as Engine[]).map((engine) => ({
    title: `duration of an import of ${showCount(FULL_SIZES.imports)} rows with profiles, ${ENGINES[engine]}, compared with that without`,
    most: 2,
    unit: "×",
    find: ({ imports }: Results) => {
      const run = imports.find((each) => each.engine === engine);
      return run && importRatio(run, "profiles", "seconds")?.median;
    },
  })),
  {
    title: "layout shift while a view of the console loads, worst view",
    most: 0.02,
    find: ({ console }) => worst(console.flatMap(({ shifts }) => Object.values(shifts))),
  },
  {
    title: "first page of listings, embedded engine, share of the bare server",
    least: 0.7,
    find: (results) => {
      const run = listingRun(results, "embedded");
      return run && rateShare(listingSamples(run, "first"), String(run.sizes[1]), "bare")?.median;
    },
  },
  ...(Object.keys(ENGINES) as Engine[]).map((engine) => ({
    title: `time of a search over ${showCount(FULL_SIZES.listings[1])} animals compared with ${showCount(FULL_SIZES.listings[0])}, ${ENGINES[engine]}, worst word`,
    most: 3,
    unit: "×",
    find: (results: Results) => worstSearch(listingRun(results, engine)),
  })),
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
  return BOUNDS.map((each) => {
    const { title, least, most, unit = "" } = each;
    const found = each.find(results);
    const bound = showRequired(each);
    if (found === undefined) return { title, bound, found: "–", state: "not measured" };
    const isMet = found >= (least ?? -Infinity) && found <= (most ?? Infinity);
    const digits = found >= 10 ? 0 : 2;
    return { title, bound, found: `${found.toFixed(digits)}${unit}`, state: isMet ? "met" : "missed" };
  });
}

/** For the help: one line per bound. */
export function listBounds(): string[] {
  return BOUNDS.map((bound) => `${bound.title}: ${showRequired(bound)}`);
}

function showRequired({ least, most, unit = "" }: Bound): string {
  return least === undefined ? `at most ${most}${unit}` : `at least ${least}${unit}`;
}

function listShareBounds(engine: Engine): Bound[] {
  return (Object.entries(SHARES[engine]) as Array<[WorkloadName, number]>).map(([workload, least]) => ({
    title: `${WORKLOADS[workload].title}, ${ENGINES[engine]}, share of the bare server`,
    least,
    find: (results) => shareOf(results, engine, workload),
  }));
}

function networkSamples({ network }: Results, part: NetworkPart): Sample[] {
  return network.find((run) => run.part === part)?.samples ?? [];
}

function streamSamples({ streams }: Results, engine: Engine): Sample[] {
  return streams.find((run) => run.engine === engine)?.samples ?? [];
}

function samplesOf(results: Results, engine: Engine, workload: WorkloadName) {
  return (
    results.comparisons.find((each) => each.engine === engine && each.workload === workload)?.samples ?? []
  );
}

function shareOf(results: Results, engine: Engine, workload: WorkloadName): number | undefined {
  return rateShare(samplesOf(results, engine, workload), "service", "bare")?.median;
}

function listingRun({ listings }: Results, engine: Engine): ListingRun | undefined {
  return listings.find((run) => run.engine === engine);
}

function listingSamples({ pages }: ListingRun, page: ListingPageName): Sample[] {
  return pages.find((each) => each.page === page)?.samples ?? [];
}

function worstSearch(run: ListingRun | undefined): number | undefined {
  if (run === undefined) return undefined;
  const [small, large] = run.sizes.map(String) as [string, string];
  const ratios = SEARCH_PAGES.map((page) => timeRatio(listingSamples(run, page), large, small)?.median);
  return worst(ratios.map((ratio) => ratio ?? Infinity));
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
