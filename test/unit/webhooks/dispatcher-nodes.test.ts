// Two dispatchers on one database: which node attempts a delivery, and when another may.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Database } from "../../../src/storage/database.ts";
import { testOnEngines } from "../../contract/engines.ts";
import { type Reaction, startReceiver } from "../../harness/servers/receiver.ts";
import { createDispatchScene } from "./dispatch-scene.ts";

/** The first round of each node is over: otherwise either of them might take the next event. */
async function startTwoNodes(t: TestContext, db: Database, reaction?: Reaction) {
  const scene = createDispatchScene(t, db);
  const receiver = await startReceiver(t, reaction);
  const { id } = await scene.create(receiver.url);
  t.after(() => scene.webhooks.delete(id, { actor: { command: "test" }, atMs: 0 }));
  const nodes = [scene.startNode(), scene.startNode()] as const;
  await Promise.all(nodes.map((node) => node.run()));
  return { scene, receiver, id, nodes };
}

testOnEngines("two dispatchers", async (t, db) => {
  await t.test("a node that stops during an attempt releases the delivery at once", async (t) => {
    const { scene, receiver, id, nodes } = await startTwoNodes(t, db, () => {});
    const [first, second] = nodes;
    await scene.addPets(1);
    const attempt = first.run();
    await receiver.until(1);
    await Promise.race([second.run(), receiver.until(2)]);
    assert.equal(receiver.received.length, 1, "the first has it");
    await first.stop();
    await attempt;
    assert.equal((await scene.newest(id))?.attempts, 0, "a cut attempt does not count");
    receiver.react(204);
    await second.run();
    assert.equal(receiver.received[1]?.event.id, receiver.received[0]?.event.id);
    assert.equal((await scene.newest(id))?.status, "delivered");
  });

  await t.test(
    "a node that freezes while it sends loses its claim, and its late result changes nothing",
    async (t) => {
      let answer = () => {};
      const { scene, receiver, id, nodes } = await startTwoNodes(t, db, (response) => {
        answer = () => response.writeHead(500).end();
      });
      const [frozen, other] = nodes;
      await scene.addPets(1);
      const attempt = frozen.run();
      await receiver.until(1);
      scene.clock.advance(60_000);
      receiver.react(204);
      await other.run();
      assert.equal((await scene.newest(id))?.status, "delivered");
      answer();
      await attempt;
      const delivery = await scene.newest(id);
      assert.deepEqual([delivery?.status, delivery?.attempts], ["delivered", 1]);
    },
  );
});
