// The parts that measure a whole network, and the workload of each.

import type { WorkloadName } from "./workloads.ts";

export const NETWORK_PARTS = {
  "network-create": "create",
  "network-hot-list": "hot-list",
} as const satisfies Record<string, WorkloadName>;
export type NetworkPart = keyof typeof NETWORK_PARTS;
export const NETWORK_PART_NAMES = Object.keys(NETWORK_PARTS) as NetworkPart[];

export const NETWORK_NODES = 3;
/** Lanes are this release and the first one. */
export const NETWORK_LANE = "current";
export const BASE_RELEASE = "1.0.0";
