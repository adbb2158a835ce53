// Colours that are derived from an accent have enough contrast, whatever the accent is.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accentStyle, contrast, parse } from "../../../src/look/accent.ts";
import { COLOURS } from "../../../src/look/tokens.ts";

const [LIGHT, DARK] = [parse(COLOURS.panel[0]), parse(COLOURS.panel[1])];

test("text on the accent and links in it are readable in both schemes", () => {
  const channel = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(channel, channel, channel), (channels) => {
      const accent = `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
      const style = accentStyle(accent);
      const [, onAccent = ""] = /--on-accent:(#[0-9a-f]{6});/.exec(style) ?? [];
      const [light = "", dark = ""] = [...style.matchAll(/--link:(#[0-9a-f]{6})/g)].map(([, link]) => link);
      assert.ok(style.startsWith(`:root{--accent:${accent};`), style);
      assert.ok(contrast(parse(accent), parse(onAccent)) >= 4.5, accent);
      assert.ok(contrast(parse(light), LIGHT) >= 4.5, accent);
      assert.ok(contrast(parse(dark), DARK) >= 4.5, accent);
    }),
  );
});
