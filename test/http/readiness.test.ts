// /readyz: many who ask cost the engines one question, and a service that stops says so at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shareReadiness } from "../../src/http/observe/readiness.ts";
import type { Readiness } from "../../src/http/services.ts";

const READY: Readiness = { status: "ready", reasons: [] };
const STOPPING: Readiness = { status: "stopping", reasons: ["the service is stopping"] };

/** Engines that answer when the test says so. */
function createScene() {
  const scene = { nowMs: 0, checks: 0, isStopping: false, answer: (_state: Readiness) => {} };
  const check = (): Promise<Readiness> => {
    if (scene.isStopping) return Promise.resolve(STOPPING);
    scene.checks += 1;
    return new Promise((resolve) => (scene.answer = resolve));
  };
  const ask = shareReadiness({ check, isStopping: () => scene.isStopping, nowMs: () => scene.nowMs });
  return { scene, ask };
}

test("all who ask while the engines are asked share one question", { timeout: 5_000 }, async () => {
  const { scene, ask } = createScene();
  const asked = Promise.all(Array.from({ length: 100 }, ask));
  scene.nowMs += 1_400;
  const late = ask();
  scene.answer(READY);
  assert.deepEqual(await asked, Array(100).fill(READY));
  assert.equal(await late, READY);
  assert.equal(scene.checks, 1);
});

test("an answer holds for 250 ms, and then the engines are asked again", { timeout: 5_000 }, async () => {
  const { scene, ask } = createScene();
  const first = ask();
  scene.answer(READY);
  await first;
  scene.nowMs += 249;
  assert.equal(await ask(), READY);
  assert.equal(scene.checks, 1);
  scene.nowMs += 1;
  const second = ask();
  const degraded: Readiness = { status: "degraded", reasons: ["one"] };
  scene.answer(degraded);
  assert.equal(await second, degraded);
  assert.equal(scene.checks, 2);
});

test("a service that stops says so at once, whatever it has said and whatever the engines do", {
  timeout: 5_000,
}, async () => {
  const { scene, ask } = createScene();
  const first = ask();
  scene.answer(READY);
  await first;
  scene.isStopping = true;
  assert.equal((await ask()).status, "stopping");

  const other = createScene();
  const waiting = other.ask();
  other.scene.isStopping = true;
  assert.equal((await other.ask()).status, "stopping", "the engines have not answered yet");
  other.scene.answer(READY);
  assert.equal((await waiting).status, "stopping", "it was asked before the stop and is answered after it");
});

test("a check that fails is not kept", { timeout: 5_000 }, async () => {
  let isBroken = true;
  const check = async () => {
    if (isBroken) throw new Error("broken");
    return READY;
  };
  const ask = shareReadiness({ check, isStopping: () => false, nowMs: () => 0 });
  await assert.rejects(ask(), /broken/);
  isBroken = false;
  assert.equal(await ask(), READY);
});
