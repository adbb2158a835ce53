// How often the last use of a key is stored.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyUse } from "../../../src/http/admission/key-use.ts";
import type { HttpServices } from "../../../src/http/services.ts";
import { FREE_KEY } from "../../harness/clients/free-key.ts";
import { createClock } from "../../harness/servers/app.ts";

const MINUTE_MS = 60_000;
const LOG = { warn: assert.fail };

function open() {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const uses: Array<[bigint, number]> = [];
  const deprecatedUses: Array<[bigint, number]> = [];
  const keyRing = {
    recordUse: async (...use: [bigint, number]) => void uses.push(use),
    recordDeprecatedUse: async (...use: [bigint, number]) => void deprecatedUses.push(use),
  } as unknown as HttpServices["keyRing"];
  return { clock, uses, deprecatedUses, recordKeyUse: createKeyUse({ keyRing, clock }) };
}

test("the last use that another node has stored counts too", () => {
  const { clock, uses, recordKeyUse } = open();
  const lastUsedAtMs = clock.nowMs() - MINUTE_MS + 1;
  recordKeyUse({ ...FREE_KEY, lastUsedAtMs }, LOG, false);
  assert.deepEqual(uses, []);
  clock.advance(1);
  recordKeyUse({ ...FREE_KEY, lastUsedAtMs }, LOG, false);
  assert.deepEqual(uses, [[1n, clock.nowMs()]]);
});

test("each kind of use is stored once a minute", () => {
  const { clock, uses, deprecatedUses, recordKeyUse } = open();
  recordKeyUse(FREE_KEY, LOG, false);
  for (let i = 0; i < 2; i++) recordKeyUse(FREE_KEY, LOG, true);
  assert.deepEqual([uses.length, deprecatedUses.length], [1, 1]);
  clock.advance(MINUTE_MS);
  recordKeyUse(FREE_KEY, LOG, true);
  assert.deepEqual([uses.length, deprecatedUses.length], [2, 2]);
});

test("ADMIN_API_KEY is not stored, and neither is its use", () => {
  const { uses, recordKeyUse } = open();
  recordKeyUse({ ...FREE_KEY, id: 0n }, LOG, false);
  assert.deepEqual(uses, []);
});
