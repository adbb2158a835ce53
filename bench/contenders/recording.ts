// Records a response of the service for the bare server, and checks that the bare server replays it.

import { Agent } from "node:http";
import { call } from "../../test/harness/call.ts";
import type { Request } from "../load/requests.ts";

/** Node adds these itself, in both servers, so that the bare server does not replay them. */
const NODE_HEADERS = ["connection", "date", "keep-alive"];

export interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Recording extends RecordedResponse {
  /** The headers that Node added, without the time in `date`. */
  nodeHeaders: string[];
}

export async function recordResponse(url: string, key: string, request: Request): Promise<Recording> {
  const { method, path, headers: sent = {}, body } = request;
  // wrk keeps its connections too, which changes the headers of Node.
  const agent = new Agent({ keepAlive: true });
  const { status, headers, text } = await call(method, url + path, { key, headers: sent, body, agent });
  agent.destroy();
  const own = Object.entries(headers).filter(([name]) => !NODE_HEADERS.includes(name));
  const nodeHeaders = NODE_HEADERS.filter((name) => headers[name] !== undefined).map((name) =>
    name === "date" ? name : `${name}: ${headers[name]}`,
  );
  return { status, headers: Object.fromEntries(own), body: text, nodeHeaders };
}

/** What differs between two responses to the same request; undefined if they have the same bytes. */
export function findDifference(recorded: Recording, replayed: Recording): string | undefined {
  if (recorded.status !== replayed.status) return `status ${replayed.status} instead of ${recorded.status}`;
  const names = (headers: Record<string, string>) => Object.keys(headers);
  for (const name of new Set([...names(recorded.headers), ...names(replayed.headers)]))
    if (recorded.headers[name] !== replayed.headers[name])
      return `header ${name}: ${replayed.headers[name]} instead of ${recorded.headers[name]}`;
  if (String(recorded.nodeHeaders) !== String(replayed.nodeHeaders))
    return `headers of Node: ${replayed.nodeHeaders} instead of ${recorded.nodeHeaders}`;
  if (recorded.body !== replayed.body) return "another body";
  return undefined;
}
