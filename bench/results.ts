// The raw results of a run, as --json prints them.

import type { Engine } from "./data/stores.ts";
import type { WorkName } from "./load/works.ts";
import type { Machine } from "./machine.ts";

/** One run of wrk against one lane: a contender, or a size of store. */
export interface Sample {
  lane: string;
  /** From 1. */
  round: number;
  requestsPerSecond: number;
  p50Us: number;
  p99Us: number;
  /** Of hot lists alone, while the mix ran. */
  listP99Us?: number;
  /** What others used of all cores meanwhile, from 0 to 1. */
  foreignShare: number;
  /** Why the round is void. */
  fault?: string;
}

export interface Comparison {
  engine: Engine;
  work: WorkName;
  animals: number;
  samples: Sample[];
  /** Lanes that do not take part, and why. */
  absent: Record<string, string>;
}

export interface Growth {
  engine: Engine;
  /** Lanes are numbers of animals, and "bare". */
  lists: Array<{ work: WorkName; samples: Sample[] }>;
  sizes: Size[];
}

interface Size {
  animals: number;
  readySeconds: number[];
  /** What others used of all cores during the starts. */
  foreignShare: number;
  /** After the hot list. */
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
  rounds: number;
  seconds: number;
  machine: Machine;
  comparisons: Comparison[];
  growth: Growth[];
  gate: GateKeys[];
}

/** What others used of all cores, measurement by measurement. */
export function foreignShares({ comparisons, growth }: Results): number[] {
  const samples = [...comparisons, ...growth.flatMap(({ lists }) => lists)].flatMap(({ samples }) => samples);
  return [...samples, ...growth.flatMap(({ sizes }) => sizes)].map(({ foreignShare }) => foreignShare);
}

/** Pieces of one picture; what a later piece measured again replaces what an earlier one had. */
export function mergeResults(pieces: Results[]): Results {
  const last = pieces.at(-1);
  if (last === undefined) throw new Error("There are no results to merge.");
  if (new Set(pieces.map(conditionsOf)).size > 1)
    throw new Error("These results are not of one machine, or not of the same number and length of rounds.");
  const latest = <T>(items: T[], nameOf: (item: T) => string) => [
    ...new Map(items.map((item) => [nameOf(item), item])).values(),
  ];
  return {
    ...last,
    machine: { ...last.machine, engines: [...new Set(pieces.flatMap(({ machine }) => machine.engines))] },
    comparisons: latest(
      pieces.flatMap(({ comparisons }) => comparisons),
      ({ engine, work }) => `${engine} ${work}`,
    ),
    growth: latest(
      pieces.flatMap(({ growth }) => growth),
      ({ engine }) => engine,
    ),
    gate: latest(
      pieces.flatMap(({ gate }) => gate),
      ({ keys }) => String(keys),
    ),
  };
}

/** What must be alike for pieces to make one picture. */
function conditionsOf({ isQuick, rounds, seconds, machine }: Results): string {
  return JSON.stringify({ isQuick, rounds, seconds, machine: { ...machine, engines: [] } });
}
