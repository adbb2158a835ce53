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
