// Webhooks in the stores: limits, positions in the history, and changes that their audit record can undo.

import assert from "node:assert/strict";
import { createAuditStore } from "../../src/storage/stores/keys/audit.ts";
import { stampAt, withoutAudit } from "../harness/clients/audit.ts";
import { testOnEngines } from "./engines.ts";
import { openWebhooks } from "./webhook-scene.ts";

testOnEngines("WebhookStore", async (t, db) => {
  const { webhooks, create, find, createKey, addPets, events, keys, take } = openWebhooks(db);
  const audited = () => createAuditStore(db).list({ limit: 100 });

  await t.test("undoes a change whose audit record cannot be written", async () => {
    const { id } = await create();
    const readState = async () => [await webhooks.list({ limit: 100 }), await audited()];
    const before = await readState();
    const broken = openWebhooks(withoutAudit(db));
    const changes: Record<string, () => Promise<unknown>> = {
      create: () => broken.create(),
      update: () => broken.webhooks.update(id, { description: "x" }, stampAt(8)),
      disable: () => broken.webhooks.update(id, { status: "disabled" }, stampAt(8)),
      rotate: () => broken.webhooks.rotate(id, "k3", stampAt(8)),
      delete: () => broken.webhooks.delete(id, stampAt(8)),
    };
    for (const [what, change] of Object.entries(changes)) {
      await assert.rejects(change(), /no audit record/, what);
      assert.deepEqual(await readState(), before, what);
    }
  });

  await t.test("allows 10 per key and 100 in all, also of many that are created at once", async () => {
    for (let i = 0; i < 8; i++) await create({ keyId: 20n });
    const last = await Promise.allSettled(Array.from({ length: 5 }, () => create({ keyId: 20n })));
    const codes = last.map((each) => (each.status === "fulfilled" ? "created" : each.reason.code));
    assert.deepEqual(codes.toSorted(), ["created", "created", ...Array(3).fill("too_many_webhooks")]);
    for (let key = 21n; key < 30n; key++)
      for (let i = 0; i < 10; i++) await create({ keyId: key }).catch(() => {});
    assert.equal((await webhooks.list({ limit: 1_000 })).length, 100);
    await assert.rejects(create({ keyId: 40n }), { code: "too_many_webhooks" });
    for (const { id } of await webhooks.list({ limit: 1_000 })) await webhooks.delete(id, stampAt(1));
    await create({ keyId: 40n });
  });

  await t.test("starts after a cursor, and rejects one that is not in the history", async () => {
    await addPets(3);
    const { epoch } = await events.newest();
    const webhook = await create({ after: { epoch, number: 1n } });
    assert.deepEqual([webhook.number, webhook.pending], [1n, 2]);
    assert.equal((await create()).number, 3n);
    for (const after of [
      { epoch, number: 4n },
      { epoch: "0000000000000000", number: 1n },
    ])
      await assert.rejects(create({ after }), { code: "feed_reset" });
  });

  await t.test("does not enable a webhook again when its key has ended", async () => {
    const key = await createKey();
    const { id } = await create({ keyId: key.id });
    await addPets(2);
    await take(id, 2);
    await keys.revoke(key.id, stampAt(2));
    await assert.rejects(openWebhooks(withoutAudit(db)).take(id, 3), /no audit record/);
    assert.equal((await find(id)).disabledReason, undefined);
    await take(id, 3);
    assert.equal((await find(id)).disabledReason, "key_ended");
    const [newest] = await audited();
    assert.deepEqual([newest?.action, newest?.actor], ["webhook.disabled", { command: "serve" }]);
    for (const changes of [{ status: "enabled" }, { status: "enabled", after: "now" }] as const)
      await assert.rejects(webhooks.update(id, changes, stampAt(4)), { code: "invalid_transition" });
    assert.equal((await find(id)).pending, 2, "nothing was skipped");
  });
});
