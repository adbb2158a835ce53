// A client that ignores refusals until its key is banned, for tests on the real clock.

import { setTimeout as pause } from "node:timers/promises";
import type { Call } from "./call.ts";

/** Refusals within a second of the first one do not count towards a ban. */
const GRACE_MS = 1_010;

/** Sends requests to the nodes in turn until the key is banned. */
export async function hammerUntilBanned(calls: Call | Call[], key: string): Promise<void> {
  const nodes = [calls].flat();
  let isRefused = false;
  for (let i = 0; ; i++) {
    const { status, json } = await (nodes[i % nodes.length] as Call)("GET", "/pets", { key });
    if (status !== 429) continue;
    if (json.code === "key_banned") return;
    if (!isRefused) await pause(GRACE_MS);
    isRefused = true;
  }
}
