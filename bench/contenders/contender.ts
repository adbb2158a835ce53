// A contender: a running server, how to call it, and which workloads it does not support.

import { call } from "../../test/harness/call.ts";
import type { Addresses, Target } from "../load/requests.ts";
import type { WorkloadName } from "../load/workloads.ts";
import type { WrkReport } from "../load/wrk.ts";
import type { Sample } from "../results.ts";
import type { ServerProcess } from "./server-process.ts";

/** In the order of the tables. All speeds are shares of the speed of the bare server. */
export const CONTENDERS = {
  bare: "bare `node:http`",
  service: "Animal Store",
  fastify: "Fastify",
  express: "Express",
  "json-server": "json-server",
  prism: "Prism",
} as const;
export type ContenderName = keyof typeof CONTENDERS;

/** Runs the load, with what else goes on at the same time. A fault of that makes the round invalid. */
export type Accompany = (
  run: () => Promise<WrkReport>,
  seconds: number,
) => Promise<WrkReport & Pick<Sample, "residentMegabytes">>;

export interface Contender {
  name: string;
  server: ServerProcess;
  key: string;
  addresses: Addresses;
  /** Number of animals, if it differs from that of the workload. */
  animals?: number;
  /** Rejects if the server is not fully healthy. */
  checkHealth?(): Promise<void>;
  /** Absent: nothing else goes on. */
  accompany?: Accompany;
}

/** `animals`: the number in the workload. */
export async function describeTarget(
  { server, key, ...contender }: Contender,
  animals: number,
): Promise<Target> {
  const { addresses } = contender;
  const { headers } = await call("GET", server.url + addresses.firstPage, { key });
  return { addresses, animals: contender.animals ?? animals, etag: headers.etag ?? "" };
}

/** Workloads that a peer does not support, with the reason for the footnote. */
export const UNSUPPORTED: Partial<Record<ContenderName, Partial<Record<WorkloadName, string>>>> = {
  "json-server": {
    "cold-list": "keeps all animals in one JSON file; a million are too many",
    create: "responds before the data is on disk",
    mix: "responds to a create before the data is on disk",
  },
  prism: {
    "unchanged-list": "sends no `ETag`",
    "cold-list": "has no data: it returns the same example for every page",
    create: "stores nothing",
    mix: "stores nothing",
  },
};

/** Notes about the results of a peer. */
export const REMARKS: Partial<Record<ContenderName, string>> = {
  "json-server":
    "json-server has no keys and no limits, and holds only 10,000 animals, because a filter scans all of them.",
  prism:
    "Prism has no data: it validates the request against docs/openapi.json and returns an example, here a list of 20 animals.",
};
