// Incremental reader of CSV (RFC 4180): complete records with the line on which they begin.

import { isUtf8 } from "node:buffer";
import { OperatorError } from "../../tools/operator-error.ts";
import { detectDelimiter, findSepDelimiter } from "./delimiters.ts";
import { CR, isLineEnd, LF, LINE_BYTES_MAX, tooLong } from "./lines.ts";
import { createRest } from "./rest.ts";

export interface CsvRecord {
  line: number;
  /** Present if a quoted field makes the record span several lines. */
  endLine?: number;
  /** Absent if the record cannot be read; `problem` says why. */
  fields?: string[];
  problem?: string;
}

export interface CsvRecords {
  /** The records that these bytes complete. Throws an OperatorError for a quote that is never closed. */
  push(bytes: Buffer): CsvRecord[];
  /** The last record, if no line end follows it. */
  end(): CsvRecord[];
  /** The given delimiter, or the one detected in the header. */
  delimiter(): string;
}

/** Limits memory, and detects a quote that is never closed. */
const RECORD_BYTES_MAX = LINE_BYTES_MAX;

const QUOTE = 0x22;

/** The problem of a record whose bytes are not UTF-8. */
export const NOT_UTF8 = "the row is not UTF-8";

type State = "field start" | "plain" | "quoted" | "closed";

export function createCsvRecords(given?: string): CsvRecords {
  let delimiter = given;
  /** The bytes of the incomplete record; those before `at` have been scanned. */
  const rest = createRest();
  let at = 0;
  /** Where the header begins, and how far it was scanned for its end. */
  let headerAt = -1;
  let headerScannedTo = 0;
  let state: State = "field start";
  let line = 1;
  let lineEnds = 0;
  let isAtStart = true;
  let isEnding = false;
  /** A line feed after a carriage return belongs to the same line end. */
  let isAfterCr = false;
  /** Whether the next record is the line `sep=;`, which is not a header. */
  let isSepLine = false;

  function push(bytes: Buffer): CsvRecord[] {
    const buffer = rest.append(bytes);
    if (isAtStart && !readHeader(buffer)) return [];
    const records: CsvRecord[] = [];
    let begin = 0;
    isAtStart = false;
    const separator = (delimiter ?? ",").charCodeAt(0);
    const finders = [QUOTE, LF, CR].map((byte) => createFinder(buffer, byte));
    /** The index of the next byte that counts inside of quotes. */
    const skipQuoted = (from: number) => Math.min(...finders.map((find) => find(from)));
    for (; at < buffer.length; at++) {
      const byte = buffer[at] as number;
      const isSecondHalf = isAfterCr && byte === LF;
      isAfterCr = byte === CR;
      if (isSecondHalf && begin === at) begin = at + 1;
      if (isSecondHalf) continue;
      if (isLineEnd(byte)) lineEnds += 1;
      state = nextState(state, byte, separator);
      if (!isLineEnd(byte) || state === "quoted") {
        if (state === "quoted" && !isAfterCr) at = skipQuoted(at + 1) - 1;
        if (state === "plain" && !isAfterCr) at = skipText(buffer, at + 1, separator) - 1;
        continue;
      }
      records.push(...take(buffer.subarray(begin, at)));
      begin = at + 1;
    }
    rest.keep(begin);
    at -= begin;
    if (rest.length() > RECORD_BYTES_MAX) throw state === "quoted" ? neverClosed() : tooLong(line);
    return records;
  }

  /** Detects the delimiter in the header. False while the header is incomplete. */
  function readHeader(buffer: Buffer): boolean {
    for (; headerAt < 0 && headerScannedTo < buffer.length; headerScannedTo++)
      if (!isWhite(buffer[headerScannedTo] as number)) headerAt = headerScannedTo;
    const end = headerAt < 0 ? -1 : buffer.subarray(headerScannedTo).findIndex(isLineEnd);
    const header = end < 0 ? "" : buffer.toString("latin1", headerAt, headerScannedTo + end);
    headerScannedTo = buffer.length;
    if (end < 0 && !isEnding && buffer.length <= RECORD_BYTES_MAX) return false;
    const sep = findSepDelimiter(header);
    isSepLine = sep !== undefined;
    delimiter ??= sep ?? detectDelimiter(header);
    return true;
  }

  function take(bytes: Buffer): CsvRecord[] {
    const record: CsvRecord = { line, ...readFields(bytes, delimiter ?? ",") };
    if (lineEnds > 1) record.endLine = line + lineEnds - 1;
    line += lineEnds;
    lineEnds = 0;
    state = "field start";
    // An empty line, or delimiters only, as spreadsheets write it.
    if (record.fields?.every((field) => field.trim() === "")) return [];
    const isSkipped = isSepLine;
    isSepLine = false;
    return isSkipped ? [] : [record];
  }

  function neverClosed(): OperatorError {
    return new OperatorError(
      `The row on line ${line} does not end: check for a quote that is never closed. The rest of the file cannot be read.`,
    );
  }

  return {
    push,
    end() {
      if (rest.length() === 0) return [];
      isEnding = true;
      // Completes a last line without a line end; a record inside an open quote stays incomplete.
      const records = push(Buffer.from([LF]));
      if (rest.length() > 0) throw neverClosed();
      return records;
    },
    delimiter: () => delimiter ?? ",",
  };
}

/** The index of the next byte that can end a field or a line: most bytes cannot. */
function skipText(buffer: Buffer, from: number, separator: number): number {
  for (let at = from; at < buffer.length; at++) {
    const byte = buffer[at];
    if (byte === QUOTE || byte === separator || byte === LF || byte === CR) return at;
  }
  return buffer.length;
}

/**
 * Finds a byte at or behind an index, or the end. The indexes must ascend: what was found before is not searched again, so that
 * all searches together are linear. A description is read in half the time that `skipText` needs.
 */
function createFinder(buffer: Buffer, byte: number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = buffer.indexOf(byte, from);
    if (found < 0) found = buffer.length;
    return found;
  };
}

/** Space, tab, line feed, vertical tab, form feed, carriage return. */
function isWhite(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= CR);
}

function nextState(state: State, byte: number, separator: number): State {
  if (state === "quoted") return byte === QUOTE ? "closed" : "quoted";
  if (byte === separator) return "field start";
  return byte === QUOTE && state !== "plain" ? "quoted" : "plain";
}

function readFields(bytes: Buffer, delimiter: string): { fields: string[] } | { problem: string } {
  if (!isUtf8(bytes)) return { problem: NOT_UTF8 };
  const text = bytes.toString();
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
