// Three nodes on one PostgreSQL and Redis behind nginx, measured as one server.

import { chmodSync } from "node:fs";
import { makeFolder } from "../../test/harness/folder.ts";
import { startNginxWith } from "../../test/harness/nginx.ts";
import { findFreePort } from "../../test/harness/ports.ts";
import { requireAnswer } from "../../test/harness/proxy-server.ts";
import { joinCores, onServerCore } from "../cores.ts";
import type { Store } from "../data/stores.ts";
import { NETWORK_NODES } from "../load/network-parts.ts";
import { asTest } from "../scope.ts";
import type { Contender } from "./contender.ts";
import type { ServerProcess, Site } from "./server-process.ts";
import { requireReady, SERVICE_ADDRESSES, startServiceProcess } from "./service.ts";

/** `root` is the folder of a release; undefined: this one. Nodes and nginx may use all cores. */
export async function startNetwork(
  { scope, ...site }: Site,
  { name, store, root }: { name: string; store: Store; root?: string },
): Promise<Contender> {
  const whole = { scope, cores: joinCores(site.cores) };
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = { ...store.environment, PUBLIC_URL: url, TRUST_PROXY: "127.0.0.1" };
  const nodes: ServerProcess[] = [];
  for (let i = 0; i < NETWORK_NODES; i++)
    nodes.push(await startServiceProcess(whole, { ...store, environment }, root));
  await startBalancer(whole, port, nodes);
  const ofAll = async (act: (node: ServerProcess) => Promise<void>) =>
    void (await Promise.all(nodes.map(act)));
  return {
    name,
    server: {
      url,
      readySeconds: Math.max(...nodes.map(({ readySeconds }) => readySeconds)),
      residentMegabytes: () => nodes.reduce((sum, node) => sum + node.residentMegabytes(), 0),
      untilIdle: () => ofAll((node) => node.untilIdle()),
      stop: () => ofAll((node) => node.stop()),
    },
    key: store.key,
    addresses: SERVICE_ADDRESSES,
    checkHealth: () => ofAll((node) => requireReady(node.url)),
  };
}

/** Plain HTTP without a log: as little work for nginx as possible, so that the nodes are the limit. */
async function startBalancer({ scope, cores }: Site, port: number, nodes: ServerProcess[]): Promise<void> {
  const t = asTest(scope);
  const folder = makeFolder(t);
  chmodSync(folder, 0o755);
  const servers = nodes.map(({ url }) => `server ${new URL(url).host};`).join(" ");
  const lines = `
    upstream nodes { zone nodes 64k; least_conn; ${servers} keepalive 64; keepalive_requests 1000000; }
    server {
      listen 127.0.0.1:${port};
      keepalive_requests 100000000;
      location / {
        proxy_pass http://nodes;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_next_upstream off;
      }
    }`;
  await startNginxWith(t, {
    folder,
    lines,
    prefix: onServerCore(cores, []),
    check: () => requireAnswer(`http://127.0.0.1:${port}`),
  });
}
