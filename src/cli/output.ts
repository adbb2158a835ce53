// What commands print: tables for people, JSON for programs.

import { once } from "node:events";

/** A reader that closes early, such as `| head`, ends a command without a failure. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** For people, beside the output that a program may read. */
export function printNote(text: string): void {
  process.stderr.write(`animal-store: ${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, exactIntegers, 2));
}

export function printTable(head: string[], rows: string[][]): void {
  createTable(head)(rows);
}

/** Prints a table in parts: the first decides how wide the columns are, and a longer cell later makes its own wider. */
export function createTable(head: string[]): (rows: string[][]) => void {
  const widths = head.map((title) => title.length);
  let isBegun = false;

  function formatRow(row: string[]): string {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return cells.join("  ").trimEnd();
  }

  return (rows) => {
    for (const row of rows)
      for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
    print((isBegun ? rows : [head, ...rows]).map(formatRow).join("\n"));
    isBegun = true;
  };
}

/** Prints a JSON array in parts, as `printJson` prints it whole. */
export function createJsonList(): { add(values: unknown[]): void; end(): void } {
  let isEmpty = true;
  return {
    add(values) {
      const texts = values.map((value) => indent(JSON.stringify(value, exactIntegers, 2)));
      if (texts.length === 0) return;
      process.stdout.write(`${isEmpty ? "[" : ","}\n${texts.join(",\n")}`);
      isEmpty = false;
    },
    end: () => print(isEmpty ? "[]" : "\n]"),
  };
}

/** Only after line feeds: a pattern with `^` would also change text behind U+2028 within a string. */
function indent(json: string): string {
  return `  ${json.replaceAll("\n", "\n  ")}`;
}

/** Resolves when whoever reads has caught up, so that what is printed does not pile up in memory. */
export async function untilRead(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
}

/** How many rows a store holds of what. */
export function printCounts(counts: Record<string, number>): void {
  printTable(
    ["WHAT", "ROWS"],
    Object.entries(counts).map(([word, count]) => [word, String(count)]),
  );
}

/** One thing with its properties below each other. */
export function printProperties(properties: Record<string, string>): void {
  const width = Math.max(...Object.keys(properties).map((name) => name.length));
  for (const [name, value] of Object.entries(properties)) print(`${name.padEnd(width)}  ${value}`);
}

function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
}
