// A writer that creates animals at a steady rate, however long each create takes.

import { Agent } from "node:http";
import { call } from "../../test/harness/call.ts";
import { NEW_PET } from "./requests.ts";

const TICK_MS = 5;
/** Enough for the rate, with creates that take a tenth of a second. */
const CONNECTIONS = 16;
/** A writer further behind its rate at the end makes the round invalid: the node had less work than it should. */
const LATE_SECONDS_MAX = 1;

export interface Writer {
  /** Resolves when all creates have been answered. */
  stop(): Promise<{ created: number; fault: string | undefined }>;
}

/** `url` is the address of the service, without /v1. */
export function startWriter(url: string, key: string, perSecond: number): Writer {
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

  const countDue = () => Math.floor(((performance.now() - startMs) / 1000) * perSecond);

  function sendDue(): void {
    for (const due = countDue(); sent < due; sent++) {
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
      const due = countDue();
      if (due - created > perSecond * LATE_SECONDS_MAX)
        fault ??= `only ${created} of ${due} creates were stored in time`;
      await Promise.all(pending);
      agent.destroy();
      return { created, fault };
    },
  };
}
