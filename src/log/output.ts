// Writes lines to standard output or error without blocking, whatever reads them: a file, a pipe, a socket, a terminal.
// Lines that cannot be written are dropped and counted.

import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import { promisify } from "node:util";

export interface Sink {
  /** Resolves to the number of bytes written, when the reader has taken them; rejects if none can be written. */
  write(bytes: Buffer): Promise<number>;
  /** Writes as much as possible without waiting. */
  writeNow(text: string): void;
}

/** Never blocks and never throws. */
export interface Output {
  /** Takes complete lines and writes them together, at most 0.1 s later. */
  write(lines: string): void;
  linesDropped(): number;
  /** Writes the buffered lines, for at most a second. Later lines are dropped. */
  close(): Promise<void>;
  /** At the exit of the process: writes as many buffered lines as possible without waiting. */
  flushNow(): void;
}

/** One write per line took 35 µs of a request's 170; writes of 8 KiB to a file still took 4 % of a list's time. */
const BATCH_LENGTH = 65_536;
const DELAY_MS = 100;
/** About 20,000 lines. With 1 MiB, bursts of pipelined requests filled it even when a fast file was written. */
const HELD_LENGTH_MAX = 4 * 2 ** 20;
const CLOSE_MS = 1_000;
const RETRY_MS_MAX = 100;
const LF = 0x0a;

const writeAsync = promisify(write);

/** `describeGap` returns the line that replaces dropped lines. */
export function createOutput(sink: Sink, describeGap: (lines: number) => string): Output {
  const sender = createSender(sink);
  const held = createHeldLines();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  function schedule(): void {
    timer ??= setTimeout(flush, DELAY_MS).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushing ??= writeHeld();
    return flushing;
  }

  async function writeHeld(): Promise<void> {
    let hasFailed: boolean;
    do {
      const gap = held.gap();
      const unsent = await sender.send(gap > 0 ? sender.lineBreak() + describeGap(gap) : held.take());
      hasFailed = unsent.length > 0;
      if (hasFailed) held.drop(held.take() + (gap > 0 ? "" : unsent.toString()));
      held.endWrite(hasFailed ? 0 : gap);
    } while (!hasFailed && (held.length() >= (isClosed ? 1 : BATCH_LENGTH) || held.hasGap()));
    flushing = undefined;
    if (held.length() > 0) schedule();
  }

  return {
    write(lines) {
      if (isClosed) held.drop(lines);
      else held.add(lines, sender.pendingBytes());
      if (held.length() >= BATCH_LENGTH) void flush();
      else if (held.length() > 0) schedule();
    },
    linesDropped: held.dropped,
    async close() {
      isClosed = true;
      const limit = Promise.withResolvers<void>();
      const timeout = setTimeout(limit.resolve, CLOSE_MS);
      await Promise.race([flush(), limit.promise]);
      clearTimeout(timeout);
    },
    flushNow() {
      try {
        const lines = held.take();
        if (lines !== "") sink.writeNow(sender.lineBreak() + lines);
      } catch {
        // The process ends and cannot report it.
      }
    },
  };
}

/** Lines that wait for a write, and the number of those that were dropped. */
function createHeldLines() {
  let text = "";
  /** True from the first dropped line until the held lines are written, so that the gap is in one place. */
  let isOverflowing = false;
  let dropped = 0;
  /** Dropped lines that a written gap line has counted. */
  let reported = 0;

  function drop(lines: string): void {
    dropped += countLines(lines);
  }

  return {
    drop,
    dropped: () => dropped,
    length: () => text.length,
    hasGap: () => dropped > reported,
    /** Dropped lines that are to be reported now. */
    gap: () => (isOverflowing ? 0 : dropped - reported),
    /** `pendingBytes` are being written, and still in memory. */
    add(lines: string, pendingBytes: number): void {
      isOverflowing ||= text.length + pendingBytes > HELD_LENGTH_MAX;
      if (isOverflowing) drop(lines);
      else text += lines;
    },
    take(): string {
      const taken = text;
      text = "";
      return taken;
    },
    endWrite(gapReported: number): void {
      reported += gapReported;
      if (text === "") isOverflowing = false;
    },
  };
}

function createSender(sink: Sink) {
  let pending = 0;
  /** Whether the last write ended within a line. */
  let isCutOff = false;
  return {
    pendingBytes: () => pending,
    /** Ends the line that was cut off, if there is one. */
    lineBreak: () => (isCutOff ? "\n" : ""),
    /** Resolves to the bytes that could not be written. */
    async send(text: string): Promise<Buffer> {
      const bytes = Buffer.from(text);
      pending = bytes.length;
      while (pending > 0) {
        const written = await sink.write(bytes.subarray(-pending)).catch(() => 0);
        if (written === 0) break;
        pending -= written;
        isCutOff = bytes.at(-pending - 1) !== LF;
      }
      const unsent = bytes.subarray(bytes.length - pending);
      pending = 0;
      return unsent;
    },
  };
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

export function openStandard(standard: 1 | 2): Sink {
  const { fd, isBlocking } = openDescriptor(standard);
  return {
    async write(bytes) {
      // A pipe, a socket or a terminal may be full.
      for (let waitMs = 1; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
        try {
          // Without a thread where nothing can block: a crash would else write its last lines before this batch.
          return isBlocking ? (await writeAsync(fd, bytes)).bytesWritten : writeSync(fd, bytes);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
        }
        await pause(waitMs, undefined, { ref: false });
      }
    },
    writeNow: (text) => void writeSync(fd, text),
  };
}

/** A full pipe must not occupy a thread. A file keeps its description: two would overwrite each other's lines. */
function openDescriptor(fd: 1 | 2): { fd: number; isBlocking: boolean } {
  const stats = fstatSync(fd);
  if (!stats.isFIFO() && !stats.isSocket() && !isatty(fd)) return { fd, isBlocking: true };
  try {
    // A file description of its own, so that no other process can reset O_NONBLOCK.
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    return { fd: openSync(`/proc/self/fd/${fd}`, flags), isBlocking: false };
  } catch {
    // A socket, a pipe without a reader, another user's terminal, or not Linux. Creating Node's stream sets O_NONBLOCK
    // for pipes and sockets.
    void (fd === 1 ? process.stdout : process.stderr);
    return { fd, isBlocking: isatty(fd) || process.platform === "win32" };
  }
}
