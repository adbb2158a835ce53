// Attempts of deliveries end, whatever fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClaimedDelivery } from "../../../src/domain/webhooks/dispatch.ts";
import { type AttemptOptions, createAttempts } from "../../../src/webhooks/attempts.ts";

test("an attempt ends, and frees its slot, even if its fault cannot be reported", async () => {
  const options = {
    ending: AbortSignal.abort(),
    store: { release: async () => assert.fail("the database is away") },
    onError: () => assert.fail("the log is away"),
  };
  const attempts = createAttempts(options as unknown as AttemptOptions);
  const ends: boolean[] = [];
  attempts.start({} as ClaimedDelivery, (isDelivered) => ends.push(isDelivered));
  assert.equal(attempts.running.size, 1);
  const [result] = await Promise.allSettled([...attempts.running]);
  assert.match(String(result?.status === "rejected" && result.reason), /the log is away/);
  assert.equal(attempts.running.size, 0);
  assert.deepEqual(ends, [false]);
});
