// Durations as texts quote them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDuration } from "../../../src/domain/basics/time.ts";

test("a duration is a whole number of the largest unit that divides it", () => {
  const texts: Array<[ms: number, text: string]> = [
    [86_400_000, "24 hours"],
    [3_600_000, "1 hour"],
    [5_400_000, "90 minutes"],
    [60_000, "1 minute"],
    [90_000, "90 seconds"],
    [1_000, "1 second"],
  ];
  for (const [ms, text] of texts) assert.equal(formatDuration(ms), text);
});
