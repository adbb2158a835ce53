// The settings and resources that all measurements share.

import type { Cores } from "../cores.ts";
import type { Stores } from "../data/stores.ts";
import type { Scope } from "../scope.ts";

export interface Sizes {
  /** Number of animals in the comparison with the peers. */
  comparison: number;
  growth: number[];
  /** Numbers of keys in use at the gate. */
  keys: number[];
}

export const FULL_SIZES: Sizes = {
  comparison: 1_000_000,
  growth: [10_000, 1_000_000, 10_000_000],
  keys: [10, 10_000, 1_000_000],
};

export const QUICK_SIZES: Sizes = {
  comparison: 20_000,
  growth: [1_000, 20_000, 100_000],
  keys: [10, 1_000, 100_000],
};

export interface Bench {
  scope: Scope;
  stores: Stores;
  sizes: Sizes;
  /** The path of wrk. */
  wrk: string;
  cores: Cores | undefined;
  rounds: number;
  seconds: number;
  /** Before the first round of a workload, for each lane, so that V8 has compiled the hot code. */
  warmUpSeconds: number;
}
