// The events that end the program: signals, direct or relayed by the launcher of the package, and the end of its parent.

import type { EventEmitter } from "node:events";
import { constants } from "node:os";
import type { Service } from "../service/service.ts";

/** The exit code after a signal is this plus the number of the signal, as in shells. */
const EXIT_SIGNAL = 128;
/** Connections with an unanswered request are cut after this time, so that the stop takes at most 10 s. */
const PATIENCE_MS = 8_000;
/** npm does not pass all signals on. A service that npm has started therefore stops when its parent process ends. */
const PARENT_CHECK_MS = 250;

type Exit = (code: number) => void;

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
  source?: EventEmitter,
  exit: Exit = process.exit,
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

/** Resolves with the first SIGTERM or SIGINT. A second one ends the process immediately with code 1. */
export function untilSignal(source?: EventEmitter, exit: Exit = process.exit): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (isStopping) return exit(1);
      isStopping = true;
      resolve(signal);
    };
    listenForSignals(["SIGTERM", "SIGINT"], onSignal, source);
  });
}

export function untilOrphaned(): Promise<string> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve("npm has ended");
    }, PARENT_CHECK_MS).unref();
  });
}

/** Resolves when the launcher of the package has ended, however it ended. */
export function untilLauncherEnds(): Promise<string> {
  return new Promise((resolve) => {
    process.once("disconnect", () => resolve("the launcher has ended"));
  });
}

/** Stops the service, at most 10 s after the drain. */
export async function stopInTime(service: Pick<Service, "app" | "stop">, drainMs: number): Promise<void> {
  const timer = setTimeout(() => service.app.server.closeAllConnections(), drainMs + PATIENCE_MS);
  await service.stop().finally(() => clearTimeout(timer));
}
