// Limits connections: how many in all, how many per address, and how long a client may read nothing.

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createRangeCheck } from "../../tools/address-ranges.ts";
import { budgetAddress } from "../request/client-address.ts";
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

/** A connection beyond a limit is closed without a response: to send one, it would have to stay open until it is read. */
export function limitConnections(server: Server, services: HttpServices): void {
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
