// Limits connections: how many in all, how many per address, and how long a client may read nothing.

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createRangeCheck } from "../../tools/address-ranges.ts";
import { budgetAddress } from "../headers/client-address.ts";
import type { HttpServices, ServerTimeouts } from "../services.ts";

/** The operating system's side of a socket. Not documented; `socket.setTimeout` uses it too. */
interface WatchedSocket extends Socket {
  _handle?: { bytesWritten: number; writeQueueSize: number } | null;
}

/** The bytes that the client had read when they last increased. */
interface Progress {
  acceptedBytes: number;
  /** Time by checks and not by the clock: while the machine is too busy for checks, clients cannot read either. */
  stalledMs: number;
}

/**
 * Beyond the limit of one address, new connections are closed. Beyond the limit of all, the connection that has been idle
 * longest is closed, so that silent clients cannot keep others out; the new one is closed only if all others have a request.
 * Without a response: to send one, the connection would have to stay open until it is read.
 */
export function limitConnections(
  server: Server,
  services: Pick<HttpServices, "connectionLimits" | "trustProxy" | "metrics">,
): void {
  const { connectionLimits, trustProxy, metrics } = services;
  if (connectionLimits === undefined) return;
  const { total, perAddress } = connectionLimits;
  const countAddress = createAddressCounts(perAddress, createRangeCheck(trustProxy));
  const idle = new Set<Socket>();
  let open = 0;

  function makeRoom(newest: Socket): void {
    const [oldest = newest] = idle;
    metrics.countRejectedConnection(oldest === newest ? "total" : "idle");
    // Not only at its "close": further connections may come before.
    idle.delete(oldest);
    oldest.destroy();
  }

  server.on("connection", (socket) => {
    if (!countAddress(socket)) {
      metrics.countRejectedConnection("address");
      socket.destroy();
      return;
    }
    idle.add(socket);
    if (socket.pipeline !== undefined) socket.pipeline.idle = idle;
    open += 1;
    socket.once("close", () => {
      open -= 1;
      idle.delete(socket);
    });
    if (open > total) makeRoom(socket);
  });
}

/** The returned function counts a connection until it ends, or returns false if its address has as many as it may. */
function createAddressCounts(max: number, isTrusted: (address: string) => boolean) {
  const counts = new Map<string, number>();
  return (socket: Socket): boolean => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return true;
    const address = budgetAddress(remoteAddress);
    const count = (counts.get(address) ?? 0) + 1;
    if (count > max) return false;
    counts.set(address, count);
    socket.once("close", () => {
      const left = (counts.get(address) ?? 0) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
    return true;
  };
}

/** Resets connections whose client reads nothing although bytes wait for it: these bytes cost memory. */
export function endStalledConnections(
  server: Server,
  { stalledMs, checkEveryMs, log }: Required<ServerTimeouts> & Pick<HttpServices, "log">,
): void {
  const open = new Map<WatchedSocket, Progress>();

  function check(): void {
    for (const [socket, progress] of open) {
      const acceptedBytes = countAccepted(socket);
      if (socket.writableLength === 0 || acceptedBytes !== progress.acceptedBytes) {
        progress.acceptedBytes = acceptedBytes;
        progress.stalledMs = 0;
        continue;
      }
      progress.stalledMs += checkEveryMs;
      if (progress.stalledMs >= stalledMs) {
        log.debug({ waitingBytes: socket.writableLength }, "a client read no bytes for too long");
        socket.resetAndDestroy();
      }
    }
  }

  server.on("connection", (socket: WatchedSocket) => {
    open.set(socket, { acceptedBytes: 0, stalledMs: 0 });
    socket.once("close", () => open.delete(socket));
  });
  // One timer for all: a timer for each would have to be set again with every write.
  const timer = setInterval(check, checkEveryMs);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}

/** Bytes that the operating system has accepted, also from a large response that is still being sent. */
function countAccepted({ _handle: handle }: WatchedSocket): number {
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
