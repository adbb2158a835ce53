// More log output than the service holds back for a slow reader, without thousands of requests.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { LoggingService } from "../../harness/servers/logging-service.ts";

/** Together about 12 MB as JSON, and 6 MB on a terminal; the service holds back 4 MiB. */
export const FLOOD_LINES = 60;
const LINE_LENGTH = 100_000;
const DROPPED_MS = 15_000;

/** Adds code to the service that runs at SIGUSR2. */
export function onSignal(code: string): (command: string[]) => string[] {
  const added = `data:text/javascript,process.on("SIGUSR2",()=>{${encodeURIComponent(code)}})`;
  return ([program = "", ...args]) => [program, "--import", added, ...args];
}

/** Makes the service log FLOOD_LINES long lines at SIGUSR2: warnings of Node are part of its log. */
export const floodingAtSignal = onSignal(
  `for (let i = 0; i < ${FLOOD_LINES}; i++) process.emitWarning("flood".padEnd(${LINE_LENGTH}))`,
);

/** Resolves to the number of dropped lines, once it is above `before`. Each question for it is itself logged. */
export async function untilDropped(service: LoggingService, before = 0): Promise<number> {
  const endMs = performance.now() + DROPPED_MS;
  for (;;) {
    const dropped = await service.linesDropped();
    if (dropped > before) return dropped;
    assert.ok(performance.now() < endMs, "no line was dropped");
    await pause(20);
  }
}

export async function floodUntilDropped(service: LoggingService, pid = service.process.pid): Promise<number> {
  process.kill(pid as number, "SIGUSR2");
  return untilDropped(service);
}
