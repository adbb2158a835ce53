// Caddy with the Caddyfile of deploy/, on free ports, stopped with the test.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../runner/folder.ts";
import { findProgram } from "../runner/packages.ts";
import { findFreePort } from "./ports.ts";
import {
  createTlsProxy,
  type ProxyProcess,
  requireAnswer,
  startProxyProcess,
  type TlsProxy,
} from "./proxy-server.ts";

const CADDYFILE = fileURLToPath(new URL("../../../deploy/Caddyfile", import.meta.url));
/** Where Caddy's own authority, which signs the certificate of localhost, has its certificate. */
const ROOT_CERTIFICATE = "caddy/pki/authorities/local/root.crt";

/** Plain HTTP. Resolves to the address of the proxy. `trusted`: addresses whose X-Forwarded-For it keeps. */
export async function startCaddy(
  t: TestContext,
  nodePorts: number[],
  { trusted }: { trusted?: string } = {},
): Promise<string> {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const env = { PROXY_SITE: url, ...(trusted !== undefined && { PROXY_TRUSTED: trusted }) };
  await startProxyProcess(t, describeCaddy(makeFolder(t), CADDYFILE, nodePorts, env), () =>
    requireAnswer(url),
  );
  return url;
}

/** TLS for the name localhost, with a certificate of Caddy's own authority. */
export async function startTlsCaddy(t: TestContext, nodePorts: number[]): Promise<TlsProxy> {
  const [port, plainPort] = [await findFreePort(), await findFreePort()];
  const folder = makeFolder(t);
  const file = join(folder, "Caddyfile");
  const ports = `\tadmin off\n\thttps_port ${port}\n\thttp_port ${plainPort}\n`;
  writeFileSync(file, readFileSync(CADDYFILE, "utf8").replace("\tadmin off\n", ports));
  const url = `https://localhost:${port}`;
  return startProxyProcess(
    t,
    describeCaddy(folder, file, nodePorts, { PROXY_SITE: "localhost" }),
    async () => {
      const ca = readFileSync(join(folder, ROOT_CERTIFICATE), "utf8");
      const proxy = createTlsProxy(t, { url, plainUrl: `http://localhost:${plainPort}`, ca });
      await requireAnswer(url, { agent: proxy.agentOf() });
      return proxy;
    },
  );
}

function describeCaddy(
  folder: string,
  file: string,
  nodePorts: number[],
  env: Record<string, string>,
): ProxyProcess {
  return {
    program: findProgram("caddy"),
    // At SIGTERM it would wait for open connections.
    endSignal: "SIGKILL",
    args: ["run", "--config", file, "--adapter", "caddyfile"],
    env: {
      HOME: folder,
      XDG_DATA_HOME: folder,
      PROXY_NODES: nodePorts.map((port) => `127.0.0.1:${port}`).join(" "),
      ...env,
    },
  };
}
