// Many clients order the same animals at once: each animal gets one order, on one node and on three, also when one is
// killed. RACE_ANIMALS sets how many animals.

import assert from "node:assert/strict";
import http from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, call } from "../../harness/clients/call.ts";
import type { Environment } from "../../harness/clients/commands.ts";
import { column, walkAll } from "../../harness/clients/pages.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { startNode } from "../../harness/servers/node.ts";
import { type Node, startService } from "../../harness/servers/service.ts";

const ANIMALS = Number(process.env.RACE_ANIMALS ?? 6);
const ORDERS_EACH = 50;
const RACE = `${ANIMALS} animals × ${ORDERS_EACH} orders at once`;
const CONNECTIONS = 48;
const ATTEMPTS_MAX = 5;

/** A key with limits that are never reached. */
async function createKey(node: Node): Promise<string> {
  return (await node.createKey({ plan: "enterprise", perMinute: 1e9, perDay: 1e9 })).key;
}

/** Repeats a request after 503, as a client should. */
async function insist(...args: Parameters<typeof call>): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const answer = await call(...args);
    if (answer.status !== 503 || attempt === ATTEMPTS_MAX) return answer;
    await pause(Number(answer.headers["retry-after"]) * 1_000);
  }
}

interface Race {
  key: string;
  /** Where the request with this number goes. */
  nodeFor(index: number): Node;
  /** Called once, when half of the requests have been answered. */
  atHalf?(): Promise<void>;
}

/** Resolves to all responses; a request whose node was killed has none. */
async function race(t: TestContext, { key, nodeFor, atHalf }: Race): Promise<Answer[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  t.after(() => agent.destroy());
  const names = Array.from({ length: ANIMALS }, (_, index) => index);
  const create = (index: number) =>
    insist("POST", `${nodeFor(index).url}/v1/pets`, {
      key,
      agent,
      body: { name: `Pet ${index}`, categoryId: 1 },
    });
  const ids = (await Promise.all(names.map(create))).map(({ json }) => json.id as number);

  const answers: Answer[] = [];
  const total = ANIMALS * ORDERS_EACH;
  let next = 0;
  let half: Promise<void> | undefined;
  const client = async () => {
    while (next < total) {
      const index = next++;
      // Orders for one animal come close together, from different clients to different nodes.
      const petId = ids[Math.floor(index / ORDERS_EACH)];
      const url = `${nodeFor(index).url}/v1/store/orders`;
      const answer = await insist("POST", url, { key, agent, body: { petId } }).catch(() => undefined);
      if (answer !== undefined) answers.push(answer);
      if (index === total / 2) half = atHalf?.();
      // Requests that the killed node did not answer wait until it is back, or until the others have taken over.
      if (half !== undefined && answer === undefined) await half;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  await half;
  return answers;
}

/** `allowed` has 503 only where a node is killed: its locks may keep others waiting. */
async function check(base: string, key: string, answers: Answer[], allowed = [201, 409]): Promise<void> {
  const wrong = answers.filter(({ status }) => !allowed.includes(status));
  assert.deepEqual(column(wrong, "text"), []);
  const ask = (path: string) => call("GET", `${base}/v1${path}`, { key });
  const pets = await walkAll<{ id: number; status: string }>(ask, "/pets");
  const orders = await walkAll<{ id: number; petId: number; status: string }>(ask, "/store/orders");
  const placed = new Map(orders.map(({ id, petId }) => [petId, id]));
  assert.equal(placed.size, orders.length, "one order per animal");
  assert.ok(orders.every(({ status }) => status === "placed"));
  const acknowledged = answers.filter(({ status }) => status === 201);
  for (const { json } of acknowledged) assert.equal(placed.get(json.petId), json.id, "acknowledged and kept");
  const astray = pets.filter(({ id, status }) => (status === "pending") !== placed.has(id));
  assert.deepEqual(astray, [], "an animal is pending if and only if it has an open order");
  assert.equal(orders.length, ANIMALS);
}

async function startNodes<T>(
  t: TestContext,
  start: (t: TestContext, environment: Environment) => Promise<T>,
): Promise<[T, T, T]> {
  const environment = {
    ...(await freshEngines(t, "postgres+redis")),
    ADMIN_API_KEY: "an-admin-key-for-all-nodes",
  };
  return Promise.all([start(t, environment), start(t, environment), start(t, environment)]);
}

test(`${RACE} on SQLite make ${ANIMALS} orders although the node is killed and restarted`, {
  timeout: 200_000,
}, async (t) => {
  let node = await startService(t);
  const key = await createKey(node);
  const answers = await race(t, {
    key,
    nodeFor: () => node,
    async atHalf() {
      await node.stop("SIGKILL");
      node = await startService(t, node.environment);
    },
  });
  await check(node.url, key, answers, [201, 409, 503]);
});

test(`${RACE} on three nodes make ${ANIMALS} orders`, { timeout: 280_000 }, async (t) => {
  const nodes = await startNodes(t, startNode);
  const [one] = nodes;
  const key = await createKey(one);
  const answers = await race(t, { key, nodeFor: (index) => nodes[index % 3] as Node });
  assert.equal(answers.filter(({ status }) => status === 201).length, ANIMALS);
  assert.equal(answers.length, ANIMALS * ORDERS_EACH);
  await check(one.url, key, answers);
});

test(`${RACE} on three nodes make ${ANIMALS} orders although one is killed`, {
  timeout: 280_000,
}, async (t) => {
  const nodes = await startNodes(t, startService);
  const [one, , three] = nodes;
  const key = await createKey(one);
  let alive = 3;
  const answers = await race(t, {
    key,
    nodeFor: (index) => nodes[index % alive] as Node,
    async atHalf() {
      const killed = three.stop("SIGKILL");
      alive = 2;
      await killed;
    },
  });
  await check(one.url, key, answers, [201, 409, 503]);
});
