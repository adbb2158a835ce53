// Incremental reader of CSV (RFC 4180): complete records with the line on which they begin.

import { isUtf8 } from "node:buffer";
import type { ServiceError } from "../../domain/basics/errors.ts";
import { detectDelimiter, findSepDelimiter } from "./csv-text.ts";
import { createLines, explainTooLong, invalidFile, LINE_BYTES_MAX, type Line } from "./lines.ts";

export interface CsvRecord {
  line: number;
  /** Present if a quoted field makes the record span several lines. */
  endLine?: number;
  /** Approximate if the record cannot be read; `problem` says why. */
  fields: string[];
  problem?: string;
}

export interface CsvRecords {
  /** The records that these bytes complete. Throws `invalid_file` for a quote that is never closed. */
  push(bytes: Buffer): CsvRecord[];
  /** The last record, if no line end follows it. */
  end(): CsvRecord[];
  /** The given delimiter, or the one detected in the header. */
  delimiter(): string;
}

/** Limits memory, and detects a quote that is never closed. */
const RECORD_BYTES_MAX = LINE_BYTES_MAX;
/** Joined into one: many empty lines in a quoted field would take far more memory than their bytes. */
const PARTS_JOINED = 1_000;
const QUOTE = 0x22;

/** The problem of a record whose bytes are not UTF-8. */
export const NOT_UTF8 = "the row is not UTF-8";

type State = "field start" | "plain" | "quoted" | "closed";

export function createCsvRecords(given?: string): CsvRecords {
  const header = createHeaderReader(given);
  let state: State = "field start";
  const open = createOpenRecord();
  const lines = createLines((line, bytes) => {
    const isQuoted = findState(bytes, state, header.delimiter()) === "quoted";
    return isQuoted ? explainOpenQuote(open.firstLine() ?? line) : explainTooLong(line);
  });

  function readLine(line: Line): CsvRecord[] {
    if (line.bytes.length === 0 && open.firstLine() === undefined) return [];
    header.read(line.bytes);
    state = findState(line.bytes, state, header.delimiter());
    if (state === "quoted") {
      open.addOpen(line);
      return [];
    }
    state = "field start";
    return toRecord(open.close(line), line.line);
  }

  /** Nothing for an empty line, for delimiters only, as spreadsheets write them, and for the line `sep=;`. */
  function toRecord({ line, bytes }: { line: number; bytes: Buffer }, endLine: number): CsvRecord[] {
    const record: CsvRecord = {
      line,
      ...readFields(bytes, header.delimiter() ?? ","),
      ...(endLine > line && { endLine }),
    };
    if (record.fields.every((field) => field.trim() === "")) return [];
    return header.takeSepLine() ? [] : [record];
  }

  return {
    push: (bytes) => lines.push(bytes).flatMap(readLine),
    end() {
      const records = lines.end().flatMap(readLine);
      const unclosed = open.firstLine();
      if (unclosed !== undefined) throw explainOpenQuote(unclosed);
      return records;
    },
    delimiter: () => header.delimiter() ?? ",",
  };
}

/** Finds the delimiter in the first line that is not empty: a header, or `sep=;`. */
function createHeaderReader(given: string | undefined) {
  let delimiter = given;
  let isFound = false;
  /** Whether the next record is the line `sep=;`, which is not a header. */
  let isSepLine = false;

  return {
    delimiter: () => delimiter,
    read(line: Buffer): void {
      if (isFound) return;
      const text = line.toString("latin1").trimStart();
      if (text === "") return;
      isFound = true;
      const sep = findSepDelimiter(text);
      isSepLine = sep !== undefined;
      delimiter ??= sep ?? detectDelimiter(text);
    },
    takeSepLine(): boolean {
      const isSkipped = isSepLine;
      isSepLine = false;
      return isSkipped;
    },
  };
}

/** Lines and line ends of a record whose last quote is open. */
function createOpenRecord() {
  let parts: Buffer[] = [];
  let bytes = 0;
  let added = 0;
  let first: number | undefined;

  return {
    /** Undefined if no record is open. */
    firstLine: () => first,
    addOpen(line: Line): void {
      first ??= line.line;
      parts.push(line.bytes, line.end);
      bytes += line.bytes.length + line.end.length;
      if (bytes > RECORD_BYTES_MAX) throw explainOpenQuote(first);
      added += 2;
      if (added % PARTS_JOINED === 0) parts.push(Buffer.concat(parts.splice(-PARTS_JOINED)));
    },
    /** The record that ends with this line. Most have one line, which is not copied. */
    close(line: Line): { line: number; bytes: Buffer } {
      if (first === undefined) return line;
      const record = { line: first, bytes: Buffer.concat([...parts, line.bytes]) };
      parts = [];
      bytes = 0;
      added = 0;
      first = undefined;
      return record;
    },
  };
}

function explainOpenQuote(line: number): ServiceError {
  return invalidFile(
    `The row on line ${line} does not end: check for a quote that is never closed. The rest of the file cannot be read.`,
  );
}

/** The state after these bytes of a line. Most lines have no quotes and need no scan. */
function findState(bytes: Buffer, before: State, delimiter = ","): State {
  if (before !== "quoted" && !bytes.includes(QUOTE)) return "plain";
  const separator = delimiter.charCodeAt(0);
  let state = before;
  for (let at = 0; at < bytes.length; at++) state = nextState(state, bytes[at] as number, separator);
  return state;
}

function nextState(state: State, byte: number, separator: number): State {
  if (state === "quoted") return byte === QUOTE ? "closed" : "quoted";
  if (byte === separator) return "field start";
  return byte === QUOTE && state !== "plain" ? "quoted" : "plain";
}

function readFields(bytes: Buffer, delimiter: string): Pick<CsvRecord, "fields" | "problem"> {
  const text = bytes.toString();
  if (!isUtf8(bytes)) return { fields: text.split(delimiter), problem: NOT_UTF8 };
  if (!text.includes('"')) return { fields: text.split(delimiter) };
  const fields: string[] = [];
  for (let from = 0; from <= text.length; ) {
    const end = text[from] === '"' ? endOfQuoted(text, from) : endOfPlain(text, from, delimiter);
    const raw = text.slice(from, end);
    fields.push(text[from] === '"' ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end < text.length && text[end] !== delimiter)
      return { fields: text.split(delimiter), problem: "text follows a closing quote" };
    from = end + 1;
  }
  return { fields };
}

/** The index after the closing quote; two quotes in a row are one quote in the text. */
function endOfQuoted(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at + 1;
  }
  return text.length;
}

function endOfPlain(text: string, from: number, delimiter: string): number {
  const end = text.indexOf(delimiter, from);
  return end < 0 ? text.length : end;
}
