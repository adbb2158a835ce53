// One connection of a hostile client: bytes as they are, no matter what comes back.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface HostileConnection {
  send(bytes: string | Buffer): void;
  /** Stops reading for good: what comes back fills the buffers of both sides. */
  stopReading(): void;
  /** All that came back until the other side closed, or `ms` are over. */
  readAll(ms: number): Promise<string>;
  halfClose(): void;
  close(): void;
  /** Closes with RST, so that the other side gets ECONNRESET. */
  reset(): void;
}

export async function openConnection(port: number): Promise<HostileConnection> {
  const socket: Socket = connect(port, "127.0.0.1");
  // Refusals and resets are what a hostile client works for.
  socket.on("error", () => {});
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, "close");
  await Promise.race([once(socket, "connect").catch(() => {}), closed]);
  return {
    send: (bytes) => void socket.write(bytes),
    stopReading: () => void socket.pause(),
    async readAll(ms) {
      await Promise.race([closed, pause(ms, undefined, { ref: false })]);
      return Buffer.concat(chunks).toString("latin1");
    },
    halfClose: () => void socket.end(),
    close: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
}
