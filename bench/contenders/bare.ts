// The bare server: a plain node:http server that sends the same bytes as the service. It marks the limit of Node.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../test/harness/call.ts";
import { sampleRequests } from "../load/requests.ts";
import { WORKLOAD_NAMES } from "../load/workloads.ts";
import type { Contender } from "./contender.ts";
import { type Site, startServer } from "./server-process.ts";

const PROGRAM = join(import.meta.dirname, "bare-server.ts");
/** Node adds these itself, in both servers. */
const NODE_HEADERS = ["date", "connection", "keep-alive"];

export interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export async function startBare(site: Site, service: Contender, animals: number): Promise<Contender> {
  const { key, addresses } = service;
  const responseFile = join(site.scope.folder, `responses-of-${service.name}.json`);
  writeFileSync(responseFile, JSON.stringify(await recordResponses(service, animals)));
  const server = await startServer(site, {
    args: (port) => [PROGRAM, String(port), responseFile],
    readyPath: addresses.firstPage,
  });
  return { name: "bare", server, key, addresses };
}

/** One response for each kind of request. */
async function recordResponses(
  service: Contender,
  animals: number,
): Promise<Record<string, RecordedResponse>> {
  const { server, key, addresses } = service;
  const requests = WORKLOAD_NAMES.flatMap((workload) => sampleRequests(workload, addresses, animals));
  const recorded: Record<string, RecordedResponse> = {};
  for (const { kind, method, path, body } of requests) {
    const { status, headers, text } = await call(method, server.url + path, { key, body });
    const own = Object.entries(headers).filter(([name]) => !NODE_HEADERS.includes(name));
    recorded[kind] = { status, headers: Object.fromEntries(own), body: text };
  }
  return recorded;
}
