// The file of an import: read several times in portions, and refused if it changes in between.

import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { OperatorError } from "../../tools/operator-error.ts";
import { detectEncoding } from "../formats/decoder.ts";
import type { Encoding } from "../formats/encodings.ts";
import { createFileRecords, type FileFormat } from "../formats/file-records.ts";
import { CR, type FileRecord, invalidFile, LF } from "../formats/lines.ts";
import type { Progress } from "../progress.ts";

const PORTION_BYTES = 2 ** 14;
/** Lines that are read at once, because a portion may have thousands. */
const LINES_MAX = 250;
/** Other requests of the service wait no longer for the event loop. */
const BLOCKED_MS_MAX = 5;

interface SourceOptions {
  path: string;
  format: FileFormat;
  /** Detected if undefined. */
  encoding: Encoding | undefined;
  delimiter: string | undefined;
  signal: AbortSignal;
  onProgress: Progress;
}

export interface SourceFile {
  path: string;
  format: FileFormat;
  encoding: Encoding;
  /** Undefined for NDJSON. */
  delimiter(): string | undefined;
  /** Complete after the first reading. */
  headings(): readonly string[];
  /** SHA-256 of the file, after the first reading. */
  checksum(): Buffer;
  /**
   * Each record once, in order. Lets other work run every few milliseconds. Throws the reason of an aborted signal, and
   * `invalid_file` if the bytes differ from the first reading; `done` is for its message.
   */
  read(what: string, done?: () => number): AsyncGenerator<FileRecord>;
}

export async function openSource(options: SourceOptions): Promise<SourceFile> {
  const { path, format, signal, onProgress } = options;
  const size = sizeOf(path);
  const encoding = await detectEncoding({ path, size, given: options.encoding }, onProgress);
  const digests: Buffer[] = [];
  let isComplete = false;
  let headings: readonly string[] = [];
  let delimiter = options.delimiter;

  async function* read(what: string, done = () => 0): AsyncGenerator<FileRecord> {
    const changed = () =>
      invalidFile(
        `The file was changed during the import: ${done()} rows were imported before the change was noticed.`,
      );
    if (!existsSync(path)) throw changed();
    const records = createFileRecords({ format, encoding, delimiter });
    const pause = createPause(signal);
    let index = 0;
    let bytesRead = 0;
    for await (const { bytes, digest } of readPortions(path)) {
      if (!isComplete) digests.push(digest);
      else if (digests[index]?.equals(digest) !== true) throw changed();
      index += 1;
      bytesRead += bytes.length;
      for (const piece of bytes.length > 0 ? splitPortion(bytes) : [undefined]) {
        if (pause.isDue()) await pause.yield();
        for (const record of piece === undefined ? records.end() : records.push(piece)) {
          yield record;
          if (pause.isDue()) await pause.yield();
        }
      }
      onProgress(bytesRead, size, what);
    }
    isComplete = true;
    headings = records.headings();
    delimiter ??= records.delimiter();
  }

  return {
    path,
    format,
    encoding,
    delimiter: () => delimiter,
    headings: () => headings,
    checksum: () => digests.at(-1) as Buffer,
    read,
  };
}

/** Lets other work run when this work has blocked the event loop for some milliseconds. */
function createPause(signal: AbortSignal) {
  let beganMs = performance.now();
  return {
    isDue: () => performance.now() - beganMs >= BLOCKED_MS_MAX,
    async yield(): Promise<void> {
      await yieldToEventLoop();
      signal.throwIfAborted();
      beganMs = performance.now();
    },
  };
}

/** Pieces with some line ends each. */
function* splitPortion(bytes: Buffer): Generator<Buffer> {
  let from = 0;
  let lines = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== LF && bytes[at] !== CR) continue;
    lines += 1;
    if (lines % LINES_MAX !== 0) continue;
    yield bytes.subarray(from, at + 1);
    from = at + 1;
  }
  yield bytes.subarray(from);
}

interface Portion {
  bytes: Buffer;
  /** SHA-256 of the file up to the end of this portion. */
  digest: Buffer;
}

/** Portions of the same length, except for the last ones: the end of the file, and an empty one. */
async function* readPortions(path: string): AsyncGenerator<Portion> {
  const hash = createHash("sha256");
  const file = await open(path);
  try {
    for (let bytes = await readPortion(file); bytes.length > 0; bytes = await readPortion(file))
      yield { bytes, digest: hash.update(bytes).copy().digest() };
    yield { bytes: Buffer.alloc(0), digest: hash.digest() };
  } finally {
    await file.close();
  }
}

async function readPortion(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(PORTION_BYTES);
  let length = 0;
  // A read may return less than there is, for example from a network drive.
  for (let read = -1; read !== 0 && length < PORTION_BYTES; length += read)
    read = (await file.read(buffer, length, PORTION_BYTES - length)).bytesRead;
  return buffer.subarray(0, length);
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return found.size;
  if (found !== undefined)
    throw new OperatorError(
      `${path} is not a regular file. Give the path of a file, or send the rows to standard input with - as FILE.`,
    );
  throw new OperatorError(`There is no file ${path}. Relative paths start at ${process.cwd()}.`);
}
