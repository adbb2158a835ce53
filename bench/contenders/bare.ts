// The limit: a bare node:http server that answers the very bytes that the service was seen to answer.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../test/harness/call.ts";
import { sampleRequests } from "../load/requests.ts";
import { WORK_NAMES } from "../load/works.ts";
import type { Contender } from "./contender.ts";
import { type Site, startServer } from "./server-process.ts";

const PROGRAM = join(import.meta.dirname, "bare-server.ts");
/** Node writes these by itself, on both sides. */
const OF_NODE = ["date", "connection", "keep-alive"];

export interface RecordedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export async function startBare(site: Site, service: Contender, animals: number): Promise<Contender> {
  const { key, addresses } = service;
  const answers = join(site.scope.folder, `answers-of-${service.name}.json`);
  writeFileSync(answers, JSON.stringify(await recordAnswers(service, animals)));
  const server = await startServer(site, {
    args: (port) => [PROGRAM, String(port), answers],
    readyPath: addresses.firstPage,
  });
  return { name: "bare", server, key, addresses };
}

/** One answer of each kind. */
async function recordAnswers(service: Contender, animals: number): Promise<Record<string, RecordedAnswer>> {
  const { server, key, addresses } = service;
  const requests = WORK_NAMES.flatMap((work) => sampleRequests(work, addresses, animals));
  const recorded: Record<string, RecordedAnswer> = {};
  for (const { kind, method, path, body } of requests) {
    const { status, headers, text } = await call(method, server.url + path, { key, body });
    const own = Object.entries(headers).filter(([name]) => !OF_NODE.includes(name));
    recorded[kind] = { status, headers: Object.fromEntries(own), body: text };
  }
  return recorded;
}
