// The sizes of the stores and the rounds of a run, which --rounds and --seconds may change.

export interface Conditions {
  rounds: number;
  /** The length of a round. */
  seconds: number;
  /** Before the first round of each lane, so that V8 has compiled the hot code. */
  warmUpSeconds: number;
  /** Animals in the stores of the two sizes, and rows of an imported file. */
  sizes: { small: number; large: number; rows: number };
}

export const FULL: Conditions = {
  rounds: 5,
  seconds: 4,
  warmUpSeconds: 5,
  sizes: { small: 10_000, large: 1_000_000, rows: 100_000 },
};
/** A check that everything runs. */
export const QUICK: Conditions = {
  rounds: 2,
  seconds: 1,
  warmUpSeconds: 1,
  sizes: { small: 2_000, large: 20_000, rows: 2_000 },
};
