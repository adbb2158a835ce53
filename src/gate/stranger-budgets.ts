// Budgets for requests without a valid key, one per client address, in a table of bounded size.

import { type Admission, admitStranger, peekStranger, WINDOW_MS, type Window } from "../domain/limits.ts";

/** About 2 MB when full. Past it the oldest budget goes: its owner had the most time to use it. */
const BUDGETS_MAX = 10_000;

export interface StrangerBudgets {
  admit(address: string, nowMs: number): Admission;
  peek(address: string, nowMs: number): Admission;
  readonly size: number;
}

export function createStrangerBudgets(limit: number, max = BUDGETS_MAX): StrangerBudgets {
  // Every window is equally long and enters at the end when it starts, so the first entry ends first.
  const windows = new Map<string, Window>();

  function makeRoom(nowMs: number): void {
    for (const [address, { startMs }] of windows) {
      if (windows.size < max && Math.abs(nowMs - startMs) < WINDOW_MS.minute) return;
      windows.delete(address);
    }
  }

  return {
    admit(address, nowMs) {
      const before = windows.get(address) ?? { startMs: 0, used: 0 };
      const { window, admission } = admitStranger(before, limit, nowMs);
      if (window.used === 1) {
        windows.delete(address);
        makeRoom(nowMs);
      }
      windows.set(address, window);
      return admission;
    },
    peek: (address, nowMs) => peekStranger(windows.get(address), limit, nowMs),
    get size() {
      return windows.size;
    },
  };
}
