// The tokens of the look: enough contrast in both schemes, and style sheets that use no others.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contrast, parse } from "../../../src/look/accent.ts";
import { markStyle } from "../../../src/look/mark.ts";
import { COLOURS, tokenStyle } from "../../../src/look/tokens.ts";

const ROOT = join(import.meta.dirname, "../../..");
type Name = keyof typeof COLOURS;

const GROUNDS: Name[] = ["ground", "panel"];
/** Texts of their own, on every ground. */
const TEXTS: Name[] = ["text", "quiet", "danger"];

test("every text has a contrast of at least 4.5 in light and in dark", () => {
  const marked = (Object.keys(COLOURS) as Name[]).filter((name) => name.endsWith("-text"));
  assert.ok(marked.length >= 5);
  const pairs = [
    ...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)),
    ...marked.map((text) => [text, text.replace("-text", "") as Name] as const),
  ];
  for (const [text, ground] of pairs)
    for (const scheme of [0, 1] as const) {
      const found = contrast(parse(COLOURS[text][scheme]), parse(COLOURS[ground][scheme]));
      assert.ok(found >= 4.5, `${text} on ${ground}: ${found.toFixed(2)}`);
    }
});

test("the parts of code have a contrast of at least 4.5 on the ground of code", () => {
  const sheet = readFileSync(join(ROOT, "console/src/styles/reference-code.css"), "utf8");
  const used = [...sheet.matchAll(/^pre \.\w+ \{\s+color: var\(--([\w-]+)\)/gm)].map(
    ([, name]) => name as Name,
  );
  assert.equal(used.length, 5);
  for (const name of used)
    for (const scheme of [0, 1] as const) {
      const found = contrast(parse(COLOURS[name][scheme]), parse(COLOURS.panel[scheme]));
      assert.ok(found >= 4.5, `${name}: ${found.toFixed(2)}`);
    }
});

test("the edges of fields have a contrast of at least 3 on every ground", () => {
  for (const ground of GROUNDS)
    for (const scheme of [0, 1] as const)
      assert.ok(contrast(parse(COLOURS.edge[scheme]), parse(COLOURS[ground][scheme])) >= 3, ground);
});

const SHEETS = globSync(["console/src/styles/*.css", "src/site/style.css"], { cwd: ROOT });

test("the mark has its colours in one place, and no style sheet repeats them", () => {
  assert.match(markStyle(), /^\.mark\{.*fill:var\(--accent\)\}/);
  const repeating = SHEETS.filter((sheet) => /^\.mark\b/m.test(readFileSync(join(ROOT, sheet), "utf8")));
  assert.deepEqual(repeating, []);
});

test("style sheets use only custom properties that exist", () => {
  assert.ok(SHEETS.length > 10);
  const texts = [tokenStyle(), ...SHEETS.map((sheet) => readFileSync(join(ROOT, sheet), "utf8"))];
  /** By the accent, by the script of the console, or by the code of the public pages. */
  const elsewhere = ["accent", "on-accent", "link", "type", "small-type", "ratio", "silhouette"];
  const defined = new Set([
    ...elsewhere,
    ...texts.flatMap((text) => [...text.matchAll(/--([\w-]+):/g)].map(([, name]) => name)),
  ]);
  const used = texts.flatMap((text) => [...text.matchAll(/var\(--([\w-]+)/g)].map(([, name]) => name));
  assert.deepEqual(
    [...new Set(used)].filter((name) => !defined.has(name)),
    [],
  );
});
