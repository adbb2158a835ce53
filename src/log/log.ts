// The log on standard error: JSON lines, or readable lines on a terminal.

import { isatty } from "node:tty";
import pino, { type Logger } from "pino";
import type { Config } from "../config/config.ts";
import { createOutput, openStandard } from "./output.ts";
import { formatLogLines } from "./terminal-lines.ts";

const STANDARD_ERROR = 2;

export interface Log {
  log: Logger;
  /** Whether the line of every response has its path and the name of the key: on a terminal. */
  logsPaths: boolean;
  /** Lines that standard error did not take. */
  logLinesDropped(): number;
  /** Writes the remaining lines, for at most a second. */
  close(): Promise<void>;
}

export function createLog(level: Config["logLevel"]): Log {
  const isTerminal = isatty(STANDARD_ERROR);
  // Node looks at NO_COLOR, FORCE_COLOR and TERM.
  const hasColours = isTerminal && process.stderr.hasColors();
  const show = (lines: string) => (isTerminal ? formatLogLines(lines, hasColours) : lines);
  const output = createOutput(openStandard(STANDARD_ERROR), (lines) => show(gapLine(lines)));
  process.once("exit", output.flushNow);
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const log = pino(options, { write: (lines: string) => output.write(show(lines)) });
  return { log, logsPaths: isTerminal, logLinesDropped: output.linesDropped, close: output.close };
}

function gapLine(lines: number): string {
  const time = new Date().toISOString();
  const msg = "log lines were dropped, because standard error did not take them";
  return `${JSON.stringify({ level: pino.levels.values.warn, time, lines, msg })}\n`;
}
