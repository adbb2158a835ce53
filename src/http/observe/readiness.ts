// Readiness for everybody who asks: the engines are asked once for all of them, and at most four times a second.

import type { Readiness } from "../services.ts";

const KEPT_MS = 250;

interface Options {
  /** Answers "stopping" without asking the engines. */
  check: () => Promise<Readiness>;
  isStopping: () => boolean;
  /** Monotonic; for tests. */
  nowMs?: () => number;
}

export function shareReadiness({ check, isStopping, nowMs = () => performance.now() }: Options) {
  let kept: { state: Readiness; endMs: number } | undefined;
  let running: Promise<Readiness> | undefined;

  async function run(): Promise<Readiness> {
    try {
      const state = await check();
      kept = { state, endMs: nowMs() + KEPT_MS };
      return state;
    } finally {
      running = undefined;
    }
  }

  return async (): Promise<Readiness> => {
    if (isStopping()) return check();
    if (kept !== undefined && nowMs() < kept.endMs) return kept.state;
    running ??= run();
    const state = await running;
    return isStopping() ? check() : state;
  };
}
