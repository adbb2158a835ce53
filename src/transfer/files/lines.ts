// Incremental reader of lines with their numbers; blank lines are skipped.

import { OperatorError } from "../../tools/operator-error.ts";
import { createRest } from "./rest.ts";

export interface Line {
  line: number;
  bytes: Buffer;
}

export const LF = 0x0a;
const LINE_BYTES_MAX = 2 ** 20;
/** Byte order mark, which some programs write before the first line. */
export const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

export function createLines(): { push(bytes: Buffer): Line[]; end(): Line[] } {
  const rest = createRest();
  let line = 0;

  function push(bytes: Buffer): Line[] {
    const scanned = rest.length();
    const buffer = rest.append(bytes);
    const lines: Line[] = [];
    let begin = 0;
    for (let end = buffer.indexOf(LF, scanned); end >= 0; end = buffer.indexOf(LF, begin)) {
      lines.push(...take(buffer.subarray(begin, end)));
      begin = end + 1;
    }
    rest.keep(begin);
    if (rest.length() > LINE_BYTES_MAX)
      throw new OperatorError(`Line ${line + 1} is longer than ${LINE_BYTES_MAX / 2 ** 20} MiB.`);
    return lines;
  }

  function take(bytes: Buffer): Line[] {
    line += 1;
    const own = line === 1 && bytes.subarray(0, 3).equals(BOM) ? bytes.subarray(3) : bytes;
    return isBlank(own) ? [] : [{ line, bytes: own }];
  }

  return { push, end: () => (rest.length() === 0 ? [] : push(Buffer.from([LF]))) };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
