// A request to a checked target, directly or through a proxy, with limits of time.

import type { ClientRequest } from "node:http";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { FailureCause } from "../domain/webhooks/delivery-failures.ts";
import { http, https } from "../tools/node-http.ts";
import { targetOf } from "./addresses.ts";
import { AttemptError } from "./failures.ts";
import { openTunnel, proxyOptions } from "./proxy.ts";
import type { Target } from "./targets.ts";

/** Node's default of 250 ms gives up on all but the last address of a distant host. */
const NEXT_ADDRESS_MS = 1_000;

interface Limits {
  /** Aborted when the service stops or a time limit has passed; its reason says which. */
  signal: AbortSignal;
  onConnected(): void;
  end(): void;
}

export function startLimits(stopping: AbortSignal, connectMs: number, attemptMs: number): Limits {
  const limit = new AbortController();
  const abort = (cause: FailureCause, ms = 0) => limit.abort(new AttemptError(cause, { seconds: ms / 1000 }));
  const connecting = setTimeout(() => abort("no_connection_in_time", connectMs), connectMs);
  const waiting = setTimeout(() => abort("no_response_in_time", attemptMs), attemptMs);
  const stop = () => abort("service_stopping");
  if (stopping.aborted) stop();
  stopping.addEventListener("abort", stop);
  return {
    signal: limit.signal,
    onConnected: () => clearTimeout(connecting),
    end() {
      clearTimeout(connecting);
      clearTimeout(waiting);
      stopping.removeEventListener("abort", stop);
    },
  };
}

interface RequestOptions {
  method: "GET" | "POST";
  headers: Record<string, string | number>;
  limits: Limits;
  /** Certificate authorities that replace Node's. */
  ca?: string | undefined;
}

/** Each request has a connection of its own, so that none stays open afterwards. */
export async function openRequest(target: Target, options: RequestOptions): Promise<ClientRequest> {
  const request = await createRequest(target, options);
  request.on("socket", (socket) => {
    socket.once("encrypted" in socket ? "secureConnect" : "connect", options.limits.onConnected);
  });
  return request;
}

async function createRequest(
  { url, proxy, addresses }: Target,
  { method, headers: given, limits: { signal }, ca }: RequestOptions,
): Promise<ClientRequest> {
  const path = `${url.pathname}${url.search}`;
  const options = { method, headers: given, signal, ...(ca && { ca }) };
  const common = { ...options, ...targetOf(url), path, agent: false as const };
  if (proxy === undefined) {
    // The socket connects to the addresses that were checked: a second look-up could give others.
    const lookup: LookupFunction = (_host, _options, callback) => callback(null, addresses);
    const direct = {
      ...common,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    };
    return url.protocol === "https:" ? https.request(direct) : http.request(direct);
  }
  if (url.protocol === "https:") {
    const socket = await openTunnel(proxy, url, signal);
    const { agent, ...tunnelled } = common;
    return https.request({ ...tunnelled, createConnection: () => startTls(socket, tunnelled) });
  }
  const { headers, ...address } = proxyOptions(proxy);
  const forwarded = {
    ...common,
    ...address,
    path: `${url.origin}${path}`,
    headers: { ...given, ...headers, host: url.host },
  };
  return proxy.protocol === "https:" ? https.request(forwarded) : http.request(forwarded);
}

function startTls(socket: Socket, { host, ca }: { host: string; ca?: string }): TLSSocket {
  // SNI is for names only.
  return connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) });
}

/** Does not start the work if the signal is aborted already: nothing would handle its failure. */
export async function orAborted<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    start()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
