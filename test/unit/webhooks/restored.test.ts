// Webhooks of a store that was restored or copied: nothing is lost, and equal ids mean the same event.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../../src/config/config.ts";
import { copyAll } from "../../../src/storage/copy.ts";
import type { Database } from "../../../src/storage/database.ts";
import { backupStore, restoreStore } from "../../../src/transfer/backup.ts";
import { ENGINE_NAMES, openEmptyStore, openStoreFile, testOnEngines } from "../../contract/engines.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { type Receiver, startReceiver } from "../../harness/servers/receiver.ts";
import { createDispatchScene } from "./dispatch-scene.ts";

const epochOf = async (db: Database) => String((await db.first("SELECT epoch FROM store"))?.epoch);
const sentTo = ({ received }: Receiver) => received.map(({ event }) => event.id as string);

/** One event is delivered, the next has failed once. */
async function prepare(t: TestContext, db: Database) {
  const scene = createDispatchScene(t, db);
  const receiver = await startReceiver(t);
  await scene.create(receiver.url);
  const node = scene.startNode();
  await scene.addPets(1);
  await node.run();
  receiver.react(503);
  await scene.addPets(1);
  await node.run();
  await node.stop();
  assert.deepEqual(sentTo(receiver), [1, 2].map(idsOf(await epochOf(db))));
  receiver.react(204);
  return receiver;
}

const idsOf = (epoch: string) => (number: number) => `evt_${epoch}_${number}`;

/** The store goes on: the pending event, and a new one with the number 3. */
async function proceed(t: TestContext, db: Database): Promise<void> {
  const scene = createDispatchScene(t, db);
  scene.clock.advance(60_000);
  await scene.addPets(1);
  await scene.startNode().run();
}

testOnEngines("webhooks of a copied store", async (t, from) => {
  const receiver = await prepare(t, from);
  const first = await epochOf(from);
  for (const engine of ENGINE_NAMES)
    await t.test(`the webhooks of a copy on ${engine} continue where the copy was made`, async (t) => {
      const to = await openEmptyStore(t, engine);
      await copyAll(from, to, () => {});
      const before = receiver.received.length;
      await proceed(t, to);
      const expected = [idsOf(first)(2), idsOf(await epochOf(to))(3)];
      assert.deepEqual(sentTo(receiver).slice(before).toSorted(), expected.toSorted());
    });
});

test("the webhooks of a restored store send what was pending, and new events under new ids", async (t) => {
  const folder = makeFolder(t);
  const config = readConfig({ DATABASE_URL: `sqlite:${join(folder, "store.db")}` });
  const db = await openStoreFile(t, join(folder, "store.db"));
  const receiver = await prepare(t, db);
  const first = await epochOf(db);
  const target = join(folder, "backup.db");
  await backupStore(config, { target, force: false, onProgress: () => {} });
  await proceed(t, db);
  await db.close();
  assert.deepEqual(sentTo(receiver).slice(2).toSorted(), [2, 3].map(idsOf(first)));

  await restoreStore(config, target, { force: true, unsealed: false });
  const restored = await openStoreFile(t, join(folder, "store.db"));
  const second = await epochOf(restored);
  assert.notEqual(second, first);
  await proceed(t, restored);
  const expected = [idsOf(first)(2), idsOf(second)(3)];
  assert.deepEqual(sentTo(receiver).slice(4).toSorted(), expected.toSorted(), "2 again, and another 3");
});
