// The servers that the service is compared with: a bare node:http server that sends the same bytes, and a Fastify application.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { describeRequests, send } from "../load/requests.ts";
import { FIRST_PAGE, type Workload } from "../workloads.ts";
import type { Recording } from "./bare-server.ts";
import { type Server, type Site, startProcess } from "./process.ts";

/** Not the first request: its page has the shortest ids. */
const INDEX = 1;

/** It marks the limit of Node. Rejects if its responses differ from the service's. */
export async function startBare(site: Site, original: Server, workload: Workload): Promise<Server> {
  const recorded = await record(workload, original);
  const file = join(site.folder, `responses-${workload.name}.json`);
  writeFileSync(file, JSON.stringify(recorded));
  const args = [join(import.meta.dirname, "bare-server.ts"), file];
  const url = await startProcess(site, { args, environment: {}, readyPath: "/0" });
  const bare = { ...original, url, original };
  const replayed = await record(workload, bare);
  assert.deepEqual(replayed, recorded, "the bare server sends other bytes than the service");
  return bare;
}

async function record(workload: Workload, server: Server): Promise<Recording[]> {
  // wrk keeps its connections too, which changes the headers of Node.
  const agent = new Agent({ keepAlive: true });
  const recordings: Recording[] = [];
  for (const request of (await describeRequests(workload, server))(INDEX)) {
    const { status, headers, text } = await send(server, request, agent);
    const { date: _, ...lasting } = headers;
    recordings.push({ status, headers: lasting, body: text });
  }
  agent.destroy();
  return recordings;
}

/** It has its own database, which it fills at its start. */
export async function startFastify(bench: Bench): Promise<Server> {
  const animals = bench.sizes.large;
  const key = randomBytes(24).toString("base64url");
  const engines = await bench.stores.createEngines();
  const environment = { ...engines, NODE_ENV: "production", API_KEY: key, ANIMALS: String(animals) };
  const args = [join(import.meta.dirname, "../peer/app.js")];
  const url = await startProcess(bench, { args, environment, readyPath: FIRST_PAGE, key });
  return { url, key, animals, pageAfter: (id) => `/v1/pets?cursor=${id}` };
}
