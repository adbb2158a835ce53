// The numbers and causes of failed deliveries that sentences of the console quote, in both languages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DE } from "../../../console/src/shared/texts/first-view-de.ts";
import { EN, type Texts } from "../../../console/src/shared/texts/first-view-en.ts";
import { PAGES_DE } from "../../../console/src/shared/texts/pages-de.ts";
import { PAGES_EN, type PageTexts } from "../../../console/src/shared/texts/pages-en.ts";
import { SEARCH_WORDS_MAX } from "../../../src/domain/animals/search-text.ts";
import { PERIODS } from "../../../src/domain/usage/periods.ts";
import { FAILURE_SENTENCES } from "../../../src/domain/webhooks/delivery-failures.ts";
import {
  DELIVERIES_KEPT_DAYS,
  DISABLED_AFTER_DAYS,
  OLD_SECRET_SIGNS_MS,
} from "../../../src/domain/webhooks/webhook-limits.ts";

const HOUR_MS = 3_600_000;
const IN_WORDS: Record<number, string[]> = { 5: ["five", "fünf"] };

const QUOTES: Array<[number, (texts: Texts & PageTexts) => string]> = [
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
  for (const texts of [
    { ...EN, ...PAGES_EN },
    { ...DE, ...PAGES_DE },
  ])
    for (const [number, read] of QUOTES) {
      const words = read(texts).split(/[^\p{L}\p{N}]+/u);
      const written = [String(number), ...(IN_WORDS[number] ?? [])];
      assert.ok(
        written.some((each) => words.includes(each)),
        `${number} is not in: ${read(texts)}`,
      );
    }
});

/** Details that the German sentences leave out: English words. */
const LEFT_OUT = ["kind"];

test("German has a sentence for every cause of a failed delivery, with its details", () => {
  const namesIn = (text: string) =>
    [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name))]
      .filter((name) => !LEFT_OUT.includes(name))
      .sort();
  const german: Record<string, string> = DE.deliveryFailures;
  for (const [cause, sentence] of Object.entries(FAILURE_SENTENCES)) {
    assert.ok(german[cause], cause);
    assert.notEqual(german[cause], sentence);
    assert.deepEqual(namesIn(german[cause]), namesIn(sentence), cause);
  }
  assert.deepEqual(Object.keys(german), Object.keys(FAILURE_SENTENCES));
});
