// Reads CSV (RFC 4180) from bytes as they come: records with the line they begin on, one by one and whole.

import { isUtf8 } from "node:buffer";
import { OperatorError } from "../../tools/operator-error.ts";
import { BOM, LF } from "./lines.ts";
import { createRest } from "./rest.ts";

/** The less likely one is part of a heading, the sooner it is taken. */
const DELIMITERS = ["\t", ";", ","];

export interface CsvRecord {
  line: number;
  /** There where a quoted field makes it go over several lines. */
  endLine?: number;
  /** Absent for a record that cannot be read; `problem` says why. */
  fields?: string[];
  problem?: string;
}

export interface CsvRecords {
  /** The records that this piece completes. Throws an OperatorError where none can be told from the next any more. */
  push(bytes: Buffer): CsvRecord[];
  /** The last record, where no line end follows it. */
  end(): CsvRecord[];
  /** The one given, or the one that the first record shows. */
  delimiter(): string;
}

/** Bounds memory, and tells a quote that is never closed from a long text. */
const RECORD_BYTES_MAX = 2 ** 20;

const QUOTE = 0x22;
const CR = 0x0d;

type State = "field start" | "plain" | "quoted" | "closed";

export function createCsvRecords(given?: string): CsvRecords {
  let delimiter = given;
  /** The bytes of the record that is not complete yet; `at` is how far they were looked at. */
  const rest = createRest();
  let at = 0;
  /** Where the header begins, and how far its end was looked for. */
  let headerAt = -1;
  let headerLookedAt = 0;
  let state: State = "field start";
  let line = 1;
  let lineEnds = 0;
  let isAtStart = true;
  let isEnding = false;

  function push(bytes: Buffer): CsvRecord[] {
    const buffer = rest.append(bytes);
    if (isAtStart && !beginRead(buffer)) return [];
    const records: CsvRecord[] = [];
    let begin = isAtStart && buffer.subarray(0, 3).equals(BOM) ? 3 : 0;
    if (isAtStart) at = begin;
    isAtStart = false;
    const separator = (delimiter ?? ",").charCodeAt(0);
    for (; at < buffer.length; at++) {
      const byte = buffer[at] as number;
      if (byte === LF) lineEnds += 1;
      state = nextState(state, byte, separator);
      if (byte !== LF || state === "quoted") continue;
      records.push(...take(buffer.subarray(begin, at)));
      begin = at + 1;
    }
    rest.keep(begin);
    at -= begin;
    if (rest.length() > RECORD_BYTES_MAX) throw neverClosed();
    return records;
  }

  /** The delimiter must be known before the first field ends. False while the first line is not complete. */
  function beginRead(buffer: Buffer): boolean {
    for (; headerAt < 0 && headerLookedAt < buffer.length; headerLookedAt++)
      if (!isWhite(buffer[headerLookedAt] as number)) headerAt = headerLookedAt;
    const end = headerAt < 0 ? -1 : buffer.indexOf(LF, headerLookedAt);
    headerLookedAt = buffer.length;
    if (end < 0 && !isEnding && buffer.length <= RECORD_BYTES_MAX) return false;
    delimiter ??= detectDelimiter(end < 0 ? "" : buffer.toString("latin1", headerAt, end));
    return true;
  }

  function take(bytes: Buffer): CsvRecord[] {
    const record: CsvRecord = { line, ...readFields(bytes, delimiter ?? ",") };
    if (lineEnds > 1) record.endLine = line + lineEnds - 1;
    line += lineEnds;
    lineEnds = 0;
    state = "field start";
    // An empty line, or what a spreadsheet leaves of one.
    return record.fields?.every((field) => field.trim() === "") ? [] : [record];
  }

  function neverClosed(): OperatorError {
    return new OperatorError(
      `The row on line ${line} does not end: is a quote there never closed? Nothing after it can be read.`,
    );
  }

  return {
    push,
    end() {
      if (rest.length() === 0) return [];
      isEnding = true;
      // A last line without its end is read as if it had one; what a quote holds open has none.
      const records = push(Buffer.from([LF]));
      if (rest.length() > 0) throw neverClosed();
      return records;
    },
    delimiter: () => delimiter ?? ",",
  };
}

/** Space, tab, and the ends of lines and pages. */
function isWhite(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= CR);
}

function nextState(state: State, byte: number, separator: number): State {
  if (state === "quoted") return byte === QUOTE ? "closed" : "quoted";
  if (byte === separator) return "field start";
  if (byte === QUOTE && state !== "plain") return "quoted";
  // Only the line end may follow a closing quote.
  return state === "closed" && byte === CR ? "closed" : "plain";
}

function readFields(bytes: Buffer, delimiter: string): { fields: string[] } | { problem: string } {
  if (!isUtf8(bytes)) return { problem: "the row is not UTF-8" };
  const text = bytes.toString("utf8", 0, bytes.at(-1) === CR ? bytes.length - 1 : bytes.length);
  if (!text.includes('"')) return { fields: text.split(delimiter) };
  const fields: string[] = [];
  for (let from = 0; from <= text.length; ) {
    const end = text[from] === '"' ? endOfQuoted(text, from) : endOfPlain(text, from, delimiter);
    const raw = text.slice(from, end);
    fields.push(text[from] === '"' ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end < text.length && text[end] !== delimiter) return { problem: "text follows a closing quote" };
    from = end + 1;
  }
  return { fields };
}

/** Behind the closing quote; two quotes in a row stand for one. */
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

/** The one that the header has most of. */
function detectDelimiter(header: string): string {
  // Every second part is quoted, except one that is last because its quote is never closed.
  const bare = header
    .split('"')
    .filter((_, place, parts) => place % 2 === 0 || place === parts.length - 1)
    .join("");
  const count = (each: string) => bare.split(each).length - 1;
  const [best = ","] = [...DELIMITERS].sort((one, other) => count(other) - count(one));
  return count(best) > 0 ? best : ",";
}
