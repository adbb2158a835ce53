// Raw bytes on a socket, for requests that no HTTP client sends.

import { connect } from "node:net";

/** Without it, a connection that the service leaves open would end the test file only at its own limit, minutes later. */
const SILENCE_MS_MAX = 10_000;

/** Resolves to everything received until the other side closes the connection; rejects if that side falls silent. */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  options: { halfClose?: boolean } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    const received = () => Buffer.concat(chunks).toString("utf8");
    socket.on("error", reject);
    socket.on("close", () => resolve(received()));
    socket.setTimeout(SILENCE_MS_MAX, () =>
      socket.destroy(new Error(`The connection was left open after: ${received()}`)),
    );
    socket.write(bytes);
    if (options.halfClose) socket.end();
  });
}

/** A request as text. `lines`: headers besides Host and the key. */
export function requestText(
  line: string,
  { key, lines = [], body = "" }: { key?: string; lines?: string[]; body?: string } = {},
): string {
  const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
  return `${[`${line} HTTP/1.1`, "Host: x", ...authorization, ...lines].join("\r\n")}\r\n\r\n${body}`;
}

/** The status of every response in the text, in order. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function parseRaw(text: string): RawAnswer {
  const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body,
  };
}
