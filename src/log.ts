// The log: JSON lines for programs, readable lines on a terminal; on standard error, so that output stays output.

import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { Config } from "./config.ts";

export function createLog(level: Config["logLevel"]): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (process.stderr.isTTY) return pino(options, pretty({ destination: 2, sync: true }));
  // Lines are written as fast as they are taken; nothing waits for them.
  return pino(options, pino.destination({ dest: 2, sync: false }));
}
