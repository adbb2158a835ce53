// Sends one request of each kind before a round, so that error responses are never measured as speed.

import { call } from "../../test/harness/call.ts";
import type { Request } from "./requests.ts";
import { PAGE_ITEMS } from "./workloads.ts";

export async function checkResponse(url: string, key: string, request: Request): Promise<void> {
  const { kind, method, path, body } = request;
  const response = await call(method, url + path, { key, body });
  const status = kind === "create" ? 201 : 200;
  const isPage = kind === "hot" || kind === "cold";
  const isRight =
    response.status === status && (isPage ? response.json.length === PAGE_ITEMS : isPet(response.json));
  if (!isRight)
    throw new Error(`${method} ${url}${path} returned ${response.status} ${response.text.slice(0, 200)}`);
}

function isPet(json: unknown): boolean {
  const { id, name } = json as { id?: unknown; name?: unknown };
  return typeof id === "number" && typeof name === "string";
}
