// The bare server's program: replays recorded answers and does nothing else but parse the JSON of a create.

import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { Kind } from "../load/works.ts";
import type { RecordedAnswer } from "./bare.ts";

const [port = "0", file = ""] = process.argv.slice(2);
const answers: Record<Kind, RecordedAnswer> = JSON.parse(readFileSync(file, "utf8"));

const server = createServer((request, response) => {
  const { method, url = "" } = request;
  if (method === "POST") {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      send(response, answers.create);
    });
    return;
  }
  if (url.includes("cursor=")) send(response, answers.cold);
  else send(response, url.includes("?") ? answers.hot : answers.get);
});
// As the service has it: the answer names it.
server.keepAliveTimeout = 72_000;
server.listen(Number(port), "127.0.0.1");

function send(response: ServerResponse, { status, headers, body }: RecordedAnswer): void {
  response.writeHead(status, headers);
  response.end(body);
}
