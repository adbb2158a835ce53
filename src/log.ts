// The log on standard error: JSON lines, or readable lines on a terminal.

import { isatty } from "node:tty";
import pino, { type Logger } from "pino";
import type { Config } from "./config.ts";
import { openOutlet } from "./tools/outlet.ts";
import { createOutput } from "./tools/output.ts";

const STANDARD_ERROR = 2;

/** Imported only for a terminal. */
const pretty = isatty(STANDARD_ERROR) ? (await import("pino-pretty")).default.prettyFactory({}) : undefined;

export interface Log {
  log: Logger;
  /** Lines that standard error did not take. */
  logLinesDropped(): number;
  /** Writes the remaining lines, for at most a second. */
  close(): Promise<void>;
}

export function createLog(level: Config["logLevel"]): Log {
  const output = createOutput(openOutlet(STANDARD_ERROR), (lines) => show(gapLine(lines)));
  process.once("exit", output.flushNow);
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const log = pino(options, { write: (lines: string) => output.write(show(lines)) });
  return { log, logLinesDropped: output.linesDropped, close: output.close };
}

function gapLine(lines: number): string {
  const time = new Date().toISOString();
  const msg = "log lines were dropped, because standard error did not take them";
  return `${JSON.stringify({ level: pino.levels.values.warn, time, lines, msg })}\n`;
}

function show(lines: string): string {
  if (pretty === undefined) return lines;
  return lines.trimEnd().split("\n").map(pretty).join("");
}
