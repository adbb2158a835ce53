// The tables of the document, each from the results of its part.

import { checkBounds } from "../bounds.ts";
import { CONTENDERS, type ContenderName } from "../contenders/contender.ts";
import type { Engine } from "../data/stores.ts";
import { WORKS } from "../load/works.ts";
import { listP99Ratio, rateShare, summarise, timeRatio } from "../ratios.ts";
import type { Comparison, Growth, Results } from "../results.ts";
import { showCount, showRatio, table } from "./text.ts";

export function namesIn(comparisons: Comparison[]): ContenderName[] {
  const lanes = new Set(
    comparisons.flatMap(({ samples, absent }) => [
      ...samples.map(({ lane }) => lane),
      ...Object.keys(absent),
    ]),
  );
  return (Object.keys(CONTENDERS) as ContenderName[]).filter((name) => name !== "bare" && lanes.has(name));
}

export function shareTable(comparisons: Comparison[]): string {
  const names = namesIn(comparisons);
  const rows = comparisons.map(({ work, samples, absent }) => [
    WORKS[work].title,
    ...names.map((name) =>
      absent[name] === undefined ? showRatio(rateShare(samples, name, "bare")) : "cannot",
    ),
  ]);
  return table(["Work", ...names.map((name) => CONTENDERS[name])], rows);
}

export function listAbsences(comparisons: Comparison[]): string[] {
  return namesIn(comparisons).flatMap((name) => {
    const reasons = comparisons.flatMap(({ work, absent }) =>
      absent[name] === undefined ? [] : [`${WORKS[work].title} (${absent[name]})`],
    );
    return reasons.length === 0 ? [] : [`${CONTENDERS[name]} cannot: ${reasons.join("; ")}.`];
  });
}

export function latencyTable(comparisons: Comparison[], titleOf: (engine: Engine) => string): string {
  const mixes = comparisons.filter(({ work }) => work === "mix").map((mix) => ({ ...mix, absent: {} }));
  const rows = mixes.flatMap((mix) =>
    namesIn([mix]).map((name) => [
      titleOf(mix.engine),
      CONTENDERS[name],
      showRatio(listP99Ratio(mix.samples, name, "bare")),
    ]),
  );
  return table(["Engine", "Contender", "99th percentile, × the bare server's"], rows);
}

export function growthTable({ lists, sizes }: Growth): string {
  const smallest = String(Math.min(...sizes.map(({ animals }) => animals)));
  const head = ["Animals"];
  for (const { work } of lists)
    head.push(`${WORKS[work].title}, share of bare`, `${WORKS[work].title}, time × the smallest`);
  const rows = sizes.map(({ animals, readySeconds, residentMegabytes }) => [
    showCount(animals),
    ...lists.flatMap(({ samples }) => [
      showRatio(rateShare(samples, String(animals), "bare")),
      showRatio(timeRatio(samples, String(animals), smallest)),
    ]),
    showRatio(summarise(readySeconds)),
    residentMegabytes.toFixed(0),
  ]);
  return table([...head, "ready after a start, s", "resident after the hot list, MB"], rows);
}

export function gateTable({ gate }: Results): string {
  const base = gate[0]?.nanosecondsPerAdmission ?? 1;
  const rows = gate.map(({ keys, bytesPerKey, nanosecondsPerAdmission }) => [
    showCount(keys),
    keys < 1000 ? "too few to tell" : bytesPerKey.toFixed(0),
    (nanosecondsPerAdmission / base).toFixed(2),
  ]);
  return table(["Keys in use", "bytes of gate memory each", "time of an admission, × the fewest keys"], rows);
}

export function boundTable(results: Results): string {
  const rows = checkBounds(results).map(({ what, bound, found, state }) => [
    what,
    bound,
    found,
    state === "missed" ? "**missed**" : state,
  ]);
  return table(["Bound", "Wanted", "Found", ""], rows);
}

export function listVoids(results: Results): string[] {
  const groups = [
    ...results.comparisons.map(({ engine, work, samples }) => ({
      where: `${engine}, ${WORKS[work].title}`,
      samples,
    })),
    ...results.growth.flatMap(({ engine, lists }) =>
      lists.map(({ work, samples }) => ({ where: `growth, ${engine}, ${WORKS[work].title}`, samples })),
    ),
  ];
  return groups.flatMap(({ where, samples }) =>
    samples
      .filter(({ fault }) => fault !== undefined)
      .map(({ lane, round, fault }) => `${where}, ${lane}, round ${round}: ${fault}`),
  );
}
