// Reads a CSV file (RFC 4180) in the browser: its encoding, its delimiter, and its records with their lines.

import { detectDelimiter, findSepDelimiter } from "../../../src/transfer/formats/csv-text.ts";
import {
  chooseEncoding,
  createUtf8Counts,
  type Encoding,
  findByteOrderMark,
  findUtf16,
  HEAD_BYTES,
} from "../../../src/transfer/formats/encodings.ts";

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

/** Stands for bytes that are no character. Half of a surrogate pair, so no other text contains it. */
export const UNREADABLE = "\uDFFF";
/** The bytes without a character in Windows-1252, which browsers read as control characters. */
const UNASSIGNED = /[\x81\x8d\x8f\x90\x9d]/g;

/** In the encoding that the command import would choose. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes);
  const decode = (fatal: boolean) => new TextDecoder(encoding, { fatal }).decode(bytes);
  if (encoding === "windows-1252") return decode(false).replaceAll(UNASSIGNED, UNREADABLE);
  try {
    return decode(true);
  } catch {
    return decode(false).replaceAll("\uFFFD", UNREADABLE);
  }
}

function detectEncoding(bytes: Uint8Array): Encoding {
  const head = bytes.subarray(0, HEAD_BYTES);
  const found = findByteOrderMark(head) ?? findUtf16(head);
  if (found !== undefined) return found;
  const counts = createUtf8Counts();
  counts.push(bytes);
  return chooseEncoding(counts.end());
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
