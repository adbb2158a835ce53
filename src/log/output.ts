// Buffers lines for an outlet that may be slow, full or closed. Lines beyond the limit are dropped and counted.

import type { Outlet } from "./outlet.ts";

/** Never blocks and never throws. */
export interface Output {
  /** Takes complete lines and writes them together, at most 0.1 s later. */
  write(lines: string): void;
  /** Since the start. */
  linesDropped(): number;
  /** Writes the buffered lines, for at most a second. Later lines are dropped. */
  close(): Promise<void>;
  /** For the exit of the process: writes as many buffered lines as possible without waiting. */
  flushNow(): void;
}

/** One write per line took 35 of the 170 µs of a request; writes of 8 KiB to a file still took 4 % of a list. */
const BATCH_LENGTH = 65_536;
const DELAY_MS = 100;
/** About 20,000 lines. With 1 MiB, bursts of pipelined requests filled it even when the outlet was a fast file. */
const HELD_LENGTH_MAX = 4 * 2 ** 20;
const CLOSE_MS = 1_000;
const LF = 0x0a;

/** `describeGap` returns the line that replaces dropped lines. */
export function createOutput(outlet: Outlet, describeGap: (lines: number) => string): Output {
  let held = "";
  /** Bytes that the outlet has not accepted yet. */
  let underway = 0;
  /** True from the first dropped line until the buffer is empty, so that the gap is in one place. */
  let isOverflowing = false;
  let isFailing = false;
  let isClosed = false;
  /** Whether the last write ended within a line. */
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
    // A failing outlet is retried by the timer, not with every batch.
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
        // The process ends and cannot report it.
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
