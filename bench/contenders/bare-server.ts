// The program of the bare server: replays recorded responses; the only other work is to parse the JSON of a create.

import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { Kind } from "../load/workloads.ts";
import type { RecordedResponse } from "./bare.ts";

const [port = "0", file = ""] = process.argv.slice(2);
const responses: Record<Kind, RecordedResponse> = JSON.parse(readFileSync(file, "utf8"));

const server = createServer((request, response) => {
  const { method, url = "" } = request;
  if (method === "POST") {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      send(response, responses.create);
    });
    return;
  }
  if (url.includes("cursor=")) send(response, responses.cold);
  else send(response, url.includes("?") ? responses.hot : responses.get);
});
// Same as the service, because the Keep-Alive header contains it.
server.keepAliveTimeout = 72_000;
server.listen(Number(port), "127.0.0.1");

function send(response: ServerResponse, { status, headers, body }: RecordedResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}
