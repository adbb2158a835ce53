// The limit of key look-ups per address, and its effect on valid keys from the same address.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import type { ApiKey, KeyStore } from "../../../src/domain/keys/api-key.ts";
import { createKeyRing } from "../../../src/domain/keys/key-ring.ts";
import { digestSecret, generateSecret } from "../../../src/domain/keys/key-secret.ts";
import { countStatuses, createCall, repeat } from "../../harness/clients/call.ts";
import { FREE_KEY } from "../../harness/clients/free-key.ts";
import { createClock } from "../../harness/servers/app.ts";
import { startNode } from "../../harness/servers/node.ts";
import { openGate, startAppOver } from "../../harness/servers/stand-ins.ts";

/** Look-ups of one address per minute: its budget, and the reserve for keys that were never seen. */
const BUDGET = 60;
const RESERVE = 20;

/** The service over a key store that counts its look-ups, and delays them until `hold` resolves. */
async function startCounting(t: TestContext) {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const stored = new Map<string, ApiKey>();
  const state = { lookUps: 0, isBroken: false, hold: Promise.resolve(), beforeCharge: () => {} };
  const keys = {
    async findBySecret(hash: Buffer) {
      state.lookUps += 1;
      await state.hold;
      if (state.isBroken) throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
      return stored.get(hash.toString("latin1"));
    },
    touch: async () => {},
  } as unknown as KeyStore;
  const gate = await openGate(t, clock);
  const url = await startAppOver(t, {
    clock,
    gate: {
      ...gate,
      admitAnonymous(address) {
        state.beforeCharge();
        return gate.admitAnonymous(address);
      },
    },
    keyRing: createKeyRing({ keys, clock, environment: "production" }),
    trustProxy: ["127.0.0.1"],
  });
  const call = createCall(`${url}/v1`);

  /** As a command or another node does: this process gets no notice of it. */
  function createElsewhere(): string {
    const secret = generateSecret("production");
    const id = BigInt(stored.size + 1);
    stored.set(digestSecret(secret), { ...FREE_KEY, id });
    return secret;
  }
  const ask = (key: string, address = "192.0.2.1") =>
    call("GET", "/usage", { key, headers: { "x-forwarded-for": address } });
  return { clock, state, stored, ask, createElsewhere };
}

const unknown = () => generateSecret("production");

test("unknown keys cost no look-up beyond the budget of their address and its small reserve", async (t) => {
  const { ask, state, clock } = await startCounting(t);
  assert.deepEqual(countStatuses(await repeat(200, () => ask(unknown()))), { 401: BUDGET, 429: 140 });
  assert.equal(state.lookUps, BUDGET + RESERVE);

  clock.advance(5_000);
  await repeat(50, () => ask(unknown()));
  assert.equal(state.lookUps, BUDGET + RESERVE + 5, "the reserve grows by one a second");
  for (let i = 0; i < 10; i++) {
    clock.advance(400);
    await ask(unknown());
  }
  assert.equal(state.lookUps, BUDGET + RESERVE + 8, "also if it is asked for more often");

  await ask(unknown(), "192.0.2.2");
  assert.equal(state.lookUps, BUDGET + RESERVE + 9, "another address has another budget");
});

test("unknown keys cost no more look-ups at the same time than one after another", async (t) => {
  const { ask, state } = await startCounting(t);
  let release = () => {};
  state.hold = new Promise((resolve) => (release = resolve));
  const asked = Array.from({ length: 300 }, () => ask(unknown()));
  while (state.lookUps < BUDGET) await new Promise(setImmediate);
  release();
  assert.deepEqual(countStatuses(await Promise.all(asked)), { 401: BUDGET, 429: 240 });
  assert.equal(state.lookUps, BUDGET + RESERVE);
});

test("a key that was used here is served, whatever anonymous callers on its address do", async (t) => {
  const { ask, createElsewhere } = await startCounting(t);
  const key = createElsewhere();
  assert.equal((await ask(key)).status, 200);
  await Promise.all(Array.from({ length: 300 }, () => ask(unknown())));
  assert.deepEqual(countStatuses(await repeat(100, () => ask(key))), { 200: 100 });
});

test("a key that is no longer valid uses the budget of look-ups, however often it was used before", async (t) => {
  const { ask, createElsewhere, stored, state } = await startCounting(t);
  const key = createElsewhere();
  assert.equal((await ask(key)).status, 200);
  stored.clear();
  await repeat(300, () => ask(key));
  assert.ok(state.lookUps <= 1 + BUDGET + RESERVE + 1, `${state.lookUps} look-ups`);
});

test("a key created elsewhere is served within a second on an address without any budget left", async (t) => {
  const { ask, createElsewhere, clock } = await startCounting(t);
  await repeat(100, () => ask(unknown()));
  const key = createElsewhere();
  assert.equal((await ask(key)).status, 429);
  clock.advance(1_000);
  assert.equal((await ask(key)).status, 200);
  assert.equal((await ask(key)).status, 200, "later look-ups cost no reserve");
});

test("a valid key whose look-up was refused gets 429, not 401, even if the minute ends", async (t) => {
  const { ask, createElsewhere, clock, state } = await startCounting(t);
  await repeat(100, () => ask(unknown()));
  state.beforeCharge = () => clock.advance(60_000);
  const refused = await ask(createElsewhere());
  assert.deepEqual([refused.status, refused.json.code], [429, "rate_limit_exceeded"]);
  assert.equal(refused.headers["x-ratelimit-remaining"], "0");
  assert.ok(Number(refused.headers["retry-after"]) >= 1);
});

test("any number of valid keys from one address are served at the same time", async (t) => {
  const { ask, createElsewhere } = await startCounting(t);
  const keys = Array.from({ length: 200 }, createElsewhere);
  const answers = await Promise.all([...keys, ...keys].map((key) => ask(key)));
  assert.deepEqual(countStatuses(answers), { 200: 400 });
});

test("a key that was used before a restart is served after it, whatever anonymous callers on its address do", async (t) => {
  const first = await startNode(t);
  const { key } = await first.createKey();
  assert.equal((await first.call("GET", "/pets", { key })).status, 200);
  await first.stop();
  const second = await startNode(t, first.environment);
  await Promise.all(Array.from({ length: 150 }, () => second.call("GET", "/pets", { key: unknown() })));
  assert.equal((await second.call("GET", "/pets", { key })).status, 200);
});

test("a failing store answers all waiting requests with 503 at once", async (t) => {
  const { ask, createElsewhere, state } = await startCounting(t);
  let release = () => {};
  state.hold = new Promise((resolve) => (release = resolve));
  state.isBroken = true;
  const asked = Array.from({ length: 200 }, () => ask(createElsewhere()));
  while (state.lookUps < BUDGET) await new Promise(setImmediate);
  // This request needs no look-up: once it is answered, the others have arrived.
  assert.equal((await ask("malformed", "192.0.2.9")).status, 401);
  release();
  assert.deepEqual(countStatuses(await Promise.all(asked)), { 503: 200 });
});
