// Admission of a request: by a cached key, by a key that is looked up, and by one that changes all the time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Verdict } from "../../../src/domain/keys/admission.ts";
import type { ApiKey } from "../../../src/domain/keys/api-key.ts";
import { createCallerAdmission } from "../../../src/http/admission/admit-caller.ts";
import { createKeyUse } from "../../../src/http/admission/key-use.ts";
import { createVisitors } from "../../../src/http/admission/visitors.ts";
import type { HttpServices } from "../../../src/http/services.ts";

const KEY = { id: 1n, access: "browse" } as ApiKey;
const ORIGIN = "https://www.example.org";
const PUBLISHABLE = { ...KEY, kind: "publishable", plan: "free", allowedOrigins: [] } as ApiKey;
const WINDOW = { name: "minute", limit: 9, remaining: 9, resetMs: 0 };

/** Admission with a gate that returns these verdicts one after another, and then the last one for ever. */
function createParts({
  verdicts,
  isCached,
  isRefused = false,
  recordUse = async () => {},
}: {
  verdicts: Verdict[];
  isCached: boolean;
  /** A publishable key, whose cached origins are not those of the request. */
  isRefused?: boolean;
  recordUse?: () => Promise<void>;
}) {
  const warned: object[] = [];
  const counts = { asked: 0, lookUps: 0, renewed: 0 };
  const clock = { nowMs: () => 60_000 };
  const recordKeyUse = createKeyUse({ keyRing: { recordUse }, clock } as unknown as HttpServices);
  const cached = isRefused ? PUBLISHABLE : KEY;
  const decide = () => {
    const verdict = verdicts[Math.min(counts.asked, verdicts.length - 1)];
    counts.asked += 1;
    // Ends a loop without a bound.
    if (counts.asked > 1_000) throw new Error("The gate was asked 1,000 times");
    return { verdict, nowMs: 0, windows: [WINDOW], versions: { pets: 1, key: counts.asked } };
  };
  const admit = createCallerAdmission({
    gate: { admit: decide, peek: decide },
    visitors: createVisitors({ clock, trustProxy: [] } as unknown as HttpServices),
    keyRing: {
      recall: () => (isCached ? cached : undefined),
      verify: async () => {
        counts.lookUps += 1;
        return isRefused ? { ...cached, allowedOrigins: [ORIGIN] } : KEY;
      },
      renew: () => (counts.renewed += 1),
    },
    recordKeyUse,
    metrics: { countDecision: () => {} },
    clock,
  } as unknown as Parameters<typeof createCallerAdmission>[0]);
  const request = {
    raw: { headers: { origin: ORIGIN }, socket: {} },
    query: {},
    headers: { authorization: "Bearer x", origin: ORIGIN },
    socket: {},
    route: { config: {} },
    log: { warn: (line: object) => warned.push(line) },
  };
  const reply = { headers: () => reply, header: () => reply, hasHeader: () => false };
  const run = async () => admit(request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  return { run, counts, warned, request: request as typeof request & { apiKey?: ApiKey } };
}

test("a visitor whom a cached key refuses is admitted if another node has allowed its origin", async () => {
  const parts = createParts({ verdicts: ["stale", "admitted"], isCached: true, isRefused: true });
  await parts.run();
  assert.deepEqual(parts.counts, { asked: 2, lookUps: 1, renewed: 1 });
  const unchanged = createParts({ verdicts: ["admitted"], isCached: true, isRefused: true });
  await assert.rejects(unchanged.run(), { code: "origin_not_allowed" });
});

test("a cached key is admitted without a look-up", async () => {
  const { run, counts, request } = createParts({ verdicts: ["admitted"], isCached: true });
  await run();
  assert.deepEqual(counts, { asked: 1, lookUps: 0, renewed: 0 });
  assert.equal(request.apiKey, KEY);
});

for (const isCached of [true, false]) {
  const what = isCached ? "a cached key" : "a key that was looked up";
  test(`${what} that has changed since is looked up again`, async () => {
    const { run, counts } = createParts({ verdicts: ["stale", "stale", "admitted"], isCached });
    await run();
    assert.deepEqual(counts, { asked: 3, lookUps: isCached ? 2 : 3, renewed: 2 });
  });

  test(`${what} is admitted although its last use cannot be stored, which is logged`, async () => {
    const err = new Error("the disk is full");
    const recordUse = () => Promise.reject(err);
    const { run, warned, request } = createParts({ verdicts: ["admitted"], isCached, recordUse });
    await run();
    await nextTick();
    assert.equal(request.apiKey, KEY);
    assert.deepEqual(warned, [{ err }]);
  });

  test(`${what} that the gate always reports as stale gets 503 after 5 look-ups`, async () => {
    const { run, counts } = createParts({ verdicts: ["stale"], isCached });
    await assert.rejects(run(), { code: "unavailable", retryAfterSeconds: 1 });
    assert.equal(counts.lookUps, 5);
  });
}
