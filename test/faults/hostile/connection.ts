// One connection of a hostile client: sends raw bytes and ignores errors.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface HostileConnection {
  send(bytes: string | Buffer): void;
  /** Stops reading, so that responses fill the buffers of both sides. */
  stopReading(): void;
  /** Everything received until the service closes the connection, or for `ms`. */
  readAll(ms: number): Promise<string>;
  halfClose(): void;
  close(): void;
  /** Closes with RST, so that the other side gets ECONNRESET. */
  reset(): void;
}

export async function openConnection(port: number): Promise<HostileConnection> {
  const socket: Socket = connect(port, "127.0.0.1");
  // Refusals and resets are expected.
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
