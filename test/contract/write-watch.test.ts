// The write watch notices failing writes without traffic, and no probe waits for a database that hangs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createWriteWatch } from "../../src/storage/write-watch.ts";
import { testOnEngines } from "./engines.ts";

function makeScene() {
  const scene = { nowMs: 0, tests: 0, canWrite: true, outcome: Promise.resolve() };
  const db = {
    canWrite: () => scene.canWrite,
    testWrite: () => {
      scene.tests += 1;
      return scene.outcome;
    },
  };
  return { scene, watch: createWriteWatch(db, () => scene.nowMs) };
}

function failed(): Promise<void> {
  const outcome = Promise.reject(new Error("full"));
  // Handled later, by the code under test.
  outcome.catch(() => {});
  return outcome;
}

test("notices without traffic that writes fail, and that they succeed again", async () => {
  const { scene, watch } = makeScene();
  assert.equal(await watch.isWritable(), true);
  assert.equal(scene.tests, 0, "the start has just tested it");
  scene.outcome = failed();
  scene.nowMs += 5_000;
  assert.equal(await watch.isWritable(), false);
  scene.outcome = Promise.resolve();
  assert.equal(await watch.isWritable(), true, "tested with every probe as long as it fails");
  assert.equal(scene.tests, 2);
  assert.equal(await watch.isWritable(), true);
  assert.equal(scene.tests, 2, "and seldom when it does not");
});

test("a write that failed is followed by a test, so that it is over when the fault is", async () => {
  const { scene, watch } = makeScene();
  scene.canWrite = false;
  scene.outcome = failed();
  assert.equal(await watch.isWritable(), false);
  scene.outcome = Promise.resolve().then(() => {
    scene.canWrite = true;
  });
  assert.equal(await watch.isWritable(), true);
});

test("a test that does not end holds up no probe, and runs once", async () => {
  const { scene, watch } = makeScene();
  let end = () => {};
  scene.outcome = new Promise((_, reject) => {
    end = () => reject(new Error("too slow"));
  });
  scene.nowMs += 5_000;
  assert.deepEqual(await Promise.all([watch.isWritable(), watch.isWritable()]), [true, true]);
  assert.equal(scene.tests, 1);
  end();
  await scene.outcome.catch(() => {});
  scene.outcome = failed();
  assert.equal(await watch.isWritable(), false);
});

testOnEngines("a test write changes no data", async (t, db) => {
  const read = () => db.all("SELECT version, name, applied_at_ms FROM schema_migrations ORDER BY version");
  const before = await read();
  await db.testWrite();
  assert.deepEqual(await read(), before);
  assert.equal(db.canWrite(), true);
  await t.test("a test write fails if a write would fail", async () => {
    await db.transaction((tx) => tx.run("ALTER TABLE schema_migrations RENAME TO moved"));
    await assert.rejects(db.testWrite(), /schema_migrations/);
  });
});
