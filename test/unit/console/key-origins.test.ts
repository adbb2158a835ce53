// The web pages of a publishable key, as people type them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSnippet, readOrigins } from "../../../console/src/keys/origins.ts";
import { ALLOWED_ORIGINS_MAX } from "../../../src/domain/basics/count-limits.ts";
import { isAllowableOrigin } from "../../../src/domain/keys/allowed-origins.ts";

test("addresses of any page of a website become origins that the service accepts", () => {
  const typed: Record<string, string[]> = {
    "https://www.example.org": ["https://www.example.org"],
    " www.example.org/adopt?x=1#y \n\n": ["https://www.example.org"],
    "https://A.example/\nhttps://a.example:443, b.example:8443": [
      "https://a.example",
      "https://b.example:8443",
    ],
    "https://tierheim-köln.example": ["https://xn--tierheim-kln-ejb.example"],
    "http://localhost:3000/\thttp://127.0.0.1\thttp://[::1]:81": [
      "http://localhost:3000",
      "http://127.0.0.1",
      "http://[::1]:81",
    ],
  };
  for (const [text, origins] of Object.entries(typed)) {
    assert.deepEqual(readOrigins(text), origins);
    assert.ok(origins.every(isAllowableOrigin), text);
  }
});

test("addresses that no key can have are refused in words", () => {
  for (const text of ["http://example.org", "ftp://example.org", "file:///etc", "https://", "javascript://x"])
    assert.throws(() => readOrigins(`https://a.example ${text}`), {
      message: new RegExp(RegExp.escape(text)),
    });
  assert.throws(() => readOrigins(" \n"), { message: /at least one/ });
  const list = (count: number) => Array.from({ length: count }, (_, index) => `${index}.example`).join("\n");
  assert.equal(readOrigins(list(ALLOWED_ORIGINS_MAX)).length, ALLOWED_ORIGINS_MAX);
  assert.throws(() => readOrigins(list(ALLOWED_ORIGINS_MAX + 1)), { message: /at most 20/ });
});

test("the lines for a web page name the service and the key", () => {
  assert.equal(
    formatSnippet("https://animals.example/store", "ask_pub_x"),
    '<script type="module" src="https://animals.example/store/widget.js"></script>\n' +
      '<animal-store-list src="https://animals.example/store" key="ask_pub_x" filters></animal-store-list>',
  );
});
