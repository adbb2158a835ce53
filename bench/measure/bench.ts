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
  /** A small and a large number of animals with profiles. */
  listings: [number, number];
  /** Rows of an imported file. */
  imports: number;
  /** Number of animals in the store that the console shows; not one of `listings`, whose stores are separate. */
  console: number;
  /** Open event streams of a node, and the length of their rounds. */
  streams: { streams: number; seconds: number };
}

export const FULL_SIZES: Sizes = {
  comparison: 1_000_000,
  growth: [10_000, 1_000_000, 10_000_000],
  keys: [10, 10_000, 1_000_000],
  listings: [10_000, 1_000_000],
  imports: 100_000,
  console: 100_000,
  streams: { streams: 1_000, seconds: 30 },
};

export const QUICK_SIZES: Sizes = {
  comparison: 20_000,
  growth: [1_000, 20_000, 100_000],
  keys: [10, 1_000, 100_000],
  listings: [10_000, 50_000],
  imports: 2_000,
  console: 5_000,
  streams: { streams: 200, seconds: 3 },
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
