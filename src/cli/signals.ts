// Signals that end the program, directly or relayed by the launcher of the package.

import type { EventEmitter } from "node:events";
import { constants } from "node:os";

/** The exit code after a signal is this plus the number of the signal, as in shells. */
const EXIT_SIGNAL = 128;

/**
 * Calls `listener` for each signal. A signal to the process group, such as Ctrl-C, reaches this process and the launcher,
 * which relays it as a message: it counts once.
 */
export function listenForSignals(
  signals: readonly NodeJS.Signals[],
  listener: (signal: NodeJS.Signals) => void,
  source: EventEmitter = process,
): void {
  const arrived = { directly: 0, relayed: 0 };
  let counted = 0;
  const count = (way: keyof typeof arrived, signal: NodeJS.Signals) => {
    arrived[way]++;
    if (arrived[way] <= counted) return;
    counted = arrived[way];
    listener(signal);
  };
  // The listeners stay. Without one, even for a moment, a signal would kill the process.
  for (const each of signals) source.on(each, () => count("directly", each));
  source.on("message", (message: unknown) => {
    const signal = signals.find((each) => each === message);
    if (signal !== undefined) count("relayed", signal);
  });
}

/** Cleans up when a signal ends the command, such as unfinished files. A second signal ends it immediately. */
export function endOnSignal(
  cleanUp: () => Promise<void>,
  source: EventEmitter = process,
  exit: (code: number) => void = process.exit,
): void {
  let isEnding = false;
  const onSignal = (signal: NodeJS.Signals) => {
    const end = () => exit(EXIT_SIGNAL + constants.signals[signal]);
    if (isEnding) return end();
    isEnding = true;
    void cleanUp().finally(end);
  };
  listenForSignals(["SIGINT", "SIGTERM", "SIGHUP"], onSignal, source);
}
