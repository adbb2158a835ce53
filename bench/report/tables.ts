// The tables of the document.

import { checkBounds } from "../bounds.ts";
import { CONTENDERS, type ContenderName } from "../contenders/contender.ts";
import { ENGINES, type Engine } from "../data/stores.ts";
import { IMPORT_LANE_NAMES, IMPORT_LANES } from "../load/import-part.ts";
import { LISTING_PAGES } from "../load/listing-part.ts";
import { BASE_RELEASE, NETWORK_LANE, NETWORK_PARTS } from "../load/network-parts.ts";
import { STREAM_LANES } from "../load/stream-part.ts";
import { UPLOAD_LANES } from "../load/upload-part.ts";
import { WORKLOADS } from "../load/workloads.ts";
import {
  importRatio,
  laneP99Ms,
  laneRate,
  listP99Ratio,
  memoryGrowth,
  p99Ratio,
  rateShare,
  summarise,
  timeRatio,
} from "../ratios.ts";
import type { Comparison, Growth, ListingRun, Results } from "../results.ts";
import { showCount, showRange, showRatio, table } from "./text.ts";

export function namesIn(comparisons: Comparison[]): ContenderName[] {
  const lanes = new Set(
    comparisons.flatMap(({ samples, excluded }) => [
      ...samples.map(({ lane }) => lane),
      ...Object.keys(excluded),
    ]),
  );
  return (Object.keys(CONTENDERS) as ContenderName[]).filter((name) => name !== "bare" && lanes.has(name));
}

export function shareTable(comparisons: Comparison[]): string {
  const names = namesIn(comparisons);
  const rows = comparisons.map(({ workload, samples, excluded }) => [
    WORKLOADS[workload].title,
    ...names.map((name) =>
      excluded[name] === undefined ? showRatio(rateShare(samples, name, "bare")) : "not supported",
    ),
  ]);
  return table(["Workload", ...names.map((name) => CONTENDERS[name])], rows);
}

export function listExclusions(comparisons: Comparison[]): string[] {
  return namesIn(comparisons).flatMap((name) => {
    const reasons = comparisons.flatMap(({ workload, excluded }) =>
      excluded[name] === undefined ? [] : [`${WORKLOADS[workload].title} (${excluded[name]})`],
    );
    return reasons.length === 0 ? [] : [`${CONTENDERS[name]} does not support: ${reasons.join("; ")}.`];
  });
}

export function latencyTable(comparisons: Comparison[], titleOf: (engine: Engine) => string): string {
  const mixes = comparisons
    .filter(({ workload }) => workload === "mix")
    .map((mix) => ({ ...mix, excluded: {} }));
  const rows = mixes.flatMap((mix) =>
    namesIn([mix]).map((name) => [
      titleOf(mix.engine),
      CONTENDERS[name],
      showRatio(listP99Ratio(mix.samples, name, "bare")),
    ]),
  );
  return table(["Engine", "Contender", "99th percentile, × the bare server"], rows);
}

export function networkTable({ network }: Results): string {
  const lanes = { [NETWORK_LANE]: "this release", [BASE_RELEASE]: `release ${BASE_RELEASE}` };
  const columns = Object.values(lanes).flatMap((title) => [
    `${title}, requests per second`,
    `${title}, 99th percentile in ms`,
  ]);
  const rows = network.map(({ part, samples }) => [
    WORKLOADS[NETWORK_PARTS[part]].title,
    ...Object.keys(lanes).flatMap((lane) => [
      showRange(laneRate(samples, lane)),
      showRange(laneP99Ms(samples, lane)),
    ]),
    showRatio(rateShare(samples, NETWORK_LANE, BASE_RELEASE)),
  ]);
  return table(["Workload", ...columns, `requests per second, × release ${BASE_RELEASE}`], rows);
}

export function uploadTable({ uploads }: Results): string {
  const rows = uploads.map(({ engine, uploads: count, samples }) => [
    ENGINES[engine],
    showCount(count),
    showRatio(rateShare(samples, UPLOAD_LANES.with, UPLOAD_LANES.without)),
    showRange(laneP99Ms(samples, UPLOAD_LANES.without)),
    showRange(laneP99Ms(samples, UPLOAD_LANES.with)),
    showRatio(p99Ratio(samples, UPLOAD_LANES.with, UPLOAD_LANES.without)),
  ]);
  const head = [
    "Engine",
    "photos",
    "hot list, share of that without uploads",
    "99th percentile without uploads, ms",
    "99th percentile with uploads, ms",
    "99th percentile, ×",
  ];
  return table(head, rows);
}

export function importTable({ imports }: Results): string {
  const rows = imports.flatMap((run) =>
    IMPORT_LANE_NAMES.map((lane) => [
      ENGINES[run.engine],
      IMPORT_LANES[lane],
      ...(["seconds", "cpuSeconds"] as const).flatMap((measure) => [
        showRange(summarise(run.rounds.map(({ [measure]: measured }) => measured[lane]))),
        showRatio(importRatio(run, lane, measure)),
      ]),
    ]),
  );
  const head = ["Engine", "File", "Duration, s", "× without profiles", "CPU time, s", "× without profiles"];
  return table(head, rows);
}

export function consoleTable({ console }: Results): string {
  const rows = console.flatMap(({ engine, loads }) =>
    (["cold", "warm"] as const).map((cache) => [
      ENGINES[engine],
      cache,
      showRange(summarise(loads.map((load) => load[cache].firstPaintMs))),
      showRange(summarise(loads.map((load) => load[cache].firstRowsMs))),
    ]),
  );
  return table(["Engine", "Cache", "first paint, ms", "first rows, ms"], rows);
}

export function streamTable({ streams }: Results): string {
  const rows = streams.map(({ engine, samples }) => {
    const memory = samples.flatMap(({ fault, residentMegabytes }) =>
      fault === undefined && residentMegabytes !== undefined ? [residentMegabytes.end] : [],
    );
    return [
      ENGINES[engine],
      showRatio(rateShare(samples, STREAM_LANES.with, STREAM_LANES.without)),
      showRange(laneP99Ms(samples, STREAM_LANES.without)),
      showRange(laneP99Ms(samples, STREAM_LANES.with)),
      showRange(summarise(memory)),
      showRatio(memoryGrowth(samples)),
    ];
  });
  const head = [
    "Engine",
    "hot list, share of that without streams",
    "99th percentile without streams, ms",
    "99th percentile with streams, ms",
    "resident memory at the end of a round, MB",
    "growth of resident memory, ×",
  ];
  return table(head, rows);
}

export function listingTable({ sizes, pages }: ListingRun): string {
  const [small, large] = sizes.map(String) as [string, string];
  const rows = pages.map(({ page, samples }) => [
    LISTING_PAGES[page].title,
    samples.some(({ lane }) => lane === "bare") ? showRatio(rateShare(samples, large, "bare")) : "–",
    ...[small, large].map((lane) => showRange(laneRate(samples, lane))),
    showRatio(timeRatio(samples, large, small)),
  ]);
  const rates = sizes.map((size) => `requests per second, ${showCount(size)} animals`);
  return table(["Page", "share of the bare server", ...rates, "time × smaller store"], rows);
}

export function growthTable({ lists, sizes }: Growth): string {
  const smallest = String(Math.min(...sizes.map(({ animals }) => animals)));
  const head = ["Animals"];
  for (const { workload } of lists)
    head.push(
      `${WORKLOADS[workload].title}, share of bare`,
      `${WORKLOADS[workload].title}, time × smallest store`,
    );
  const rows = sizes.map(({ animals, readySeconds, residentMegabytes }) => [
    showCount(animals),
    ...lists.flatMap(({ samples }) => [
      showRatio(rateShare(samples, String(animals), "bare")),
      showRatio(timeRatio(samples, String(animals), smallest)),
    ]),
    showRatio(summarise(readySeconds)),
    residentMegabytes.toFixed(0),
  ]);
  return table([...head, "start until ready, s", "resident memory after the hot list, MB"], rows);
}

export function gateTable({ gate }: Results): string {
  const base = gate[0]?.nanosecondsPerAdmission ?? 1;
  const rows = gate.map(({ keys, bytesPerKey, nanosecondsPerAdmission }) => [
    showCount(keys),
    keys < 1000 ? "not measurable" : bytesPerKey.toFixed(0),
    (nanosecondsPerAdmission / base).toFixed(2),
  ]);
  return table(["Keys in use", "gate memory per key, bytes", "time of an admission, × fewest keys"], rows);
}

export function boundTable(results: Results): string {
  const rows = checkBounds(results).map(({ title, bound, found, state }) => [
    title,
    bound,
    found,
    state === "missed" ? "**missed**" : state,
  ]);
  return table(["Bound", "Required", "Measured", ""], rows);
}

export function listInvalidRounds(results: Results): string[] {
  const groups = [
    ...results.comparisons.map(({ engine, workload, samples }) => ({
      where: `${engine}, ${WORKLOADS[workload].title}`,
      samples,
    })),
    ...results.network.map(({ part, samples }) => ({ where: part, samples })),
    ...results.streams.map(({ engine, samples }) => ({ where: `streams, ${engine}`, samples })),
    ...results.listings.flatMap(({ engine, pages }) =>
      pages.map(({ page, samples }) => ({
        where: `listings, ${engine}, ${LISTING_PAGES[page].title}`,
        samples,
      })),
    ),
    ...results.uploads.map(({ engine, samples }) => ({ where: `uploads, ${engine}`, samples })),
    ...results.growth.flatMap(({ engine, lists }) =>
      lists.map(({ workload, samples }) => ({
        where: `growth, ${engine}, ${WORKLOADS[workload].title}`,
        samples,
      })),
    ),
  ];
  return groups.flatMap(({ where, samples }) =>
    samples
      .filter(({ fault }) => fault !== undefined)
      .map(({ lane, round, fault }) => `${where}, ${lane}, round ${round}: ${fault}`),
  );
}
