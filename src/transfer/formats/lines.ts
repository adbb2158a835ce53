// Incremental reader of lines with their numbers; blank lines are skipped. Lines end with CR, LF or CRLF.

import { OperatorError } from "../../tools/operator-error.ts";
import { createRest } from "./rest.ts";

export interface Line {
  line: number;
  bytes: Buffer;
}

export const LF = 0x0a;
export const CR = 0x0d;
export const LINE_BYTES_MAX = 2 ** 20;

export function createLines(): { push(bytes: Buffer): Line[]; end(): Line[] } {
  const rest = createRest();
  let line = 0;
  let isAfterCr = false;

  function push(bytes: Buffer): Line[] {
    let at = rest.length();
    const buffer = rest.append(bytes);
    const lines: Line[] = [];
    let begin = 0;
    for (; at < buffer.length; at++) {
      const byte = buffer[at] as number;
      const isSecondHalf = isAfterCr && byte === LF;
      isAfterCr = byte === CR;
      if (!isLineEnd(byte)) continue;
      if (!isSecondHalf) lines.push(...take(buffer.subarray(begin, at)));
      begin = at + 1;
    }
    rest.keep(begin);
    if (rest.length() > LINE_BYTES_MAX) throw tooLong(line + 1);
    return lines;
  }

  function take(bytes: Buffer): Line[] {
    line += 1;
    return isBlank(bytes) ? [] : [{ line, bytes }];
  }

  return { push, end: () => (rest.length() === 0 ? [] : push(Buffer.from([LF]))) };
}

export function isLineEnd(byte: number): boolean {
  return byte === LF || byte === CR;
}

export function tooLong(line: number): OperatorError {
  const limit = `${LINE_BYTES_MAX / 2 ** 20} MiB`;
  return new OperatorError(
    `Line ${line} is longer than ${limit}. Check that each row is on a line of its own.`,
  );
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09);
}
