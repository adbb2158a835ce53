// The report of a run: one table for people, the same in docs/benchmarks.md, and what is wrong with the run.

import { PREVIOUS_RELEASE, type Results } from "../bench.ts";
import { ENGINE_NAMES, ENGINES } from "../data/stores.ts";
import { WORKLOADS } from "../workloads.ts";
import { type Figure, listFigures, showCount } from "./figures.ts";

/** Share of all cores that other programs may use, and share of measurements in which they may use more. */
const BUSY_SHARE = 0.1;
const BUSY_PART_MAX = 0.2;

export function renderTable(results: Results): string {
  const { isAgainst, sizes } = results;
  const sections = {
    node: `Share of a bare \`node:http\` server, ${showCount(sizes.large)} animals`,
    sizes: "Share of get by id on the same node",
    network: `3 nodes behind nginx, × release ${PREVIOUS_RELEASE}`,
    import: `Import of ${showCount(sizes.rows)} rows`,
  };
  const rows = [["", ...ENGINE_NAMES.flatMap((engine) => [ENGINES[engine], "target"])]];
  const sectionOf = ({ setting }: Figure) => (isAgainst ? "New / old" : sections[setting]);
  for (const [section, figures] of Map.groupBy(listFigures(results), sectionOf)) {
    rows.push([`**${section}**`, "", "", "", ""]);
    for (const { title, cells } of figures) rows.push([title, ...cells.flatMap(showCell)]);
  }
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => "-".repeat(width));
  const lines = rows.toSpliced(1, 0, rule).map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)));
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function showCell(cell: Figure["cells"][number]): [value: string, verdict: string] {
  if (cell === undefined) return ["–", ""];
  const { ratio, target, isMet } = cell;
  const verdict = target === "" ? "" : `${target} ${isMet ? "ok" : "**missed**"}`;
  if (ratio === undefined) return ["invalid", verdict];
  const [median, min, max] = [ratio.median, ratio.min, ratio.max].map((value) => value.toFixed(2));
  return [`${median} (${min}–${max})`, verdict];
}

/** Empty if every target is met, every round is valid, and the machine was quiet. A quick run is too small for targets. */
export function listComplaints(results: Results): string[] {
  const missed = listFigures(results).flatMap(({ title, cells }) =>
    cells.map((cell, i) => {
      if (cell === undefined || cell.isMet || results.isQuick) return "";
      return `Missed: ${title}, ${ENGINE_NAMES[i]}: ${showCell(cell)[0]}, required ${cell.target}`;
    }),
  );
  const invalid = results.samples.map(({ engine, workload, lane, round, fault }) =>
    fault === undefined ? "" : `Invalid: ${engine}, ${workload}, ${lane}, round ${round}: ${fault}`,
  );
  const { isBusy, text } = describeForeignLoad(results);
  return [...missed, ...invalid, isBusy ? `Busy: ${text}` : ""].filter((line) => line !== "");
}

function describeForeignLoad({ samples }: Results): { isBusy: boolean; text: string } {
  const busy = samples.filter(({ foreignShare }) => foreignShare > BUSY_SHARE).length;
  const text = `Other programs used over ${BUSY_SHARE * 100} % of all cores in ${busy} of ${samples.length} measurements.`;
  return { isBusy: busy > samples.length * BUSY_PART_MAX, text };
}

/** Replaces the part between the marks of the document, and keeps the text around it. */
export function updateDocument(document: string, results: Results): string {
  const { release, date, rounds, seconds, machine } = results;
  const meanings = WORKLOADS.map(({ name, meaning }) => `- **${name.replaceAll("-", " ")}**: ${meaning}`);
  const head = `Release ${release}, ${date}, ${rounds} rounds of ${seconds} s after a warm-up. Machine: ${machine}.`;
  const invalid = listComplaints(results).filter((line) => line.startsWith("Invalid"));
  const notes = [describeForeignLoad(results).text, ...invalid].join("\n\n");
  const parts = [head, renderTable(results), meanings.join("\n"), notes];
  const text = `<!-- results -->\n\n${parts.join("\n\n")}\n\n<!-- end -->`;
  return document.replace(/<!-- results -->[\s\S]*<!-- end -->/, () => text);
}
