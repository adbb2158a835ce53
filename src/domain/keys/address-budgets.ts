// Budgets of client addresses, for requests that no key pays for, and for visitors of publishable keys: bounded in number.

import { createFifoMap } from "../../tools/fifo-map.ts";
import { type Admission, admitAnonymous, peekAnonymous, WINDOW_MS, type Window } from "./admission.ts";
import type { ApiKey } from "./api-key.ts";
import { visitorLimitOf } from "./plan.ts";

/** About 2 MB when full. Then the oldest budget is dropped. */
const BUDGETS_MAX = 10_000;
/** About 10 MB when full. */
const VISITORS_MAX = 50_000;

export interface AddressBudgets {
  /** `limitNow` replaces the limit of all. */
  admit(address: string, nowMs: number, limitNow?: number): Admission;
  peek(address: string, nowMs: number): Admission;
  dropOldest(): void;
  readonly size: number;
}

export function createAddressBudgets(limit: number, max = BUDGETS_MAX): AddressBudgets {
  // All windows have the same length and are appended when they start, so the first entry ends first.
  const windows = createFifoMap<string, Window>();

  function hasEnded(address: string, nowMs: number): boolean {
    return Math.abs(nowMs - (windows.get(address)?.startMs ?? 0)) >= WINDOW_MS.minute;
  }

  function makeRoom(nowMs: number): void {
    for (let oldest = windows.findOldest(); oldest !== undefined; oldest = windows.findOldest()) {
      if (windows.size < max && !hasEnded(oldest, nowMs)) return;
      windows.delete(oldest);
    }
  }

  return {
    admit(address, nowMs, limitNow = limit) {
      const before = windows.get(address) ?? { startMs: 0, used: 0 };
      const { window, admission } = admitAnonymous(before, limitNow, nowMs);
      if (window.used === 1) {
        windows.delete(address);
        makeRoom(nowMs);
      }
      windows.set(address, window);
      return admission;
    },
    peek: (address, nowMs) => peekAnonymous(windows.get(address), limit, nowMs),
    dropOldest() {
      const oldest = windows.findOldest();
      if (oldest !== undefined) windows.delete(oldest);
    },
    get size() {
      return windows.size;
    },
  };
}

interface VisitorBudgets {
  /** Decides on one request with a publishable key, and charges it to its address. */
  admit(key: ApiKey, address: string, nowMs: number): Admission;
  readonly size: number;
}

/** When all are in use, the key with the most addresses loses its oldest, so that no key displaces the budgets of another. */
export function createVisitorBudgets(max = VISITORS_MAX): VisitorBudgets {
  const budgets = new Map<bigint, AddressBudgets>();
  let size = 0;

  function dropOne(): void {
    const [id, largest] = [...budgets].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    largest.dropOldest();
    size -= 1;
    if (largest.size === 0) budgets.delete(id);
  }

  return {
    admit(key, address, nowMs) {
      const limit = visitorLimitOf(key);
      const own = budgets.get(key.id) ?? createAddressBudgets(limit, max);
      budgets.set(key.id, own);
      const before = own.size;
      const admission = own.admit(address, nowMs, limit);
      size += own.size - before;
      if (size > max) dropOne();
      return admission;
    },
    get size() {
      return size;
    },
  };
}
