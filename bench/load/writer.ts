// A writer that creates animals at a steady rate, however long each create takes.

import { Agent } from "node:http";
import { call } from "../../test/harness/call.ts";
import { NEW_PET } from "./requests.ts";

const TICK_MS = 5;
/** Enough for the rate, with creates that take a tenth of a second. */
const CONNECTIONS = 16;
/** The least part of the creates that must be stored in time: a slower writer would make less work for the node. */
const LEAST_PART = 0.95;

export interface Writer {
  /** Resolves when all creates have been answered. */
  stop(): Promise<{ created: number; fault: string | undefined }>;
}

export function startWriter({
  url,
  key,
  perSecond,
}: {
  url: string;
  key: string;
  perSecond: number;
}): Writer {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const startMs = performance.now();
  const pending = new Set<Promise<void>>();
  let sent = 0;
  let created = 0;
  let fault: string | undefined;

  async function create(): Promise<void> {
    const answer = await call("POST", `${url}/v1/pets`, { key, body: NEW_PET, agent });
    if (answer.status === 201) created += 1;
    else fault ??= `a create returned ${answer.status} ${answer.text.slice(0, 200)}`;
  }

  function sendDue(): void {
    const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
    for (; sent < due; sent++) {
      const creating = create()
        .catch((error) => {
          fault ??= `a create failed: ${error.message}`;
        })
        .finally(() => pending.delete(creating));
      pending.add(creating);
    }
  }

  const timer = setInterval(sendDue, TICK_MS);
  return {
    async stop() {
      clearInterval(timer);
      const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
      if (created < due * LEAST_PART) fault ??= `only ${created} of ${due} creates were stored in time`;
      await Promise.all(pending);
      agent.destroy();
      return { created, fault };
    },
  };
}
