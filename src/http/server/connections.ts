// Bounds connections: how many in all, how many of one address, and how long one may take nothing of what is sent to it.

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { budgetAddress, createRangeCheck } from "../request/client-address.ts";
import type { HttpServices } from "../services.ts";
import { TIMEOUTS } from "./options.ts";

export interface ConnectionLimits {
  total: number;
  /** Proxies that are trusted have no such bound: they bring the requests of everybody. */
  perAddress: number;
}

/** The operating system's side of a socket. Not documented; `socket.setTimeout` measures by it, too. */
interface WatchedSocket extends Socket {
  _handle?: { bytesWritten: number; writeQueueSize: number } | null;
}

/** How far a connection had come when it was last seen to take bytes. */
interface Progress {
  acceptedBytes: number;
  sinceMs: number;
}

type Services = Pick<HttpServices, "connectionLimits" | "trustProxy" | "timeouts" | "metrics" | "log">;

/** A connection beyond a bound is closed without an answer: sending one would mean keeping the connection until it is read. */
export function boundConnections(server: Server, services: Services): void {
  const { connectionLimits, trustProxy, metrics } = services;
  if (connectionLimits === undefined) return;
  const isTrusted = createRangeCheck(trustProxy);
  const counts = new Map<string, number>();
  server.maxConnections = connectionLimits.total;
  server.on("drop", () => metrics.countRejectedConnection("total"));

  server.on("connection", (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const address = budgetAddress(remoteAddress);
    const count = (counts.get(address) ?? 0) + 1;
    if (count > connectionLimits.perAddress) {
      metrics.countRejectedConnection("address");
      socket.destroy();
      return;
    }
    counts.set(address, count);
    socket.once("close", () => {
      const left = (counts.get(address) ?? 0) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
}

/** Resets connections that take no bytes although there are some for them: what waits for them costs memory. */
export function endStalledConnections(server: Server, { timeouts, log }: Services): void {
  const { stalledMs, checkEveryMs } = { ...TIMEOUTS, ...timeouts };
  const open = new Map<WatchedSocket, Progress>();

  function check(): void {
    const nowMs = performance.now();
    for (const [socket, progress] of open) {
      const acceptedBytes = countAccepted(socket);
      if (socket.writableLength === 0 || acceptedBytes !== progress.acceptedBytes) {
        progress.acceptedBytes = acceptedBytes;
        progress.sinceMs = nowMs;
      } else if (nowMs - progress.sinceMs >= stalledMs) {
        log.debug({ waitingBytes: socket.writableLength }, "a client took no bytes for too long");
        socket.resetAndDestroy();
      }
    }
  }

  server.on("connection", (socket: WatchedSocket) => {
    open.set(socket, { acceptedBytes: 0, sinceMs: performance.now() });
    socket.once("close", () => open.delete(socket));
  });
  // One look at all of them: a timer for each would be set anew with every write.
  const timer = setInterval(check, checkEveryMs);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}

/** What the operating system has taken, of a large response too that is under way. */
function countAccepted({ _handle: handle }: WatchedSocket): number {
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
