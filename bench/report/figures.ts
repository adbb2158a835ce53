// The figures of the table: ratios within each round, with median, minimum and maximum, and their targets.

import { OTHER, type Results, type Sample } from "../bench.ts";
import { ENGINE_NAMES } from "../data/stores.ts";
import { type Setting, type Targets, WORKLOADS, type Workload } from "../workloads.ts";

export interface Figure {
  setting: Setting;
  title: string;
  /** In the order of the engines; undefined if it was not measured. */
  cells: Array<Cell | undefined>;
}

interface Cell {
  /** Undefined without a valid round. */
  ratio: { median: number; min: number; max: number } | undefined;
  /** Such as "≥ 0.75"; empty if there is none. */
  target: string;
  isMet: boolean;
}

/** A measure of one lane, divided by the same of another lane in the same round; "" if it is a ratio already. */
type Row = [title: string, measure: Measure, lane: string, by: string, targets?: Targets | undefined];

/** A rate has a least target, all others have a highest. `time` is 1 / rate. */
type Measure = "rate" | "time" | "p99Ms" | "probeMs" | "duration" | "slowdown";

/** Compares two checkouts. A 99th percentile varies too much for a target. */
const AGAINST: Array<[title: string, measure: Measure, targets?: Targets]> = [
  ["", "rate", [0.95, 0.95]],
  [", duration", "duration", [1.05, 1.05]],
  [", 99th percentile", "p99Ms"],
  [", 99th percentile of the hot list", "probeMs"],
];

export function listFigures({ samples, sizes, isAgainst }: Results): Figure[] {
  const figures = WORKLOADS.flatMap((workload) => {
    const own = samples.filter((sample) => sample.workload === workload.name);
    const rows = isAgainst ? listAgainstRows(workload, own) : listRows(workload, sizes);
    return rows.map((row) => ({ setting: workload.setting, title: row[0], cells: listCells(row, own) }));
  });
  return figures.filter(({ cells }) => cells.some((cell) => cell !== undefined));
}

function listRows({ setting, name, least, probe }: Workload, sizes: Results["sizes"]): Row[] {
  const title = name.replaceAll("-", " ");
  const [small, large] = [sizes.small, sizes.large].map(showCount);
  const p99 = "99th percentile of the hot list";
  const probed: Row = [`${p99} in the ${title}, × bare`, "probeMs", "service", "bare", probe];
  const rows: Record<Setting, Row[]> = {
    node: [
      [title, "rate", "service", "bare", least],
      [`${title}, Fastify`, "rate", "fastify", "bare"],
    ],
    sizes: [
      [`${title}, ${small} animals`, "rate", "small", "small get", least],
      [`${title}, ${large} animals`, "rate", "large", "large get", least],
      [`${title}, time × ${small} animals`, "time", "large", "small", [5, 5]],
    ],
    network: [
      [title, "rate", "network", "previous", least],
      [`${title}, 99th percentile`, "p99Ms", "network", "previous"],
    ],
    import: [
      ["duration with profiles, × without", "duration", "profiles", "plain", [2, 2]],
      [`${p99} without profiles, × before`, "slowdown", "plain", ""],
      [`${p99} with profiles, × before`, "slowdown", "profiles", ""],
    ],
  };
  return probe === undefined ? rows[setting] : [...rows[setting], probed];
}

/** Every lane that the other checkout has too. */
function listAgainstRows({ name }: Workload, samples: Sample[]): Row[] {
  const others = new Set(samples.map(({ lane }) => lane).filter((lane) => lane.startsWith(OTHER)));
  return [...others].flatMap((by) => {
    const lane = by.slice(OTHER.length);
    const rows = AGAINST.filter(([, measure]) => samples.some((sample) => read(sample, measure) > 0));
    return rows.map(([end, measure, targets]): Row => [`${name}, ${lane}${end}`, measure, lane, by, targets]);
  });
}

function listCells([, measure, lane, by, targets]: Row, samples: Sample[]): Figure["cells"] {
  return ENGINE_NAMES.map((engine, i) => {
    const own = samples.filter((sample) => sample.engine === engine);
    if (!own.some((sample) => sample.lane === lane)) return undefined;
    const valid = own.filter(({ fault }) => fault === undefined);
    const ratios = valid.map((sample) => {
      const base = valid.find((other) => other.lane === by && other.round === sample.round);
      return sample.lane === lane ? read(sample, measure) / (by === "" ? 1 : read(base, measure)) : 0;
    });
    const ratio = summarise(ratios.filter((each) => each > 0));
    const [target, sign] = [targets?.[i], measure === "rate" ? "≥" : "≤"];
    if (target === undefined) return { ratio, target: "", isMet: true };
    const isMet = ratio && (sign === "≥" ? ratio.median >= target : ratio.median <= target);
    return { ratio, target: `${sign} ${target}`, isMet: isMet === true };
  });
}

function read(sample: Sample | undefined, measure: Measure): number {
  return measure === "time" ? 1 / read(sample, "rate") : (sample?.[measure] ?? Number.NaN);
}

function summarise(values: number[]): Cell["ratio"] {
  const sorted = values.sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) return undefined;
  return { median: (low + high) / 2, min: Math.min(...sorted), max: Math.max(...sorted) };
}

/** 1000000 → "1,000,000" */
export function showCount(count: number): string {
  return count.toLocaleString("en-GB");
}
