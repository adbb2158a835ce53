// A client that ignores refusals until its key is banned, for tests on the real clock.

import type { Call } from "./call.ts";

/** Sends requests without a pause until the key is banned; refusals within the first second do not count. */
export async function hammerUntilBanned(calls: Call | Call[], key: string): Promise<void> {
  const nodes = [calls].flat();
  for (let i = 0; ; i++) {
    const answer = await (nodes[i % nodes.length] as Call)("GET", "/pets", { key });
    if (answer.status === 429 && answer.json.code === "key_banned") return;
  }
}
