// Results of a benchmark run, with the rates that a test chooses.

import type { Engine } from "../../bench/data/stores.ts";
import { SEARCH_PAGES } from "../../bench/load/listing-part.ts";
import { BASE_RELEASE, NETWORK_LANE } from "../../bench/load/network-parts.ts";
import { STREAM_LANES } from "../../bench/load/stream-part.ts";
import { UPLOAD_LANES } from "../../bench/load/upload-part.ts";
import type { WorkloadName } from "../../bench/load/workloads.ts";
import type {
  Comparison,
  ImportRun,
  ListingRun,
  NetworkRun,
  Results,
  Sample,
  StreamRun,
  UploadRun,
} from "../../bench/results.ts";

export function createSample(lane: string, more: Partial<Sample> = {}): Sample {
  const measured = { requestsPerSecond: 1_000, p50Us: 1_000, p99Us: 5_000, bytesPerResponse: 2_000 };
  return { lane, round: 1, ...measured, foreignShare: 0, ...more };
}

/** One round in which the bare server serves 1,000 requests per second. */
export function createComparison(engine: Engine, workload: WorkloadName, share: number): Comparison {
  const samples = [createSample("service", { requestsPerSecond: share * 1_000 }), createSample("bare")];
  return { engine, workload, animals: 1_000_000, samples, excluded: {} };
}

/** One round in which release 1.0.0 serves 100 requests per second. */
export function createNetworkRun(
  part: NetworkRun["part"],
  requestsPerSecond: number,
  p99Ms: number,
): NetworkRun {
  const samples = [
    createSample(NETWORK_LANE, { requestsPerSecond, p99Us: p99Ms * 1_000 }),
    createSample(BASE_RELEASE, { requestsPerSecond: 100, p99Us: 900_000 }),
  ];
  return { part, animals: 1_000_000, samples };
}

/** One round of a node that serves 1,000 requests per second without streams and has 100 MB early in a round. */
export function createStreamRun(engine: Engine, share: number, endMegabytes: number): StreamRun {
  const samples = [
    createSample(STREAM_LANES.without),
    createSample(STREAM_LANES.with, {
      requestsPerSecond: share * 1_000,
      p99Us: 9_000,
      residentMegabytes: { settled: 100, end: endMegabytes },
    }),
  ];
  return { engine, animals: 1_000_000, streams: 1_000, seconds: 30, samples };
}

/** One round: the share of the first page, and the time of each search in the large store compared with the small one. */
export function createListingRun(engine: Engine, share: number, times: [number, number, number]): ListingRun {
  const [small, large] = ["10000", "1000000"];
  const first = [createSample("bare"), createSample(large, { requestsPerSecond: share * 1_000 })];
  const searches = SEARCH_PAGES.map((page, index) => ({
    page,
    samples: [
      createSample(small),
      createSample(large, { requestsPerSecond: 1_000 / (times[index] as number) }),
    ],
  }));
  return { engine, sizes: [10_000, 1_000_000], pages: [{ page: "first", samples: first }, ...searches] };
}

/** One round in which an import without profiles takes 5 s, and 4 s of CPU time. */
export function createImportRun(engine: Engine, profiles: number): ImportRun {
  const seconds = { plain: 5, ignored: 6, profiles };
  const cpuSeconds = { plain: 4, ignored: 6, profiles };
  return { engine, rows: 100_000, rounds: [{ seconds, cpuSeconds, foreignShare: 0 }] };
}

/** One round of a node whose hot list has a 99th percentile of 2 ms without uploads. */
export function createUploadRun(engine: Engine, p99Ms: number): UploadRun {
  const samples = [
    createSample(UPLOAD_LANES.without, { p99Us: 2_000 }),
    createSample(UPLOAD_LANES.with, { p99Us: p99Ms * 1_000 }),
  ];
  return { engine, animals: 1_000_000, uploads: 1_234, samples };
}

export function createResults(more: Partial<Results> = {}): Results {
  return {
    date: "2026-01-01",
    isQuick: false,
    rounds: 1,
    seconds: 4,
    machine: {
      processor: "test",
      cores: 2,
      memoryGigabytes: 1,
      kernel: "1",
      node: "v26",
      fileSystem: "ext4",
      isPinned: true,
      engines: [],
    },
    comparisons: [],
    network: [],
    streams: [],
    listings: [],
    uploads: [],
    imports: [],
    console: [],
    growth: [],
    gate: [],
    ...more,
  };
}
