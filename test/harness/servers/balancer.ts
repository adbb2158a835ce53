// A minimal load balancer: checks whether nodes are ready, and sends requests to those that are.

import http from "node:http";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, type CallOptions, call } from "../clients/call.ts";

const CHECK_MS = 50;

export interface Balancer {
  add(url: string): void;
  remove(url: string): void;
  /** How many nodes are ready. */
  ready(): number;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export function startBalancer(t: TestContext): Balancer {
  const nodes = new Map<string, boolean>();
  const agent = new http.Agent({ keepAlive: true });
  let isOpen = true;
  let turn = 0;
  t.after(() => {
    isOpen = false;
    agent.destroy();
  });

  async function watch(url: string): Promise<void> {
    while (isOpen && nodes.has(url)) {
      const status = await call("GET", `${url}/readyz`).then(
        (answer) => answer.status,
        () => 0,
      );
      if (nodes.has(url)) nodes.set(url, status === 200);
      await pause(CHECK_MS);
    }
  }

  return {
    add(url) {
      nodes.set(url, false);
      void watch(url);
    },
    remove: (url) => void nodes.delete(url),
    ready: () => [...nodes.values()].filter(Boolean).length,
    call(method, path, options) {
      const ready = [...nodes].filter(([, isReady]) => isReady).map(([url]) => url);
      turn += 1;
      return call(method, `${ready[turn % ready.length]}${path}`, { agent, ...options });
    },
  };
}
