// Limits how fast the attempts of a key start: each costs about 2 ms of CPU, which requests of other keys wait for.

/** The average: 100 a second. */
const GAP_MS = 10;
/** At once, after a rest. */
const BURST = 20;

export function createStartRate(nowMs: () => number) {
  /** When everything that a key has started is paid for. */
  const paidMs = new Map<bigint, number>();
  const findDebtMs = (keyId: bigint) => Math.max(0, (paidMs.get(keyId) ?? 0) - nowMs());

  return {
    findRoom: (keyId: bigint) => Math.floor(BURST - findDebtMs(keyId) / GAP_MS),
    /** Until the key may start one; 0 if it may now. */
    findWaitMs: (keyId: bigint) => Math.max(0, findDebtMs(keyId) - (BURST - 1) * GAP_MS),
    /** Attempts that start; a negative number for some that did not. */
    add(keyId: bigint, count: number): void {
      for (const [id, ms] of paidMs) if (ms <= nowMs()) paidMs.delete(id);
      paidMs.set(keyId, nowMs() + findDebtMs(keyId) + count * GAP_MS);
    },
  };
}
