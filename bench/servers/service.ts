// Animal Store itself, started like npm start: one node, or three nodes behind nginx.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeCursor } from "../../src/domain/basics/cursor.ts";
import { call } from "../../test/harness/clients/call.ts";
import { startNginxWith } from "../../test/harness/servers/nginx.ts";
import { findFreePort } from "../../test/harness/servers/ports.ts";
import { requireAnswer } from "../../test/harness/servers/proxy-server.ts";
import type { Store } from "../data/stores.ts";
import { joinCores, onServerCore } from "../machine/cores.ts";
import { type Server, type Site, startProcess } from "./process.ts";

const ROOT = join(import.meta.dirname, "../..");
/** As little work for nginx as possible, so that the nodes are the limit. */
const PROXY = `proxy_pass http://nodes; proxy_http_version 1.1; proxy_next_upstream off; proxy_set_header Connection "";
  proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr;`;

export async function startNode(site: Site, store: Store, animals: number): Promise<Server> {
  const { key, root = ROOT } = store;
  // Visitors of the public pages have addresses of their own.
  const environment = { TRUST_PROXY: "127.0.0.1", ...store.environment };
  const url = await startProcess(site, { args: readStartArguments(root), environment, readyPath: "/readyz" });
  // An older release has no site, and no workload asks for its pages.
  await call("PATCH", `${url}/v1/site`, { key, body: { isPublic: true } });
  return { url, key, animals, pageAfter, checkHealth: () => requireReady(url) };
}

/** On one PostgreSQL and Redis, measured as one server. Nodes and nginx may use all cores. */
export async function startNetwork(site: Site, store: Store, animals: number): Promise<Server> {
  const whole = { ...site, cores: joinCores(site.cores) };
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = { ...store.environment, PUBLIC_URL: url };
  const nodes: Server[] = [];
  while (nodes.length < 3) nodes.push(await startNode(whole, { ...store, environment }, animals));
  await startBalancer(whole, port, nodes);
  const checkHealth = async () => void (await Promise.all(nodes.map((node) => node.checkHealth?.())));
  return { url, key: store.key, animals, pageAfter, checkHealth };
}

async function startBalancer({ t, cores }: Site, port: number, nodes: Server[]): Promise<void> {
  const servers = nodes.map(({ url }) => `server ${new URL(url).host};`).join(" ");
  const lines = `
    upstream nodes { zone nodes 64k; least_conn; ${servers} keepalive 64; keepalive_requests 1000000; }
    server { listen 127.0.0.1:${port}; keepalive_requests 100000000; location / { ${PROXY} } }`;
  const check = () => requireAnswer(`http://127.0.0.1:${port}`);
  await startNginxWith(t, { lines, prefix: onServerCore(cores, []), check });
}

function pageAfter(id: number): string {
  return `/v1/pets?cursor=${encodeCursor("pets", BigInt(id))}`;
}

/** The arguments of the last command of `npm start`, which starts the service. */
function readStartArguments(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const words: string[] = scripts.start.replace(/^.*&& node /, "").split(" ");
  return words.map((word) => (word.endsWith(".ts") ? join(root, word) : word));
}

/** Rejects if a node is not fully healthy: a degraded one takes other code paths than the ones to be measured. */
async function requireReady(url: string): Promise<void> {
  const { status, text } = await call("GET", `${url}/readyz`);
  if (status !== 200 || JSON.parse(text).status !== "ready") throw new Error(`/readyz says ${text}`);
}
