// Budgets of client addresses, for requests that no key pays for: one per address, bounded in number.

import { type Admission, admitAnonymous, peekAnonymous, WINDOW_MS, type Window } from "./limits.ts";

/** About 2 MB when full. Then the oldest budget is dropped. */
const BUDGETS_MAX = 10_000;

interface AddressBudgets {
  admit(address: string, nowMs: number): Admission;
  peek(address: string, nowMs: number): Admission;
  readonly size: number;
}

export function createAddressBudgets(limit: number, max = BUDGETS_MAX): AddressBudgets {
  // All windows have the same length and are appended when they start, so the first entry ends first.
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
      const { window, admission } = admitAnonymous(before, limit, nowMs);
      if (window.used === 1) {
        windows.delete(address);
        makeRoom(nowMs);
      }
      windows.set(address, window);
      return admission;
    },
    peek: (address, nowMs) => peekAnonymous(windows.get(address), limit, nowMs),
    get size() {
      return windows.size;
    },
  };
}
