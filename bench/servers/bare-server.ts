// The program of the bare server: replays recorded responses; the only other work is to parse the JSON of a body.

import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";

export type Recording = { status: number; headers: Record<string, string>; body: string };

const ZERO = 48;
const recordings: Recording[] = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
// Node adds these itself.
for (const { headers } of recordings) for (const name of ["connection", "keep-alive"]) delete headers[name];

const server = createServer((request, response) => {
  const recording = recordings[(request.url ?? "").charCodeAt(1) - ZERO] as Recording;
  if (request.method !== "POST") return send(response, recording);
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString("utf8"));
    send(response, recording);
  });
});
// Same as the service, because the Keep-Alive header contains it.
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), "127.0.0.1");

function send(response: ServerResponse, { status, headers, body }: Recording): void {
  response.writeHead(status, headers);
  response.end(body);
}
