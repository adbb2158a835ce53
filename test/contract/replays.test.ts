// The changes stored with a response: readable for nodes of release 1.0, and sufficient to publish versions again.

import assert from "node:assert/strict";
import { readConfig } from "../../src/config/config.ts";
import type { KeptAnswer, PostStores } from "../../src/domain/idempotency.ts";
import type { Gate } from "../../src/domain/keys/gate.ts";
import { createStores } from "../../src/stores.ts";
import { ACTOR } from "../harness/clients/audit.ts";
import { createClock } from "../harness/servers/app.ts";
import { testOnEngines } from "./engines.ts";

const STAMP = { keyId: 1n, atMs: 1_000 };
const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;
const ANSWER: KeptAnswer = { status: 201, body: Buffer.from("{}") };

/** The parser of release 1.0. */
function readAsRelease10(touched: string): Array<"pets" | bigint> {
  const words = touched.split(",").filter((each) => each !== "");
  return words.map((each) => (each === "pets" ? "pets" : BigInt(each.slice("key:".length))));
}

testOnEngines("Replays", async (t, db) => {
  const published: unknown[] = [];
  const gate = {
    hasVersions: true,
    generation: () => 0,
    publishPetsVersion: async (version: number) => void published.push(version),
    publishKeyVersion: async (id: bigint, version: number) => void published.push([id, version]),
  } as Partial<Gate> as Gate;
  const { idempotency, pets, keyRing } = createStores(db, readConfig({}), createClock(1_000), gate);
  const { key } = await keyRing.create({ name: "x", plan: "free", access: "manage" }, ACTOR);
  const perform = async (name: string, work: (stores: PostStores) => Promise<unknown>) => {
    const request = { name: Buffer.alloc(32, name), fingerprint: Buffer.alloc(32), nowMs: 1_000 };
    published.length = 0;
    return idempotency.perform(request, async (stores) => {
      await work(stores);
      return ANSWER;
    });
  };
  const change = async ({ pets, keyRing }: PostStores) => {
    await pets.create(REX, STAMP);
    await keyRing.rotate(key.id, ACTOR);
  };

  await t.test("the first response publishes the versions of its change", async () => {
    await perform("a", change);
    assert.deepEqual(published, [1, [key.id, 1]]);
  });

  await t.test("the changes are stored in the format of release 1.0", async () => {
    const row = await db.first("SELECT touched FROM idempotency_keys");
    assert.deepEqual(readAsRelease10(row?.touched as string), ["pets", key.id]);
  });

  await t.test(
    "a replay publishes the current versions, which are never lower than the stored ones",
    async () => {
      await pets.create(REX, STAMP);
      await keyRing.update(key.id, { name: "y" }, ACTOR);
      assert.equal((await perform("a", change)).isReplayed, true);
      assert.deepEqual(published, [2, [key.id, 2]]);
    },
  );

  await t.test("a replay publishes nothing if nothing was changed", async () => {
    await perform("b", async () => {});
    await perform("b", async () => {});
    assert.deepEqual(published, []);
  });
});
