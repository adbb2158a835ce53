// Proxies for outgoing requests: which one a URL needs, and a tunnel through it.

import type { ClientRequest } from "node:http";
import { isIP, type Socket } from "node:net";
import { createRangeCheck } from "../tools/address-ranges.ts";
import { http, https } from "../tools/node-http.ts";
import { targetOf } from "./addresses.ts";
import { AttemptError } from "./failures.ts";
import { boundResponse } from "./response-bounds.ts";

export interface ProxySettings {
  httpsProxy: string | undefined;
  httpProxy: string | undefined;
  /** Hosts without a proxy: names (their subdomains too), addresses, CIDR ranges, any with a port; `*` for all. */
  noProxy: string[];
}

export function findProxy(url: URL, { httpsProxy, httpProxy, noProxy }: ProxySettings): URL | undefined {
  const proxy = url.protocol === "https:" ? httpsProxy : httpProxy;
  if (proxy === undefined || noProxy.some((entry) => isExcepted(url, entry))) return undefined;
  return new URL(proxy);
}

function isExcepted(url: URL, entry: string): boolean {
  const { host, port } = targetOf(url);
  if (entry === "*") return true;
  if (isIP(entry.split("/")[0] as string) !== 0) return isIP(host) !== 0 && createRangeCheck([entry])(host);
  const [name = "", entryPort] = entry.toLowerCase().split(":");
  if (entryPort !== undefined && Number(entryPort) !== port) return false;
  const plain = name.startsWith("*.") ? name.slice(2) : name.startsWith(".") ? name.slice(1) : name;
  return host === plain || host.endsWith(`.${plain}`);
}

/** Options of a request to the proxy itself. */
export function proxyOptions(proxy: URL) {
  const { host, port } = targetOf(proxy);
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const isKnown = proxy.username !== "" || proxy.password !== "";
  const authorization = `Basic ${Buffer.from(user).toString("base64")}`;
  return { host, port, headers: isKnown ? { "proxy-authorization": authorization } : {} };
}

/** A connection to the host of the URL. Rejects if the proxy refuses it. */
export function openTunnel(proxy: URL, url: URL, signal: AbortSignal): Promise<Socket> {
  const { port } = targetOf(url);
  const { headers, ...options } = proxyOptions(proxy);
  const authority = `${url.hostname}:${port}`;
  const request: ClientRequest = (proxy.protocol === "https:" ? https : http).request({
    ...options,
    method: "CONNECT",
    path: authority,
    agent: false,
    signal,
    headers: { ...headers, host: authority },
  });
  boundResponse(request);
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("close", () => reject(new AttemptError("proxy_closed")));
    request.on("connect", ({ statusCode = 0 }, socket) => {
      // The TLS connection over it reports the same error. One without a listener would end the process.
      socket.on("error", () => {});
      if (statusCode >= 200 && statusCode < 300) return resolve(socket as Socket);
      socket.destroy();
      reject(new AttemptError("proxy_refused", { status: statusCode }));
    });
    request.end();
  });
}
