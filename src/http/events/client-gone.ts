// Notices that the client of a waiting request has gone: its connection is closed, or its side of it is.

import type { Socket } from "node:net";

declare module "node:net" {
  interface Socket {
    clientGone?: AbortSignal;
  }
}

/**
 * Aborted when the client sends nothing more. The server keeps such a connection open for its responses, so a response that
 * may never be written has to be ended. One listener for all requests of the connection: many may be pipelined.
 */
export function clientGone(socket: Socket): AbortSignal {
  if (socket.clientGone !== undefined) return socket.clientGone;
  const gone = new AbortController();
  const abort = () => gone.abort();
  socket.once("end", abort).once("close", abort);
  if (socket.readableEnded || socket.destroyed) abort();
  socket.clientGone = gone.signal;
  return gone.signal;
}
