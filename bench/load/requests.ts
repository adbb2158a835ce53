// Builds the requests of a workload for one server: a file that wrk reads, and single ones whose responses are checked.

import { writeFileSync } from "node:fs";
import type { Agent } from "node:http";
import { type Answer, call } from "../../test/harness/clients/call.ts";
import type { Server } from "../servers/process.ts";
import { FIRST_PAGE, type Request, type Workload } from "../workloads.ts";

const LINES = 100_000;

/** Resolves to a function that builds one request of each kind. */
export async function describeRequests({ kinds }: Workload, server: Server) {
  const { animals, pageAfter, original } = server;
  const etag = (await send(original ?? server, { path: FIRST_PAGE })).headers.etag ?? "";
  return (index: number): Request[] =>
    kinds.map(({ build }, number) => {
      const built = build({ animals, pageAfter, etag }, index);
      const request = typeof built === "string" ? { path: built } : built;
      // The bare server finds its response by the number of the kind.
      return original === undefined ? request : { ...request, path: `/${number}${request.path}` };
    });
}

/** Writes lines in the form that requests.lua reads. In each hundred, every kind has its share, in random order. */
export async function writeRequests(file: string, workload: Workload, server: Server): Promise<void> {
  const buildAll = await describeRequests(workload, server);
  const order = (workload.shares ?? [1])
    .flatMap((share, number) => Array.from({ length: share }, () => ({ number, place: Math.random() })))
    .sort((a, b) => a.place - b.place);
  const isFixed = JSON.stringify(buildAll(0)) === JSON.stringify(buildAll(1));
  const lines = Array.from({ length: isFixed ? order.length : LINES }, (_, i) => {
    const { path, headers = {}, body } = buildAll(i)[order[i % order.length]?.number ?? 0] as Request;
    const start = body === undefined ? `GET ${path}\t` : `POST ${path}\t${JSON.stringify(body)}`;
    return [start, ...Object.entries(headers).map((header) => header.join(": "))].join("\t");
  });
  writeFileSync(file, `${lines.join("\n")}\n`);
}

export function send({ url, key }: Server, request: Request, agent?: Agent): Promise<Answer> {
  const { path, headers = {}, body } = request;
  return call(body === undefined ? "GET" : "POST", url + path, {
    key,
    headers,
    body,
    ...(agent && { agent }),
  });
}

/** Rejects if a response is wrong, so that error responses are never measured as speed. */
export async function checkResponses(workload: Workload, server: Server): Promise<void> {
  await server.checkHealth?.();
  const requests = (await describeRequests(workload, server))(Math.floor(Math.random() * LINES));
  for (const [number, request] of requests.entries()) {
    const answer = await send(server, request);
    if (!workload.kinds[number]?.isGood(answer))
      throw new Error(`${request.path} returned ${answer.status} ${answer.text.slice(0, 200)}`);
  }
}
