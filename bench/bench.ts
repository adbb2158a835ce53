// The settings and resources that all measurements share, and the form of the results.

import type { TestContext } from "node:test";
import { PREVIOUS_RELEASES } from "../test/faults/upgrade/previous-release.ts";
import type { Conditions } from "./conditions.ts";
import type { Engine, Stores } from "./data/stores.ts";
import type { Cores } from "./machine/cores.ts";

export interface Bench extends Conditions {
  t: TestContext;
  folder: string;
  engine: Engine;
  stores: Stores;
  wrk: string;
  cores: Cores | undefined;
  /** This checkout, whose root is undefined, and with `--against` the other one. A prefix begins the names of lanes. */
  checkouts: Array<{ prefix: string; root: string | undefined }>;
}

/** The prefix of the other checkout. */
export const OTHER = "other ";
export const PREVIOUS_RELEASE = PREVIOUS_RELEASES.at(-1)?.version ?? "";

/** One measurement of a lane: of a server, and of what it is asked for. */
export interface Sample {
  engine: Engine;
  workload: string;
  lane: string;
  round: number;
  /** The reason why the measurement is invalid; absent if every response was good. */
  fault?: string;
  /** Requests per second. */
  rate?: number;
  p99Ms?: number;
  /** Mean length of a response with its headers. */
  bytes?: number;
  /** 99th percentile of hot lists beside the workload. */
  probeMs?: number;
  /** Seconds that a command took, and the 99th percentile of hot lists beside it compared with the time before. */
  duration?: number;
  slowdown?: number;
  /** Share of all cores that other programs used, from 0 to 1. */
  foreignShare: number;
}

export type Report = Required<Pick<Sample, "rate" | "p99Ms" | "bytes">> & Pick<Sample, "fault">;

/** As printed by --json. */
export interface Results extends Conditions {
  date: string;
  release: string;
  isAgainst: boolean;
  isQuick: boolean;
  machine: string;
  samples: Sample[];
}
