// Reads a CSV file (RFC 4180) in the browser: its encoding, its delimiter, and its records with their lines.

import { DETECTED_DELIMITERS, findSepDelimiter } from "../../../src/transfer/files/delimiters.ts";

export interface CsvRecord {
  /** The line on which it begins, as a text editor shows it. */
  line: number;
  /** Undefined if text follows a closing quote. */
  fields: string[] | undefined;
}

/** A quote that is never closed. */
export class OpenQuoteError extends Error {
  readonly line: number;
  constructor(line: number) {
    super();
    this.line = line;
  }
}

/** UTF-8 and UTF-16 with or without a byte order mark; other bytes are read as Windows-1252, as old spreadsheets write. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Without empty records, and without a first line such as `sep=;`. Throws an OpenQuoteError. */
export function readRecords(text: string): CsvRecord[] {
  const firstLine = text.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  const sep = findSepDelimiter(firstLine);
  const records = splitRecords(text, sep ?? detectDelimiter(firstLine)).filter(
    ({ fields }) => fields === undefined || fields.some((field) => field.trim() !== ""),
  );
  return sep === undefined ? records : records.slice(1);
}

/** The delimiter that is most frequent in the first line, outside of quotes. */
function detectDelimiter(line: string): string {
  const bare = line
    .split('"')
    .filter((_, index) => index % 2 === 0)
    .join("");
  const count = (each: string) => bare.split(each).length - 1;
  const [best = ","] = [...DETECTED_DELIMITERS].sort((one, other) => count(other) - count(one));
  return count(best) > 0 ? best : ",";
}

function splitRecords(text: string, delimiter: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { line, fields: [] };
    let isEnd = false;
    while (!isEnd) {
      const isQuoted = text[at] === '"';
      const end = isQuoted ? endOfQuoted(text, at, record.line) : at;
      const rest = endOfPlain(text, end, delimiter);
      const field = isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, rest);
      if (isQuoted && rest > end) record.fields = undefined;
      else record.fields?.push(field);
      line += countLineEnds(text.slice(at, end));
      at = rest + 1;
      isEnd = text[rest] !== delimiter;
    }
    line += 1;
    // CR and LF together are one line end.
    if (text[at - 1] === "\r" && text[at] === "\n") at += 1;
    records.push(record);
  }
  return records;
}

/** The index after the closing quote; two quotes in a row are one quote in the text. */
function endOfQuoted(text: string, from: number, line: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at + 1;
  throw new OpenQuoteError(line);
}

/** The index of the next delimiter or line end. */
function endOfPlain(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at += 1;
  return at;
}

function countLineEnds(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}
