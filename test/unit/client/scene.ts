// A client that does not wait between attempts, and responses for a scripted server.

import { type Client, type ClientOptions, createClient } from "../../../client/src/client.ts";
import type { ScriptedAnswer } from "../../harness/servers/scripted-server.ts";

export const NEW_PET = { name: "Rex", categoryId: 3 };
export const PET = { id: 1, ...NEW_PET, status: "available" };
export const AWAY: ScriptedAnswer = {
  status: 503,
  body: { code: "unavailable", message: "Later.", status: 503 },
};

/** A refusal with this Retry-After. */
export function limitedFor(seconds: number, code = "rate_limit_exceeded"): ScriptedAnswer {
  const headers = { "retry-after": String(seconds) };
  return { status: 429, headers, body: { code, message: "Later.", status: 429 } };
}

/** `waits` collects how long the client would have waited. */
export function clientOf(
  baseUrl: string,
  options: Partial<ClientOptions> = {},
): { client: Client; waits: number[] } {
  const waits: number[] = [];
  const runtime = { sleep: async (ms: number) => void waits.push(ms), random: () => 0 };
  return { client: createClient({ baseUrl, apiKey: "ask_live_test", runtime, ...options }), waits };
}
