// Incremental reader of lines with their numbers, and the records that formats read from them. Lines end with CR, LF or CRLF.

import { ServiceError } from "../../domain/basics/errors.ts";

export interface FileRecord {
  line: number;
  /** Present if the record spans several lines. */
  endLine?: number;
  /** By heading. Absent if the record cannot be read; `problem` says why. */
  fields?: unknown[];
  problem?: string;
}

export interface FileRecords {
  /** Pieces of some KiB: an incomplete line is copied with each. Throws `invalid_file`. */
  push(bytes: Buffer): FileRecord[];
  end(): FileRecord[];
  /** Complete only at the end of an NDJSON file. */
  headings(): readonly string[];
  /** Undefined for NDJSON. */
  delimiter(): string | undefined;
}

export interface Line {
  line: number;
  /** Without the line end. */
  bytes: Buffer;
  /** The bytes that end the line. Empty for a last line without them. */
  end: Buffer;
}

export const LF = 0x0a;
export const CR = 0x0d;
const NOTHING = Buffer.alloc(0);
export const LINE_BYTES_MAX = 2 ** 20;
/** With a wrong delimiter, or members that differ in each line, there would be millions. */
export const HEADINGS_MAX = 1_000;

/** `explain` returns the error for a line that is too long, from its number and its first bytes. */
export function createLines(explain: (line: number, bytes: Buffer) => ServiceError = explainTooLong) {
  let line = 0;
  /** The bytes of the incomplete line. Those before `scanned` contain no line end. */
  let rest: Buffer = NOTHING;
  let scanned = 0;

  function push(bytes: Buffer, isLast = false): Line[] {
    const buffer = Buffer.concat([rest, bytes]);
    const lines: Line[] = [];
    let begin = 0;
    let at = scanned;
    for (; at < buffer.length; at++) {
      if (buffer[at] !== LF && buffer[at] !== CR) continue;
      // The line feed of CRLF may follow in the next piece.
      if (buffer[at] === CR && at === buffer.length - 1 && !isLast) break;
      const next = buffer[at] === CR && buffer[at + 1] === LF ? at + 2 : at + 1;
      line += 1;
      lines.push({ line, bytes: buffer.subarray(begin, at), end: buffer.subarray(at, next) });
      begin = next;
      at = next - 1;
    }
    rest = buffer.subarray(begin);
    scanned = at - begin;
    if (rest.length > LINE_BYTES_MAX) throw explain(line + 1, rest);
    return lines;
  }

  return {
    push: (bytes: Buffer) => push(bytes),
    end(): Line[] {
      const lines = push(NOTHING, true);
      return rest.length === 0 ? lines : [...lines, { line: line + 1, bytes: rest, end: NOTHING }];
    },
  };
}

export function explainTooLong(line: number): ServiceError {
  const limit = `${LINE_BYTES_MAX / 2 ** 20} MiB`;
  return invalidFile(`Line ${line} is longer than ${limit}. Check that each row is on a line of its own.`);
}

/** The file cannot be read to its end. */
export function invalidFile(message: string): ServiceError {
  return new ServiceError("invalid_file", { message });
}
