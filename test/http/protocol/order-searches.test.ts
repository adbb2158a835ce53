// Searches for orders: how many of one key may wait, and that another key is served at the same time.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ApiKey, KeyStore } from "../../../src/domain/keys/api-key.ts";
import { createKeyRing } from "../../../src/domain/keys/key-ring.ts";
import { digestSecret, generateSecret } from "../../../src/domain/keys/key-secret.ts";
import type { OrderStore } from "../../../src/domain/orders/order.ts";
import { type Answer, countStatuses, createCall } from "../../harness/clients/call.ts";
import { FREE_KEY } from "../../harness/clients/free-key.ts";
import { STEP_MS } from "../../harness/runner/patience.ts";
import { createClock } from "../../harness/servers/app.ts";
import { openGate, startAppOver } from "../../harness/servers/stand-ins.ts";
import { assertError } from "../assertions.ts";

/** One search of a key runs and ten wait. */
const SERVED = 11;
const SENT = 30;

/** The service over a store whose searches for the word `held` end when the test calls `release`. */
async function startHolding(t: TestContext) {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const stored = new Map<string, ApiKey>();
  const keys = {
    findBySecret: async (hash: Buffer) => stored.get(hash.toString("latin1")),
    touch: async () => {},
  } as unknown as KeyStore;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const list: OrderStore["list"] = async ({ words = [] }) => {
    if (words.includes("held")) await released;
    return [];
  };
  const gate = await openGate(t, clock);
  const keyRing = createKeyRing({ keys, clock, environment: "production" });
  const url = await startAppOver(t, { clock, gate, keyRing, orders: { list } as OrderStore });
  // A failed test has not released them, and the service ends after its requests.
  t.after(() => release());
  const call = createCall(`${url}/v1`);
  const addKey = () => {
    const secret = generateSecret("production");
    stored.set(digestSecret(secret), { ...FREE_KEY, plan: "business", id: BigInt(stored.size + 1) });
    return secret;
  };
  return {
    release,
    addKey,
    search: (key: string, q: string) => call("GET", `/store/orders?q=${q}`, { key }),
  };
}

test("Searches for orders of one key do not keep out another key", { timeout: STEP_MS }, async (t) => {
  const { release, addKey, search } = await startHolding(t);
  const [greedy, modest] = [addKey(), addKey()];
  // No search waits too long, however slow the machine is.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const refused: Answer[] = [];
  const { promise: allRefused, resolve } = Promise.withResolvers<void>();
  const sent = Array.from({ length: SENT }, async () => {
    const answer = await search(greedy, "held");
    if (answer.status === 503 && refused.push(answer) === SENT - SERVED) resolve();
    return answer;
  });
  await allRefused;
  const other = await search(modest, "free");
  assert.deepEqual([other.status, other.text], [200, "[]"]);
  release();
  assert.deepEqual(countStatuses(await Promise.all(sent)), { 200: SERVED, 503: SENT - SERVED });
  for (const busy of refused) {
    assertError(busy, "unavailable", /^Too many searches for orders are running\./);
    assert.equal(busy.headers["retry-after"], "1");
  }
});
