// Numbers of the service that sentences of the console quote, in both languages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DE } from "../console/src/texts/de.ts";
import { EN, type Texts } from "../console/src/texts/en.ts";
import { SEARCH_WORDS_MAX } from "../src/domain/search-text.ts";
import { PERIODS } from "../src/domain/usage/periods.ts";
import {
  DELIVERIES_KEPT_DAYS,
  DISABLED_AFTER_DAYS,
  OLD_SECRET_SIGNS_MS,
} from "../src/domain/webhook-limits.ts";

const HOUR_MS = 3_600_000;
const IN_WORDS: Record<number, string[]> = { 5: ["five", "fünf"] };

const QUOTES: Array<[number, (texts: Texts) => string]> = [
  [SEARCH_WORDS_MAX, ({ animals }) => animals.firstWords],
  [OLD_SECRET_SIGNS_MS / HOUR_MS, ({ webhooks }) => webhooks.rotateHint],
  [OLD_SECRET_SIGNS_MS / HOUR_MS, ({ webhooks }) => webhooks.storeSecret],
  [DISABLED_AFTER_DAYS, ({ webhooks }) => webhooks.offBecause.failing],
  [DELIVERIES_KEPT_DAYS, ({ deliveries }) => deliveries.none],
  [PERIODS.day.usual, ({ keys }) => keys.use],
  [PERIODS.day.usual, ({ keys }) => keys.useSummary("1")],
  [PERIODS.day.usual, ({ keys }) => keys.unused],
  [PERIODS.day.most, ({ usage }) => usage.periods.quarter],
  [PERIODS.day.most, ({ usage }) => usage.summary.quarter("1")],
];

test("sentences of the console quote the numbers of the service", () => {
  for (const texts of [EN, DE])
    for (const [number, read] of QUOTES) {
      const words = read(texts).split(/[^\p{L}\p{N}]+/u);
      const written = [String(number), ...(IN_WORDS[number] ?? [])];
      assert.ok(
        written.some((each) => words.includes(each)),
        `${number} is not in: ${read(texts)}`,
      );
    }
});
