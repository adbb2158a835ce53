// Readiness checks: concurrent callers share one check of the engines, and a result is reused for 250 ms.

import type { Readiness } from "../services.ts";

const KEPT_MS = 250;

interface Options {
  /** Returns "stopping" without asking the engines. */
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
