// Random numbers that a seed repeats: which attack comes next, where it cuts, how it ends.

export interface Random {
  /** From 0 up to, but not including, `end`. */
  below(end: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Mulberry32: small, fast, and good enough to choose between attacks. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function below(end: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  return { below, pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T };
}
