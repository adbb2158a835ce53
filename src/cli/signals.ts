// Signals that end the program, directly or relayed by the launcher of the package.

import type { EventEmitter } from "node:events";

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
