// /readyz: concurrent callers share one check, and a stopping service says so at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shareReadiness } from "../../../src/http/routes/health.ts";
import type { Readiness } from "../../../src/http/services.ts";

const READY: Readiness = { status: "ready", reasons: [] };
const STOPPING: Readiness = { status: "stopping", reasons: ["the service is stopping"] };

/** Engines that answer when the test lets them. */
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

test("callers during a check share its result", { timeout: 60_000 }, async () => {
  const { scene, ask } = createScene();
  const asked = Promise.all(Array.from({ length: 100 }, ask));
  scene.nowMs += 1_400;
  const late = ask();
  scene.answer(READY);
  assert.deepEqual(await asked, Array(100).fill(READY));
  assert.equal(await late, READY);
  assert.equal(scene.checks, 1);
});

test("a result is reused for 250 ms, then the engines are checked again", { timeout: 60_000 }, async () => {
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

test("a stopping service says so at once, whatever the last result was and whatever the engines do", {
  timeout: 60_000,
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
  assert.equal((await waiting).status, "stopping", "asked before the stop, answered after it");
});

test("the result of a failed check is not reused", { timeout: 60_000 }, async () => {
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
