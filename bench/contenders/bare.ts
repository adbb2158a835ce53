// The bare server: a plain node:http server that sends the same bytes as the service. It marks the limit of Node.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Request, sampleRequests } from "../load/requests.ts";
import { KINDS, WORKLOAD_NAMES } from "../load/workloads.ts";
import { type Contender, describeTarget } from "./contender.ts";
import { findDifference, type Recording, recordResponse } from "./recording.ts";
import { type Site, startServer } from "./server-process.ts";

const PROGRAM = join(import.meta.dirname, "bare-server.ts");

/** Rejects if its responses are not those of the service. */
export async function startBare(site: Site, service: Contender, animals: number): Promise<Contender> {
  const { key, addresses } = service;
  const target = await describeTarget(service, animals);
  const requests = WORKLOAD_NAMES.flatMap((workload) => sampleRequests(workload, target));
  const recorded = await record(service.server.url, key, requests);
  const responseFile = join(site.scope.folder, `responses-of-${service.name}.json`);
  writeFileSync(responseFile, JSON.stringify(Object.fromEntries(recorded)));
  const server = await startServer(site, {
    args: (port) => [PROGRAM, String(port), responseFile],
    readyPath: addresses.firstPage,
  });
  const replayed = await record(server.url, key, requests);
  for (const [kind, recording] of recorded) {
    const difference = findDifference(recording, replayed.get(kind) as Recording);
    if (difference !== undefined)
      throw new Error(`The bare server differs from the service, ${kind}: ${difference}`);
  }
  return { name: "bare", server, key, addresses };
}

/** A bare server that answers every request like the service answers this one. */
export async function startReplay(site: Site, service: Contender, path: string): Promise<Contender> {
  const { key, addresses } = service;
  const recording = await recordResponse(service.server.url, key, { kind: "hot", method: "GET", path });
  const responseFile = join(site.scope.folder, `response-of-${service.name}.json`);
  writeFileSync(responseFile, JSON.stringify(Object.fromEntries(KINDS.map((kind) => [kind, recording]))));
  const server = await startServer(site, {
    args: (port) => [PROGRAM, String(port), responseFile],
    readyPath: path,
  });
  return { name: "bare", server, key, addresses };
}

/** One response for each kind of request. */
async function record(url: string, key: string, requests: Request[]): Promise<Map<string, Recording>> {
  const recorded = new Map<string, Recording>();
  for (const request of requests) recorded.set(request.kind, await recordResponse(url, key, request));
  return recorded;
}
