// Lingering close: reads and discards the rest of a client's bytes, so that the client gets to read its response.

import type { Socket } from "node:net";

const DISCARDED_BYTES_MAX = 64 * 1024 * 1024;
const DISCARDED_MS_MAX = 5_000;
const CHECK_MS = 50;

/**
 * Changes how Node closes a connection after its last response. A socket that is closed while bytes of a body are on their
 * way answers them with a reset, and a client that is still writing fails before it reads.
 */
export function lingerOnClose(socket: Socket): void {
  const close = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const request = socket.pipeline?.newest?.req;
    if (request === undefined || request.complete) {
      close();
      return;
    }
    socket.end();
    request.once("end", close).resume();
    limitRest(socket);
  };
}

/** The same for a connection whose bytes are not requests any more: waits until the client closes its side. */
export function endLingering(socket: Socket, last: string): void {
  socket.end(last);
  const parsers = socket.listeners("data");
  // With a listener for data, Node takes the socket back from its HTTP parser.
  socket.on("data", () => {}).resume();
  for (const parser of parsers) socket.removeListener("data", parser as () => void);
  limitRest(socket);
}

function limitRest(socket: Socket): void {
  const { bytesRead } = socket;
  const endMs = performance.now() + DISCARDED_MS_MAX;
  const timer = setInterval(() => {
    const isTooMuch = socket.bytesRead - bytesRead > DISCARDED_BYTES_MAX;
    if (isTooMuch || performance.now() > endMs) socket.destroy();
  }, CHECK_MS);
  socket.once("close", () => clearInterval(timer));
}
