// The raw results of a run, as printed by --json.

import type { Engine } from "./data/stores.ts";
import type { ImportLane } from "./load/import-part.ts";
import type { ListingPageName } from "./load/listing-part.ts";
import type { NetworkPart } from "./load/network-parts.ts";
import type { WorkloadName } from "./load/workloads.ts";
import type { Machine } from "./machine.ts";

/** One run of wrk against one lane. A lane is a contender, or a store of one size. */
export interface Sample {
  lane: string;
  /** Starts at 1. */
  round: number;
  requestsPerSecond: number;
  p50Us: number;
  p99Us: number;
  /** Mean length of a response with its headers. */
  bytesPerResponse: number;
  /** 99th percentile of hot lists while the mix ran. */
  listP99Us?: number;
  /** Of a node with event streams: when they had run for a while, and at the end of the round. */
  residentMegabytes?: { settled: number; end: number };
  /** Share of all cores that other programs used during the run, from 0 to 1. */
  foreignShare: number;
  /** Why the round is invalid. */
  fault?: string;
}

export interface Comparison {
  engine: Engine;
  workload: WorkloadName;
  animals: number;
  samples: Sample[];
  /** Lanes that do not take part, with the reason. */
  excluded: Record<string, string>;
}

/** Lanes are the network of this release and that of the first one. */
export interface NetworkRun {
  part: NetworkPart;
  animals: number;
  samples: Sample[];
}

/** Lanes are a node without event streams and the same with them, both under the same changes. */
export interface StreamRun {
  engine: Engine;
  animals: number;
  streams: number;
  /** Length of a round; longer than that of other parts. */
  seconds: number;
  samples: Sample[];
}

/** Lanes are numbers of animals, and "bare" for the first page. */
export interface ListingRun {
  engine: Engine;
  sizes: [small: number, large: number];
  pages: Array<{ page: ListingPageName; samples: Sample[] }>;
}

/** Lanes are a node without uploads and the same with them. */
export interface UploadRun {
  engine: Engine;
  animals: number;
  /** Photos that were added in all rounds, with the time for warming up. */
  uploads: number;
  samples: Sample[];
}

/** The command `import`. */
export interface ImportRun {
  engine: Engine;
  rows: number;
  rounds: ImportRound[];
}

/** Durations, and the CPU time of the command. */
export interface ImportRound {
  seconds: Record<ImportLane, number>;
  cpuSeconds: Record<ImportLane, number>;
  foreignShare: number;
}

/** The console in a browser. */
export interface ConsoleRun {
  engine: Engine;
  animals: number;
  loads: ConsoleLoad[];
  /** The cumulative layout shift while a view loads, by the view. */
  shifts: Record<string, number>;
}

/** With an empty cache, and again with the files of the first load. */
export interface ConsoleLoad {
  cold: ConsoleTimes;
  warm: ConsoleTimes;
  foreignShare: number;
}

interface ConsoleTimes {
  firstPaintMs: number;
  firstRowsMs: number;
}

export interface Growth {
  engine: Engine;
  /** Lanes are numbers of animals, and "bare". */
  lists: Array<{ workload: WorkloadName; samples: Sample[] }>;
  sizes: Size[];
}

interface Size {
  animals: number;
  readySeconds: number[];
  /** Share of all cores that other programs used during the starts. */
  foreignShare: number;
  /** Measured after the hot list. */
  residentMegabytes: number;
}

export interface GateKeys {
  keys: number;
  bytesPerKey: number;
  nanosecondsPerAdmission: number;
}

export interface Results {
  date: string;
  isQuick: boolean;
  /** The fewest rounds of a part, and the length of the shortest. */
  rounds: number;
  seconds: number;
  machine: Machine;
  comparisons: Comparison[];
  network: NetworkRun[];
  streams: StreamRun[];
  listings: ListingRun[];
  uploads: UploadRun[];
  imports: ImportRun[];
  console: ConsoleRun[];
  growth: Growth[];
  gate: GateKeys[];
}

/** Share of all cores that other programs used, for each measurement. */
export function foreignShares({
  comparisons,
  network,
  streams,
  listings,
  uploads,
  imports,
  console,
  growth,
}: Results): number[] {
  const pages = [...listings.flatMap((run) => run.pages), ...growth.flatMap(({ lists }) => lists)];
  const groups = [...comparisons, ...network, ...streams, ...uploads, ...pages];
  const samples = groups.flatMap(({ samples }) => samples);
  const rounds = [...imports.flatMap((run) => run.rounds), ...console.flatMap((run) => run.loads)];
  return [...samples, ...rounds, ...growth.flatMap(({ sizes }) => sizes)].map(
    ({ foreignShare }) => foreignShare,
  );
}

/** Merges the results of several runs. Later results replace earlier ones of the same measurement. */
export function mergeResults(runs: Results[]): Results {
  const last = runs.at(-1);
  if (last === undefined) throw new Error("There are no results to merge.");
  if (new Set(runs.map(conditionsOf)).size > 1)
    throw new Error("These results come from different machines, or some of them from a quick run.");
  const latest = <T>(items: T[], nameOf: (item: T) => string) => [
    ...new Map(items.map((item) => [nameOf(item), item])).values(),
  ];
  return {
    ...last,
    rounds: Math.min(...runs.map(({ rounds }) => rounds)),
    seconds: Math.min(...runs.map(({ seconds }) => seconds)),
    machine: { ...last.machine, engines: [...new Set(runs.flatMap(({ machine }) => machine.engines))] },
    comparisons: latest(
      runs.flatMap(({ comparisons }) => comparisons),
      ({ engine, workload }) => `${engine} ${workload}`,
    ),
    network: latest(
      runs.flatMap(({ network }) => network),
      ({ part }) => part,
    ),
    streams: latest(
      runs.flatMap(({ streams }) => streams),
      ({ engine }) => engine,
    ),
    listings: latest(
      runs.flatMap(({ listings }) => listings),
      ({ engine }) => engine,
    ),
    uploads: latest(
      runs.flatMap(({ uploads }) => uploads),
      ({ engine }) => engine,
    ),
    imports: latest(
      runs.flatMap(({ imports }) => imports),
      ({ engine }) => engine,
    ),
    console: latest(
      runs.flatMap(({ console }) => console),
      ({ engine }) => engine,
    ),
    growth: latest(
      runs.flatMap(({ growth }) => growth),
      ({ engine }) => engine,
    ),
    gate: latest(
      runs.flatMap(({ gate }) => gate),
      ({ keys }) => String(keys),
    ),
  };
}

/** Conditions that must be equal for results to be merged. */
function conditionsOf({ isQuick, machine }: Results): string {
  return JSON.stringify({ isQuick, machine: { ...machine, engines: [] } });
}
