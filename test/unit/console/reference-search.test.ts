// The search of the reference: questions, forms of words, and which entry comes first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findEntries, type SearchEntry } from "../../../console/src/reference/search-entries.ts";

const ENTRIES: SearchEntry[] = [
  [
    "replayWebhook",
    "Operation",
    "Send events again",
    "Failed deliveries are retried; a replay sends them again.",
  ],
  ["createPet", "Operation", "Add an animal", "Needs access manage. Link: the next page. Records."],
  ["paging", "Guide", "Paging", "Lists have pages. Follow the link to the next one."],
  ["errors-and-retries", "Guide", "Errors and retries", "Retry after 408, 429 and 503, with jitter."],
  ["limits-and-bans", "Guide", "Limits and bans", "A banned key waits. Web pages need CORS."],
  ["error-rate_limit_exceeded", "Error", "rate_limit_exceeded", "Too many requests. Retry later."],
  ["shape-Pet", "Shape", "Pet", "An animal."],
].map(([id = "", kind = "", title = "", text = ""]) => ({ id, kind, title, detail: "", text }));

const FIRST = {
  "how do I retry": "errors-and-retries",
  "How can I retry?": "errors-and-retries",
  retrying: "errors-and-retries",
  "when should my client retry a request": "errors-and-retries",
  "how do I get the next page": "paging",
  "next page": "paging",
  cors: "limits-and-bans",
  "what is a ban": "limits-and-bans",
  "banned keys": "limits-and-bans",
  "add animals": "createPet",
  createpet: "createPet",
  rate_lim: "error-rate_limit_exceeded",
  pet: "shape-Pet",
  "paging guide": "paging",
};

for (const [query, id] of Object.entries(FIRST))
  test(`“${query}” finds ${id} first`, () => {
    assert.equal(findEntries(ENTRIES, query)[0]?.id, id);
  });

test("finds nothing for words that occur nowhere, and for no words", () => {
  for (const query of ["zebra crossing", "", " ? "]) assert.deepEqual(findEntries(ENTRIES, query), []);
});

test("shows the text around the first word that was found", () => {
  const [, webhook] = findEntries(ENTRIES, "retried");
  assert.match(webhook?.detail ?? "", /retried|Retry/);
});
