// How the key ring uses its store: few writes of the last use, and look-ups of secrets that it knows.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiKey, KeyStore } from "../../../src/domain/keys/api-key.ts";
import { createKeyRing } from "../../../src/domain/keys/key-ring.ts";
import { createClock } from "../../harness/servers/app.ts";

const MINUTE_MS = 60_000;
const KEY: ApiKey = { id: 1n, name: "x", plan: "free", access: "manage", hint: "", createdAtMs: 0 };

function open(stored: Partial<KeyStore> = {}) {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const touched: Array<[bigint, number]> = [];
  const deprecated: Array<[bigint, number]> = [];
  const keys = {
    touch: async (...use: [bigint, number]) => void touched.push(use),
    touchDeprecated: async (...use: [bigint, number]) => void deprecated.push(use),
    create: async () => KEY,
    rotate: async () => KEY,
    findBySecret: async () => KEY,
    ...stored,
  } as Partial<KeyStore> as KeyStore;
  const keyRing = createKeyRing({ keys, clock, environment: "production" });
  return { clock, keyRing, touched, deprecated };
}

test("the last use that another node has stored counts too", async () => {
  const { clock, keyRing, touched } = open();
  const lastUsedAtMs = clock.nowMs() - MINUTE_MS + 1;
  assert.equal(keyRing.recordKeyUse({ ...KEY, lastUsedAtMs }), undefined);
  clock.advance(1);
  await keyRing.recordKeyUse({ ...KEY, lastUsedAtMs });
  assert.equal(touched.length, 1);
});

test("a secret that this node has issued is looked up like one that was used before", async () => {
  const { keyRing } = open();
  const onlySeen = async (isSeen: () => boolean) => isSeen();
  const settings = { name: "x", plan: "free", access: "manage" } as const;
  const { secret: created } = await keyRing.create(settings, { command: "test" });
  const { secret: rotated } = await keyRing.rotate(1n, { command: "test" });
  for (const secret of [created, rotated]) assert.equal((await keyRing.verify(secret, onlySeen))?.id, 1n);
});
