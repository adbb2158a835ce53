// Foreign text in messages is short and harmless for a terminal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { showList, showText } from "../../../src/tools/shown-text.ts";

test("shows at most 60 characters of foreign text, without control characters", () => {
  assert.equal(showText("Rex"), '"Rex"');
  assert.equal(showText("x".repeat(60)), `"${"x".repeat(60)}"`);
  assert.equal(showText("🐕".repeat(2 ** 19)), `"${"🐕".repeat(60)}…"`);
  assert.equal(showText("a\u001b[2Jb\u009b\u202e\r\n"), '"a\\x1b[2Jb\\x9b\\u202e\\x0d\\x0a"');
  assert.equal(showText("a\u200b\u{e0001}\u{d800}"), '"a\\u200b\\u{e0001}\\ud800"');
});

test("shows at most ten texts of a list", () => {
  const texts = Array.from({ length: 12 }, (_, i) => `${i}`);
  assert.equal(showList(texts).split(", ").length, 10);
  assert.match(showList(texts), /"9" and 2 more$/);
});
