// Formats numbers, tables and lists for the document.

import type { Ratio } from "../ratios.ts";

export function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** "0.52 (0.50–0.55)" */
export function showRatio(ratio: Ratio | undefined): string {
  if (ratio === undefined) return "invalid";
  return `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`;
}

/** "1,520 (1,470–1,600)" */
export function showRange(range: Ratio | undefined): string {
  if (range === undefined) return "invalid";
  const [median, min, max] = [range.median, range.min, range.max].map((value) =>
    showCount(Math.round(value)),
  );
  return `${median} (${min}–${max})`;
}

/** 1000000 → "1,000,000" */
export function showCount(count: number): string {
  return count.toLocaleString("en-GB");
}

export function bullets(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
