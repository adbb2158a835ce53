// Clients that create animals on several nodes, without a pause unless a test asks for one, and know what was acknowledged.

import assert from "node:assert/strict";
import http from "node:http";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Node } from "../servers/service.ts";
import type { Answer } from "./call.ts";
import { walkAll } from "./pages.ts";

/** Shorter than the Retry-After of a refusal, so that the first success is noticed. */
const RETRY_MS = 50;

export interface Writers {
  /** Names by id. */
  acknowledged: ReadonlyMap<number, string>;
  /** How often each status was answered. */
  statuses: ReadonlyMap<number, number>;
  /** Resolves when every node has acknowledged a write that began after this call, or rejects. */
  untilAllWrite(withinMs: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startWriters(
  t: TestContext,
  nodes: readonly Pick<Node, "call" | "createKey">[],
  { count, everyMs }: { count: number; everyMs?: number },
): Promise<Writers> {
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const { key } = await (nodes[0] as Node).createKey({ plan: "enterprise", perMinute: 1e9, perDay: 1e9 });
  const acknowledged = new Map<number, string>();
  const statuses = new Map<number, number>();
  const lastBeganMs = nodes.map(() => 0);
  let isStopped = false;

  async function write(writer: number): Promise<void> {
    const index = writer % nodes.length;
    for (let number = 0; !isStopped; number++) {
      const name = `writer ${writer} number ${number}`;
      const beganMs = performance.now();
      const body = { name, categoryId: 1 };
      const answer = await (nodes[index] as Node).call("POST", "/pets", { body, agent, key });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status !== 201) {
        assert.ok(Number(answer.headers["retry-after"]) >= 1, answer.text);
        await pause(RETRY_MS);
        continue;
      }
      assert.ok(!acknowledged.has(answer.json.id), `${answer.json.id} was given twice`);
      acknowledged.set(answer.json.id, name);
      lastBeganMs[index] = Math.max(lastBeganMs[index] ?? 0, beganMs);
      if (everyMs !== undefined) await pause(everyMs);
    }
  }

  const working = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
  // Awaited by `stop`.
  working.catch(() => {});
  return {
    acknowledged,
    statuses,
    async untilAllWrite(withinMs) {
      const sinceMs = performance.now();
      while (lastBeganMs.some((ms) => ms < sinceMs)) {
        assert.ok(performance.now() - sinceMs < withinMs, `a node does not write within ${withinMs} ms`);
        await pause(5);
      }
    },
    async stop() {
      isStopped = true;
      await working;
    },
  };
}

/** The acknowledged animals that the store does not have. Rejects if it has one twice. `ask` gets a path below /v1. */
export async function findLost(
  { acknowledged }: Writers,
  ask: (path: string) => Promise<Answer>,
): Promise<Array<[number, string]>> {
  const pets = await walkAll<{ id: number; name: string }>(ask, "/pets");
  const stored = new Map(pets.map(({ id, name }) => [id, name]));
  // Each request has a name of its own.
  assert.equal(new Set(stored.values()).size, pets.length, "a create was executed twice");
  return [...acknowledged].filter(([id, name]) => stored.get(id) !== name);
}
