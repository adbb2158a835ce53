// Usage that is read while it is stored.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { systemClock } from "../../../src/domain/basics/clock.ts";
import type { MinuteCount, UsageStore } from "../../../src/domain/usage/usage-store.ts";
import { createUsage } from "../../../src/http/observe/usage-counter.ts";

test("a flush that starts just before the store is read hides no count", async () => {
  const stored: MinuteCount[] = [];
  let newest = 0;
  const { promise: flushed, resolve: release } = Promise.withResolvers<void>();
  const store: UsageStore = {
    async add({ minutes }, { number }) {
      await yieldToEventLoop();
      stored.push(...minutes);
      newest = number;
    },
    /** Rows at the start of the query; its result arrives late. */
    async readMinutes({ keyId }) {
      const found = { counts: stored.filter((count) => count.keyId === keyId), number: newest };
      if (found.number === 1) await flushed;
      return found;
    },
    readDays: () => assert.fail("not read here"),
    forget: async () => 0,
  };
  const failed = (error: unknown) => assert.fail(String(error));
  const usage = createUsage({ store, clock: systemClock, onError: failed, onOverflow: failed });
  usage.count(1n, "listPets", 200);
  await usage.flush();
  usage.count(1n, "listPets", 200);
  const reading = usage.readMinutes({ keyId: 1n, first: 0, last: Number.MAX_SAFE_INTEGER });
  await usage.flush();
  release();
  assert.equal(
    (await reading).reduce((sum, { responses }) => sum + responses, 0),
    2,
  );
  await usage.close();
});
