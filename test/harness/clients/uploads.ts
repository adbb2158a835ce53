// Uploads on raw sockets, for clients that send slowly, too little or too much.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { parseRaw, type RawAnswer } from "./socket.ts";

export interface Uploader {
  socket: Socket;
  /** Resolves to everything received until the service closes the connection. */
  answer: Promise<RawAnswer>;
  /** Resolves with the next bytes from the service. */
  nextData(): Promise<unknown>;
}

/** Sends the head of an upload, by default of a photo for the first animal. `lines`: further headers. */
export function openUpload(
  t: TestContext,
  url: string,
  { key, lines, ...to }: { key: string; lines: string[]; path?: string; type?: string },
): Uploader {
  const { path = "/pets/1/photos", type = "image/png" } = to;
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => socket.destroy());
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
  const ended = Promise.race([once(socket, "end"), once(socket, "close")]);
  const answer = ended.then(() => parseRaw(Buffer.concat(chunks).toString()));
  const head = [`POST /v1${path} HTTP/1.1`, "Host: a", `Authorization: Bearer ${key}`];
  socket.write(`${[...head, `Content-Type: ${type}`, ...lines].join("\r\n")}\r\n\r\n`);
  return { socket, answer, nextData: () => once(socket, "data") };
}
