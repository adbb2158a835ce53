// Output of commands: tables for people, JSON for programs.

import { once } from "node:events";

const HELP_WIDTH = 120;

/** A command ends without an error when the reader of its output closes early, as `| head` does. */
export function exitWhenOutputCloses(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints a message for people to standard error, so that programs can read standard output. */
export function printNote(text: string): void {
  process.stderr.write(`animal-store: ${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, exactIntegers, 2));
}

/** The cells of a table by the titles of their columns. */
export type TableRow = Record<string, string>;

/** For at least one row. */
export function printTable(rows: TableRow[]): void {
  createTable()(rows);
}

/** Prints a table in parts. The first part sets the widths of the columns; a longer cell in a later part widens its column. */
export function createTable(): (rows: TableRow[]) => void {
  let widths: number[] | undefined;
  return (rows) => {
    const head = Object.keys(rows[0] ?? {});
    const lines = [...(widths === undefined ? [head] : []), ...rows.map((row) => Object.values(row))];
    const before = widths ?? [];
    widths = head.map((_, column) =>
      Math.max(before[column] ?? 0, ...lines.map((line) => line[column]?.length ?? 0)),
    );
    const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)));
    print(padded.map((line) => line.join("  ").trimEnd()).join("\n"));
  };
}

interface PagesOptions<T> {
  asJson: boolean;
  /** Printed for people if there is nothing. */
  empty: string;
  toRow(item: T): TableRow;
}

/** Prints a list page by page, because it may be larger than the memory. */
export async function printPages<T>(
  pages: AsyncIterable<T[]>,
  { asJson, empty, toRow }: PagesOptions<T>,
): Promise<void> {
  const json = createJsonList();
  const printRows = createTable();
  let isEmpty = true;
  for await (const page of pages) {
    isEmpty &&= page.length === 0;
    if (asJson) json.add(page);
    else if (page.length > 0) printRows(page.map(toRow));
    await untilRead();
  }
  if (asJson) json.end();
  else if (isEmpty) print(empty);
}

/** Prints a JSON array in parts, in the same format as `printJson`. */
function createJsonList(): { add(values: unknown[]): void; end(): void } {
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

/** Only line feeds count: a pattern with `^` would also match after U+2028 inside a string. */
function indent(json: string): string {
  return `  ${json.replaceAll("\n", "\n  ")}`;
}

/** Resolves when the reader has taken the output, so that it does not fill the memory. */
export async function untilRead(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
}

/** Prints how many rows of each kind a store has. */
export function printCounts(counts: Record<string, number>): void {
  printTable(Object.entries(counts).map(([DATA, count]) => ({ DATA, ROWS: String(count) })));
}

/** Prints one property per line. */
export function printProperties(properties: Record<string, string>): void {
  const width = Math.max(...Object.keys(properties).map((name) => name.length));
  for (const [name, value] of Object.entries(properties)) print(`${name.padEnd(width)}  ${value}`);
}

export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** How many animals were added, and their ids if there are any. */
export function describeAnimals(pets: number, first?: bigint, last?: bigint): string {
  const ids = first === last ? `id ${first}` : `ids from ${first} to ${last}`;
  return count(pets, "animal") + (pets === 0 ? "" : `, with ${ids}`);
}

/** The words of a list in a help text, indented. */
export function wrapWords(words: readonly string[], indent: number): string {
  return wrapText(words.join(", "), HELP_WIDTH - indent).join(`\n${" ".repeat(indent)}`);
}

/** Breaks at spaces. A longer word, such as a path, has a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
}
