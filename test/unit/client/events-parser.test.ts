// The parser of server-sent events: every form of line end and field, cut at any byte, and its bounds.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createParser, MESSAGE_MAX_CHARS, type Message } from "../../../client/src/events/parser.ts";

function parse(...chunks: string[]): Message[] {
  const parser = createParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
}

const CASES: Array<{ what: string; text: string; messages: Message[] }> = [
  { what: "a message", text: "id: a-1\ndata: x\n\n", messages: [{ id: "a-1", data: "x" }] },
  { what: "no space after the colon", text: "id:a-1\ndata:x\n\n", messages: [{ id: "a-1", data: "x" }] },
  { what: "only one space removed", text: "data:  x\n\n", messages: [{ id: undefined, data: " x" }] },
  {
    what: "several lines of data",
    text: "data: x\ndata\ndata: y\n\n",
    messages: [{ id: undefined, data: "x\n\ny" }],
  },
  { what: "CR as line end", text: "id: a-1\rdata: x\r\r", messages: [{ id: "a-1", data: "x" }] },
  { what: "CRLF as line end", text: "id: a-1\r\ndata: x\r\n\r\n", messages: [{ id: "a-1", data: "x" }] },
  { what: "an id alone", text: "id: a-1\n\n", messages: [{ id: "a-1", data: undefined }] },
  { what: "an id with empty data", text: "id: a-1\ndata:\n\n", messages: [{ id: "a-1", data: undefined }] },
  { what: "an empty id and one with NUL", text: "id\n\nid: a\0b\n\n", messages: [] },
  { what: "comments and unknown fields", text: ": hi\n\nfoo: bar\n\nevent: x\n\n", messages: [] },
  { what: "a message that is not finished", text: "data: x\n", messages: [] },
  {
    what: "an id of an earlier message",
    text: "id: a-1\n\ndata: x\n\n",
    messages: [
      { id: "a-1", data: undefined },
      { id: undefined, data: "x" },
    ],
  },
];

for (const { what, text, messages } of CASES)
  test(`reads ${what}, whole and one character at a time`, () => {
    assert.deepEqual(parse(text), messages);
    assert.deepEqual(parse(...text.split("")), messages);
    assert.deepEqual(parse(...text.split("").flatMap((each) => [each, ""])), messages);
  });

test("the chunks make no difference to any text", () => {
  const parts = ["data", "id", "retry", ":", " ", "\r", "\n", "\r\n", "x", "a-1", "\0", "é", "7"];
  const part = fc.constantFrom(...parts);
  const chunks = fc.array(fc.array(part).map((each) => each.join("")));
  fc.assert(fc.property(chunks, (each) => assert.deepEqual(parse(...each), parse(each.join("")))));
});

test("counts lines, comments included, and keeps the last valid retry", () => {
  const parser = createParser();
  parser.push(": one\nretry: 3000\n");
  assert.deepEqual([parser.lines, parser.retryMs], [2, 3000]);
  parser.push("retry: soon\nretry: 1e3\nretry: 99999999999\nunfinished");
  assert.deepEqual([parser.lines, parser.retryMs], [5, 3000]);
});

test("refuses a line and a message over the bound, and accepts one at the bound", () => {
  const half = "x".repeat(MESSAGE_MAX_CHARS / 2);
  assert.throws(() => parse(half, half, "x"), RangeError);
  assert.throws(() => parse(`${half}${half}x\n`), RangeError);
  assert.throws(() => parse(`data:${half}\n`, `data:${half}\n`), RangeError);
  assert.deepEqual(parse(`:${half}\n`, `:${half}\n`, "data: x\n\n"), [{ id: undefined, data: "x" }]);
  // Any number of messages together may be longer.
  assert.equal(parse(...Array(3).fill(`data:${half}\n\n`)).length, 3);
});
