// Sends one request of each kind before a round, so that error responses are never measured as speed.

import { type Answer, call } from "../../test/harness/call.ts";
import type { Request } from "./requests.ts";
import { type Kind, PAGE_ITEMS } from "./workloads.ts";

const CHECKS: Record<Kind, (answer: Answer) => boolean> = {
  hot: isPage,
  unchanged: ({ status, text }) => status === 304 && text === "",
  origin: (answer) => isPage(answer) && answer.headers["access-control-allow-origin"] !== undefined,
  cold: isPage,
  get: (answer) => answer.status === 200 && isPet(answer),
  create: (answer) => answer.status === 201 && isPet(answer),
};

export async function checkResponse(url: string, key: string, request: Request): Promise<void> {
  const { kind, method, path, headers = {}, body } = request;
  const answer = await call(method, url + path, { key, headers, body });
  if (!CHECKS[kind](answer))
    throw new Error(
      `${method} ${url}${path} (${kind}) returned ${answer.status} ${answer.text.slice(0, 200)}`,
    );
}

function isPage({ status, text }: Answer): boolean {
  return status === 200 && JSON.parse(text).length === PAGE_ITEMS;
}

function isPet({ json }: Answer): boolean {
  return typeof json.id === "number" && typeof json.name === "string";
}
