// The appearance of the public pages as the fields of a form: the changes that are sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopback } from "../../../console/src/shared/state/loopback.ts";
import { toFields, toPatch } from "../../../console/src/site/site-fields.ts";

const FIELDS = toFields({ isPublic: true, title: "Pfotenhof", language: "de", accent: "#2f6f4f" });

test("only changed members of the site are sent, and null for emptied ones", () => {
  const patchOf = (changes: object) => toPatch(FIELDS, { ...FIELDS, ...changes });
  assert.deepEqual(patchOf({}), {});
  assert.deepEqual(patchOf({ title: " Pfotenhof " }), {});
  assert.deepEqual(patchOf({ title: " ", accent: "" }), { title: null, accent: null });
  assert.deepEqual(patchOf({ introduction: "Hello\n", language: "en" }), {
    introduction: "Hello",
    language: "en",
  });
});

test("an address of this computer is recognised", () => {
  for (const host of ["localhost", "localhost:8080", "127.0.0.1:8080", "127.1.2.3", "[::1]:80"])
    assert.ok(isLoopback(`http://${host}/animals`), host);
  for (const address of ["", "animals", "https://example.org", "http://127.example.org", "http://10.0.0.1"])
    assert.ok(!isLoopback(address), address);
});
