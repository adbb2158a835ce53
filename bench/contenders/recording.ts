// Records a response of the service for the bare server, and checks that the bare server replays it.

import { call } from "../../test/harness/call.ts";
import type { Request } from "../load/requests.ts";

/** Node adds these itself, in both servers; their values are not replayed. */
const NODE_HEADERS = ["date", "connection", "keep-alive"];

export interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Recording extends RecordedResponse {
  /** Names of the headers that Node added. */
  nodeHeaders: string[];
}

export async function recordResponse(url: string, key: string, request: Request): Promise<Recording> {
  const { method, path, headers: sent = {}, body } = request;
  const { status, headers, text } = await call(method, url + path, { key, headers: sent, body });
  const isOfNode = (name: string) => NODE_HEADERS.includes(name);
  const own = Object.entries(headers).filter(([name]) => !isOfNode(name));
  const nodeHeaders = Object.keys(headers).filter(isOfNode).toSorted();
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
