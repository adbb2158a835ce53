// The findings of `doctor`: their shape, their table for people, and the time limit of a check.

import { print, wrapText } from "../output.ts";

const COLUMNS_MAX = 100;
const COLUMNS_MIN = 60;
const HEAD = ["CHECK", "RESULT", "DETAIL"];

export interface Finding {
  check: string;
  result: "ok" | "warning" | "fault";
  detail: string;
  /** How to fix it; empty for "ok". */
  mend: string;
  /** If it may change between several servers: all of them. */
  servers?: FindingServer[];
}

export interface FindingServer {
  /** HOST:PORT */
  host: string;
  role: string;
  lagBytes?: number;
  lagSeconds?: number;
}

type Describe = (check: string, detail: string, mend: string) => Finding;

export const ok = (check: string, detail: string): Finding => ({ check, result: "ok", detail, mend: "" });
export const warning: Describe = (check, detail, mend) => ({ check, result: "warning", detail, mend });
export const fault: Describe = (check, detail, mend) => ({ check, result: "fault", detail, mend });

/** Prints a table at most 100 columns wide. A fix below it stays on one line, so that its command can be copied. */
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

/** Resolves to `late` if `work` takes longer; `work` is then left to its own time limits. */
export async function inTime<T>(work: Promise<T>, limitMs: number, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, limitMs, late);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
