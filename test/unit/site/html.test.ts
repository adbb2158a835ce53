// The template of the public pages: every value is escaped, and only a template makes markup.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plain } from "../../../src/domain/basics/text.ts";
import { html, isolate, jsonScript, toText } from "../../../src/site/html.ts";

test("values are text, also in attributes; templates inside templates stay markup", () => {
  const name = `<b>&"'`;
  const markup = html`<p title="${name}">${name} ${isolate("x")} ${[1, 2n, html`<br>`]}${undefined}${false}</p>`;
  const escaped = "&lt;b&gt;&amp;&quot;&#39;";
  assert.equal(toText(markup), `<p title="${escaped}">${escaped} <bdi>x</bdi> 12<br></p>`);
});

test("no text can leave its element or attribute, and what XML forbids is left out", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const written = toText(html`${text}`);
      assert.doesNotMatch(written, /[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
      assert.doesNotMatch(written, /(?![\t\n\r])[\p{Cc}\ufffe\uffff\p{Cs}]/u);
    }),
  );
  assert.equal(toText(html`a\u0000${"a\u0000b\ud800c\ufffed\ne"}`), "a\u0000abcd\ne");
});

test("an object that looks like markup is not: JSON cannot make a symbol", () => {
  const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}');
  assert.equal(toText(html`${forged}`), "");
});

test("JSON in a page cannot end its element, and stays the same JSON", () => {
  const value = { name: "</script><!--\u2028&\ufffe\uffff" };
  const [, json = ""] = /^<script type="x">(.*)<\/script>$/s.exec(toText(jsonScript("x", value))) ?? [];
  assert.doesNotMatch(json, /[<\ufffe\uffff]/);
  assert.deepEqual(JSON.parse(json), value);
});

test("titles and attributes have no controls of direction", () => {
  assert.equal(plain("a\u202eb\u2066c\u200fd"), "abcd");
});
