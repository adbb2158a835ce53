// The table that `doctor` prints for people: at most 100 columns wide, with the fixes below it.

import { print, wrapText } from "../output.ts";
import type { Finding } from "./finding.ts";

const COLUMNS_MAX = 100;
const COLUMNS_MIN = 60;
const HEAD = ["CHECK", "RESULT", "DETAIL"];

/** A fix stays on one line, because a command that is broken into lines cannot be copied. */
export function printFindings(findings: Finding[]): void {
  const columns = Math.min(COLUMNS_MAX, Math.max(COLUMNS_MIN, process.stdout.columns ?? COLUMNS_MAX));
  for (const line of formatFindings(findings, columns)) print(line);
  for (const { check, mend } of findings.filter(({ result }) => result !== "ok"))
    print(`\n${check}: ${mend}`);
}

export function formatFindings(findings: Finding[], columns: number): string[] {
  const rows = [HEAD, ...findings.map(({ check, result, detail }) => [check, result, detail])];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.flatMap(([check = "", result = "", detail = ""]) => {
    const start = `${check.padEnd(widths[0] ?? 0)}  ${result.padEnd(widths[1] ?? 0)}  `;
    const lines = wrapText(detail, columns - start.length);
    return lines.map((line, index) => (index === 0 ? start : " ".repeat(start.length)) + line);
  });
}
