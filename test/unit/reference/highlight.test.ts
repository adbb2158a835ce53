// The colours of code in the reference: every sample keeps its text, and its strings, words and comments are told apart.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodeLanguage } from "../../../src/reference/blocks.ts";
import { splitCode, splitLines } from "../../../src/reference/highlight.ts";
import { renderBlocks } from "../../../src/reference/html.ts";

const ROOT = "http://127.0.0.1:8080";

function tokensOf(code: string, language: CodeLanguage): string[] {
  return splitCode(code, language).flatMap(({ kind, text }) =>
    kind === undefined ? [] : [`${kind} ${text}`],
  );
}

const EXAMPLES: Array<[CodeLanguage, string, string[]]> = [
  [
    "sh",
    "# List\ncurl -X POST 'http://a/#b' \\\n  -H \"A: $KEY\" | jq .",
    [
      "comment # List",
      "word curl",
      "name -X",
      "string 'http://a/#b'",
      "name -H",
      'string "A: $KEY"',
      "word jq",
    ],
  ],
  [
    "js",
    'const pet = await add({ name: "R\\"ex", age: 12 }); // http://a',
    [
      "word const",
      "word await",
      "name name",
      'string "R\\"ex"',
      "name age",
      "number 12",
      "comment // http://a",
    ],
  ],
  [
    "python",
    'import json\nprint("""a "b" """, None)  # done',
    ["word import", 'string """a "b" """', "number None", "comment # done"],
  ],
  [
    "json",
    '{"id": -1.5e3, "tags": ["a:b", null]}',
    ['name "id"', "number -1.5e3", 'name "tags"', 'string "a:b"', "number null"],
  ],
  [
    "html",
    '<!-- a - b --><a href="x">text</a>',
    ["comment <!-- a - b -->", "word <a", "name href", 'string "x"', "word >", "word </a", "word >"],
  ],
  ["css", "a { color: #fff; /* b */ }", ["name color", "number #fff", "comment /* b */"]],
  ["text", "const a = 1", []],
];

for (const [language, code, wanted] of EXAMPLES)
  test(`finds the parts of ${language}`, () => {
    assert.deepEqual(tokensOf(code, language), wanted);
    const lines = splitLines(splitCode(code, language));
    assert.equal(lines.map((line) => line.map(({ text }) => text).join("")).join(""), code);
    assert.equal(lines.length, code.split("\n").length);
  });

test("code keeps its text, and the places for the key and the address of the reader", () => {
  const code = `curl '${ROOT}/v1/pets' \\\n  -H 'Authorization: Bearer ask_live_YOUR_KEY' <b>&"`;
  const html = renderBlocks([{ kind: "code", code, language: "sh" }], { root: ROOT, renderForm: () => "" });
  const [, shown = ""] = /<pre[^>]*>(.*)<\/pre>/s.exec(html) ?? [];
  const text = shown
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
  assert.equal(text, code);
  assert.match(shown, /<span class="string">'<span class="root">http:[^<]+<\/span>\/v1\/pets'<\/span>/);
  assert.match(shown, /Bearer <span class="key">ask_live_YOUR_KEY<\/span>'/);
});
