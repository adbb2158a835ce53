// An HTTP server that sends the scripted responses in order, for responses that the service never sends.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { listen } from "./listen.ts";

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** A string is sent unchanged, any other value as JSON. */
  body?: unknown;
}

interface ScriptedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ScriptedServer {
  url: string;
  /** The received requests, in order. */
  requests: ScriptedRequest[];
}

/** Requests after the last response, and those with "never", get no response. */
export async function startScripted(
  t: TestContext,
  ...answers: Array<ScriptedAnswer | "never">
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((request, response) => {
    void readRequest(request).then((read) => {
      requests.push(read);
      const answer = answers[requests.length - 1];
      if (answer !== undefined && answer !== "never") sendAnswer(response, answer);
    });
  });
  const address = await listen(t, server);
  return { url: address, requests };
}

async function readRequest(request: IncomingMessage): Promise<ScriptedRequest> {
  const { method = "", url = "", headers } = request;
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return { method, url, headers, body };
}

function sendAnswer(response: ServerResponse, { status = 200, headers, body = {} }: ScriptedAnswer): void {
  response.writeHead(status, headers);
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
