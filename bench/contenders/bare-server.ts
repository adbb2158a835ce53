// The program of the bare server: replays recorded responses; the only other work is to parse the JSON of a create.

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Kind } from "../load/workloads.ts";
import type { RecordedResponse } from "./recording.ts";

const [port = "0", file = ""] = process.argv.slice(2);
const responses: Record<Kind, RecordedResponse> = JSON.parse(readFileSync(file, "utf8"));

const server = createServer((request, response) => {
  if (request.method !== "POST") return send(response, responses[kindOf(request)]);
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString("utf8"));
    send(response, responses.create);
  });
});
// Same as the service, because the Keep-Alive header contains it.
server.keepAliveTimeout = 72_000;
server.listen(Number(port), "127.0.0.1");

/** Searches `rawHeaders`, because Node builds `headers` only when it is read. */
function kindOf({ url = "", rawHeaders }: IncomingMessage): Kind {
  if (!url.includes("?")) return "get";
  if (url.includes("cursor=")) return "cold";
  if (rawHeaders.includes("If-None-Match")) return "unchanged";
  return rawHeaders.includes("Origin") ? "origin" : "hot";
}

function send(response: ServerResponse, { status, headers, body }: RecordedResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}
