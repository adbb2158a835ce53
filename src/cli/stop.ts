// The stop of the service: the events that begin it, and its time limit.

import type { EventEmitter } from "node:events";
import type { Service } from "../service.ts";
import { listenForSignals } from "./signals.ts";

/** Connections with an unanswered request are cut after this time, so that the stop takes at most 10 s. */
const PATIENCE_MS = 8_000;
/** npm does not pass all signals on. A service that npm has started therefore stops when its parent process ends. */
const PARENT_CHECK_MS = 250;

/** Resolves with the first SIGTERM or SIGINT. A second one ends the process immediately with code 1. */
export function untilSignal(
  source: EventEmitter = process,
  exit: (code: number) => void = process.exit,
): Promise<NodeJS.Signals> {
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

/** Resolves when the parent process has ended. */
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
