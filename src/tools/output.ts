// Lines for an outlet that may be slow, full or gone: held in bounded memory, else dropped and counted. Never blocks, never throws.

import type { Outlet } from "./outlet.ts";

export interface Output {
  /** Takes whole lines. They are written together, at most 0.1 s later. */
  write(lines: string): void;
  /** Since the start. */
  linesDropped(): number;
  /** Writes what is held, for at most a second; lines that come later are dropped. */
  close(): Promise<void>;
  /** For the exit of the process: writes what is held, as far as that takes no time. */
  flushNow(): void;
}

/** A write of its own for each line would cost more than all the rest of a request (35 of 170 µs measured). */
const BATCH_LENGTH = 8_192;
const DELAY_MS = 100;
/** About 20,000 lines of answers: with 1 MiB, bursts of pipelined requests overtook a file that takes everything. */
const HELD_LENGTH_MAX = 4 * 2 ** 20;
const CLOSE_MS = 1_000;
const LF = 0x0a;

/** `describeGap` makes the line that stands in the place of lines that were dropped. */
export function createOutput(outlet: Outlet, describeGap: (lines: number) => string): Output {
  let held = "";
  /** Bytes that the outlet has not taken yet. */
  let underway = 0;
  /** From the moment when no more could be held until all of it is written: so the gap is in one place. */
  let isOverflowing = false;
  let isFailing = false;
  let isClosed = false;
  /** The last bytes written were the beginning of a line. */
  let isCutOff = false;
  let linesDropped = 0;
  let linesUnreported = 0;
  let isScheduled = false;
  let onIdle: (() => void) | undefined;

  function write(lines: string): void {
    isOverflowing ||= held.length + underway > HELD_LENGTH_MAX;
    if (isOverflowing || isClosed) {
      drop(countLines(lines));
      return;
    }
    held += lines;
    // Something that fails is tried again with the timer, not with every batch.
    if (held.length >= BATCH_LENGTH && !isFailing) flush();
    else schedule();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      flush();
    }, DELAY_MS).unref();
  }

  function flush(): void {
    if (underway > 0) return;
    const gap = isOverflowing ? 0 : linesUnreported;
    const lines = gap > 0 ? describeGap(gap) : held;
    if (lines === "") return;
    if (gap === 0) held = "";
    send(Buffer.from(isCutOff ? `\n${lines}` : lines), gap);
  }

  function send(bytes: Buffer, gap: number): void {
    underway = bytes.length;
    outlet.write(bytes, (error, written) => {
      if (written > 0) isCutOff = bytes[written - 1] !== LF;
      const rest = bytes.subarray(written);
      if (error === null && rest.length > 0) return send(rest, gap);
      underway = 0;
      isFailing = error !== null;
      if (error !== null) giveUp(gap > 0 ? 0 : countLines(rest));
      else goOn(gap);
      if (underway === 0) onIdle?.();
    });
  }

  function giveUp(lines: number): void {
    drop(lines + countLines(held));
    held = "";
    isOverflowing = false;
  }

  function goOn(reported: number): void {
    linesUnreported -= reported;
    if (held === "") isOverflowing = false;
    if (onIdle !== undefined || linesUnreported > 0 || held.length >= BATCH_LENGTH) flush();
    else if (held !== "") schedule();
  }

  function drop(lines: number): void {
    linesDropped += lines;
    linesUnreported += lines;
  }

  return {
    write,
    linesDropped: () => linesDropped,
    async close() {
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, CLOSE_MS);
        onIdle = () => {
          clearTimeout(limit);
          resolve();
        };
        flush();
        if (underway === 0) onIdle();
      });
      isClosed = true;
    },
    flushNow() {
      try {
        if (held !== "") outlet.writeNow(Buffer.from(held));
      } catch {
        // The process ends, and there is nobody left to tell.
      }
      held = "";
    },
  };
}

function countLines(text: string | Buffer): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
