// One request of each kind before a round, so that an error is never measured as speed.

import { call } from "../../test/harness/call.ts";
import type { Request } from "./requests.ts";
import { PAGE_ITEMS } from "./works.ts";

export async function checkAnswer(url: string, key: string, request: Request): Promise<void> {
  const { kind, method, path, body } = request;
  const answer = await call(method, url + path, { key, body });
  const status = kind === "create" ? 201 : 200;
  const isPage = kind === "hot" || kind === "cold";
  const isRight =
    answer.status === status && (isPage ? answer.json.length === PAGE_ITEMS : isPet(answer.json));
  if (!isRight)
    throw new Error(`${method} ${url}${path} answered ${answer.status} ${answer.text.slice(0, 200)}`);
}

function isPet(json: unknown): boolean {
  const { id, name } = json as { id?: unknown; name?: unknown };
  return typeof id === "number" && typeof name === "string";
}
