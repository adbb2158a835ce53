// Output of commands: tables for people, JSON for programs.

import { once } from "node:events";
import { exactJson } from "../tools/exact-json.ts";

const HELP_WIDTH = 120;
const PAGE_SIZE = 1_000;

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
  print(exactJson(value, 2));
}

/** A table by columns: the title of each, and how it shows a row. */
export type Columns<T> = Record<string, (row: T) => string>;

export function printTable(head: string[], rows: string[][]): void {
  const columns = head.map((title, column) => [title, (row: string[]) => row[column] ?? ""]);
  createTable<string[]>(Object.fromEntries(columns))(rows);
}

/** Prints a table in parts. The first part sets the widths of the columns; a longer cell later widens its column. */
export function createTable<T>(columns: Columns<T>): (rows: T[]) => void {
  const head = Object.keys(columns);
  const widths = head.map((title) => title.length);
  let isBegun = false;

  function formatRow(row: string[]): string {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return cells.join("  ").trimEnd();
  }

  return (rows) => {
    const cells = rows.map((row) => Object.values(columns).map((show) => show(row)));
    for (const row of cells)
      for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
    print((isBegun ? cells : [head, ...cells]).map(formatRow).join("\n"));
    isBegun = true;
  };
}

interface List<T> {
  columns: Columns<T>;
  empty: string;
  limit?: number;
  /** Resolves to the first `limit` rows after `last`. */
  readPage(limit: number, last: T | undefined): Promise<T[]>;
}

/** Prints a list as a table or as JSON, page by page: it may be larger than the memory. */
export async function printList<T>(
  { columns, empty, limit = Number.POSITIVE_INFINITY, readPage }: List<T>,
  asJson: boolean,
): Promise<void> {
  const json = createJsonList();
  const printRows = createTable(columns);
  let left = limit;
  let last: T | undefined;
  while (left > 0) {
    const page = await readPage(Math.min(left, PAGE_SIZE), last);
    if (asJson) json.add(page);
    else if (page.length > 0) printRows(page);
    else if (last === undefined) print(empty);
    if (page.length < PAGE_SIZE) break;
    last = page.at(-1);
    left -= page.length;
    await untilRead();
  }
  if (asJson) json.end();
}

/** Prints a JSON array in parts, in the same format as `printJson`. */
function createJsonList(): { add(values: unknown[]): void; end(): void } {
  let isEmpty = true;
  return {
    add(values) {
      const texts = values.map((value) => indent(exactJson(value, 2)));
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

export function printCounts(counts: Record<string, number>): void {
  printTable(
    ["DATA", "ROWS"],
    Object.entries(counts).map(([word, count]) => [word, String(count)]),
  );
}

export function printProperties(properties: Record<string, string>): void {
  const width = Math.max(...Object.keys(properties).map((name) => name.length));
  const nextLine = `\n${" ".repeat(width + 2)}`;
  for (const [name, value] of Object.entries(properties))
    print(`${name.padEnd(width)}  ${value.replaceAll("\n", nextLine)}`);
}

export function showTime(time: Date | undefined, absent = ""): string {
  return time?.toISOString() ?? absent;
}

export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** Says how many animals were added, and their ids if there are any. */
export function describeAnimals(pets: number, first?: bigint, last?: bigint): string {
  const ids = first === last ? `id ${first}` : `ids from ${first} to ${last}`;
  return count(pets, "animal") + (pets === 0 ? "" : `, with ${ids}`);
}

/** The words of a list in a help text, each further line indented. */
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
