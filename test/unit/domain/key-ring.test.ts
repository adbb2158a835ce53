// How the key ring looks up secrets that it has issued.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyStore } from "../../../src/domain/keys/api-key.ts";
import { createKeyRing } from "../../../src/domain/keys/key-ring.ts";
import { FREE_KEY } from "../../harness/clients/free-key.ts";
import { createClock } from "../../harness/servers/app.ts";

test("a secret that this node has issued is looked up like one that was used before", async () => {
  const find = async () => FREE_KEY;
  const rotate: KeyStore["rotate"] = async (_id, issue) => {
    issue("secret");
    return FREE_KEY;
  };
  const keys = { create: find, rotate, findBySecret: find } as Partial<KeyStore> as KeyStore;
  const keyRing = createKeyRing({
    keys,
    clock: createClock(Date.UTC(2027, 0, 1)),
    environment: "production",
  });
  const onlySeen = async (isSeen: () => boolean) => isSeen();
  const settings = { name: "x", plan: "free", access: "manage" } as const;
  const { secret: created } = await keyRing.create(settings, { command: "test" });
  const { secret: rotated } = await keyRing.rotate(1n, { command: "test" });
  for (const secret of [created, rotated]) assert.equal((await keyRing.verify(secret, onlySeen))?.id, 1n);
});
