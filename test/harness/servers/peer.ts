// A TCP server that treats its clients badly: silent, closing, or sending bytes of no protocol.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

/** `treat` is called with each new connection. Resolves to the port. */
export async function startPeer(t: TestContext, treat: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    treat(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Accepts connections and never answers. */
export function startSilentPeer(t: TestContext): Promise<number> {
  return startPeer(t, (socket) => void socket.resume());
}
