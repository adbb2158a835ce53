// The clients of a soak: each does one random operation after another, from its own seed, until it is stopped.

import http from "node:http";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "./client.ts";
import type { Cluster } from "./cluster.ts";
import type { Findings } from "./findings.ts";
import type { Ledger } from "./ledger.ts";
import { OPERATIONS } from "./operations.ts";

/** Each operation as often as its weight says. */
const LOTS = OPERATIONS.flatMap((operation) => Array.from({ length: operation.weight }, () => operation));
const THINK_MS_MAX = 30;
/** How long a client waits when no node is ready. */
const RETRY_MS = 100;

interface Load {
  cluster: Cluster;
  ledger: Ledger;
  findings: Findings;
  key: string;
  seed: number;
}

export function startClients(t: TestContext, count: number, load: Load): { stop(): Promise<void> } {
  let isDone = false;
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => {
    isDone = true;
    agent.destroy();
  });
  const clients = Array.from({ length: count }, async (_, index) => {
    const client = createClient(index, load, { agent, isDone: () => isDone });
    while (!isDone) {
      await LOTS[client.dice(LOTS.length)]?.run(client);
      await pause(client.dice(THINK_MS_MAX));
    }
  });
  return {
    async stop() {
      isDone = true;
      await Promise.all(clients);
    },
  };
}

function createClient(
  index: number,
  { cluster, ledger, findings, key, seed }: Load,
  { agent, isDone }: { agent: http.Agent; isDone: () => boolean },
): Client {
  const dice = createDice(seed + index);
  let count = 0;
  return {
    name: `c${index}`,
    ledger,
    findings,
    own: [],
    next: () => ++count,
    dice,
    isDone,
    async ask({ operation, method, path, ...options }, expected) {
      while (cluster.balancer.ready() === 0 && !isDone()) await pause(RETRY_MS);
      const startMs = performance.now();
      const answer = await cluster.balancer
        .call(method, `/v1${path}`, { key, agent, ...options })
        .catch(() => undefined);
      findings.count(operation, answer, performance.now() - startMs);
      if (answer === undefined || answer.status === 503) return undefined;
      if (!expected.includes(answer.status))
        findings.violate(`${operation} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
      return answer;
    },
  };
}

/** Mulberry32: small, seeded, good enough to choose by. */
function createDice(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
}
