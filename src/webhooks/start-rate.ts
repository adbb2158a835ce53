// How fast the attempts of a key may start: each costs about 2 ms of CPU, which requests of other keys wait for.

/** The average: 100 a second. */
const GAP_MS = 10;
/** At once, after a rest. */
const BURST = 20;

export interface StartRate {
  /** How many attempts of the key may start now. */
  findRoom(keyId: bigint): number;
  /** Until the key may start one; 0 if it may now. */
  findWaitMs(keyId: bigint): number;
  /** Attempts that start; a negative number for some that did not. */
  add(keyId: bigint, count: number): void;
}

export function createStartRate(nowMs: () => number): StartRate {
  /** When everything that a key has started is paid for. */
  const paidMs = new Map<bigint, number>();

  function findDebtMs(keyId: bigint): number {
    return Math.max(0, (paidMs.get(keyId) ?? 0) - nowMs());
  }

  return {
    findRoom: (keyId) => Math.floor(BURST - findDebtMs(keyId) / GAP_MS),
    findWaitMs: (keyId) => Math.max(0, findDebtMs(keyId) - (BURST - 1) * GAP_MS),
    add(keyId, count) {
      for (const [id, ms] of paidMs) if (ms <= nowMs()) paidMs.delete(id);
      paidMs.set(keyId, nowMs() + findDebtMs(keyId) + count * GAP_MS);
    },
  };
}
