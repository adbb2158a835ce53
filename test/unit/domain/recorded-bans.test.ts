// A ban in the audit log: reported once by a node, and again if it was not stored.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Admission } from "../../../src/domain/keys/admission.ts";
import type { AuditStore } from "../../../src/domain/keys/audit.ts";
import { createBanRecorder } from "../../../src/http/admission/ban-recorder.ts";
import { FREE_KEY } from "../../harness/clients/free-key.ts";
import { createClock } from "../../harness/servers/app.ts";

function open() {
  const clock = createClock(1_000);
  const state = { isBroken: false };
  const reported: Array<[bigint, number]> = [];
  const audit = {
    async recordBan(keyId: bigint, untilMs: number) {
      reported.push([keyId, untilMs]);
      if (state.isBroken) throw new Error("the disk is full");
    },
  } as Partial<AuditStore> as AuditStore;
  const record = createBanRecorder(audit, clock);
  const refuse = (bannedUntilMs: number, key = FREE_KEY) => {
    const admission: Admission = { verdict: "banned", nowMs: clock.nowMs(), windows: [], bannedUntilMs };
    return record(key, admission);
  };
  return { clock, state, reported, record, refuse };
}

test("each ban of each key is reported once, however many requests it refuses", async () => {
  const { clock, reported, record, refuse } = open();
  for (let i = 0; i < 100; i++) {
    await refuse(61_000);
    clock.advance(500);
  }
  await refuse(61_000, { ...FREE_KEY, id: 2n });
  await refuse(181_000);
  assert.deepEqual(reported, [
    [1n, 61_000],
    [2n, 61_000],
    [1n, 181_000],
  ]);
  const admitted: Admission = { verdict: "admitted", nowMs: 0, windows: [] };
  assert.equal(record(FREE_KEY, admitted), undefined);
  assert.equal(record(FREE_KEY, { ...admitted, verdict: "minute" }), undefined);
});

test("a ban that was not stored is reported again a second later, until it is stored", async () => {
  const { clock, state, reported, refuse } = open();
  state.isBroken = true;
  await assert.rejects(async () => refuse(61_000), /disk is full/);
  clock.advance(999);
  assert.equal(refuse(61_000), undefined);
  clock.advance(1);
  await assert.rejects(async () => refuse(61_000), /disk is full/);
  state.isBroken = false;
  clock.advance(1_000);
  await refuse(61_000);
  clock.advance(1_000);
  assert.equal(refuse(61_000), undefined);
  assert.equal(reported.length, 3);
});
