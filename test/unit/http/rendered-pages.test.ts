// Rendered pages are cached for one state of the site, up to a number of bytes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRenderedPages } from "../../../src/http/static/rendered-pages.ts";
import { createDocument } from "../../../src/http/static/static-document.ts";

const page = (bytes: number) => ({
  route: "/animals",
  document: createDocument("text/html", "x".repeat(bytes)),
});

test("another state drops all pages, and a page of an older state is not kept", () => {
  const [one, other] = [{}, {}];
  const pages = createRenderedPages();
  assert.equal(pages.recall(one, "/animals"), undefined);
  const first = page(10);
  pages.keep(one, "/animals", first);
  assert.equal(pages.recall(one, "/animals"), first);
  assert.equal(pages.recall(other, "/animals"), undefined);
  pages.keep(one, "/animals", first);
  assert.equal(pages.recall(other, "/animals"), undefined);
});

test("the pages that were not used for the longest time make room, so that a flood of searches spares the list", () => {
  const state = {};
  const pages = createRenderedPages(100);
  pages.recall(state, "");
  pages.keep(state, "/animals", page(40));
  for (let search = 0; search < 1_000; search += 1) {
    pages.keep(state, `/animals?q=${search}`, page(25));
    assert.ok(pages.recall(state, "/animals"), `after search ${search}`);
  }
  assert.ok(pages.recall(state, "/animals?q=999"));
  assert.equal(pages.recall(state, "/animals?q=990"), undefined);
  pages.keep(state, "/large", page(101));
  assert.equal(pages.recall(state, "/large"), undefined);
});
