// Computes values of samples, and their ratios within each round, with median, minimum and maximum.

import type { ImportLane } from "./load/import-part.ts";
import type { ImportRun, Sample } from "./results.ts";

export interface Ratio {
  median: number;
  min: number;
  max: number;
}

/** The rate of one lane as a share of another's. Undefined if no round has both. */
export function rateShare(samples: Sample[], lane: string, of: string): Ratio | undefined {
  return ratioOf(samples, { lane, of, measure: (sample) => sample.requestsPerSecond });
}

/** The time of one lane as a multiple of another's. */
export function timeRatio(samples: Sample[], lane: string, of: string): Ratio | undefined {
  return ratioOf(samples, { lane, of, measure: (sample) => 1 / sample.requestsPerSecond });
}

export function listP99Ratio(samples: Sample[], lane: string, of: string): Ratio | undefined {
  return ratioOf(samples, { lane, of, measure: (sample) => sample.listP99Us });
}

/** The 99th percentile of one lane as a multiple of another's. */
export function p99Ratio(samples: Sample[], lane: string, of: string): Ratio | undefined {
  return ratioOf(samples, { lane, of, measure: (sample) => sample.p99Us });
}

/** Requests per second. Undefined without a valid round. */
export function laneRate(samples: Sample[], lane: string): Ratio | undefined {
  return summarise(goodSamples(samples, lane).map(({ requestsPerSecond }) => requestsPerSecond));
}

export function laneP99Ms(samples: Sample[], lane: string): Ratio | undefined {
  return summarise(goodSamples(samples, lane).map(({ p99Us }) => p99Us / 1000));
}

/** Resident memory at the end of a round as a multiple of that early in it. Undefined if no round measured it. */
export function memoryGrowth(samples: Sample[]): Ratio | undefined {
  const growths = samples.flatMap(({ fault, residentMegabytes: memory }) =>
    fault === undefined && memory !== undefined ? [memory.end / memory.settled] : [],
  );
  return summarise(growths);
}

/** The duration or CPU time of an import as a multiple of that without profiles. */
export function importRatio(
  { rounds }: ImportRun,
  lane: ImportLane,
  measure: "seconds" | "cpuSeconds",
): Ratio | undefined {
  return summarise(rounds.map(({ [measure]: measured }) => measured[lane] / measured.plain));
}

function goodSamples(samples: Sample[], lane: string): Sample[] {
  return samples.filter((sample) => sample.lane === lane && sample.fault === undefined);
}

export function summarise(values: number[]): Ratio | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const pair = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]] as [number, number];
  return { median: (pair[0] + pair[1]) / 2, min: Math.min(...sorted), max: Math.max(...sorted) };
}

function ratioOf(
  samples: Sample[],
  { lane, of, measure }: { lane: string; of: string; measure: (sample: Sample) => number | undefined },
): Ratio | undefined {
  const bases = goodSamples(samples, of);
  const ratios = goodSamples(samples, lane).flatMap((sample) => {
    const base = bases.find(({ round }) => round === sample.round);
    const value = measure(sample);
    const baseValue = base && measure(base);
    return value === undefined || baseValue === undefined ? [] : [value / baseValue];
  });
  return summarise(ratios);
}
