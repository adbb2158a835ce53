// The sentences about failed deliveries: each is recognised again, whatever its details are.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FAILURE_SENTENCES,
  type FailureCause,
  hideNameCause,
  recogniseFailure,
  sayFailure,
} from "../../../src/domain/webhooks/delivery-failures.ts";

const CAUSES = Object.keys(FAILURE_SENTENCES) as FailureCause[];
/** Plain ones, and foreign text that looks like a part of a sentence. */
const DETAILS = [
  "x",
  "hooks.example.net",
  "",
  "(a).",
  "{host}",
  "url must not lead to",
  "a. b. c.",
  "äöü 犬",
];

function namesOf(cause: FailureCause): string[] {
  return [...FAILURE_SENTENCES[cause].matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

for (const cause of CAUSES)
  test(`${cause} is recognised with its details`, () => {
    for (const detail of DETAILS) {
      const details = Object.fromEntries(namesOf(cause).map((name) => [name, detail]));
      const sentence = sayFailure(cause, details);
      assert.deepEqual(recogniseFailure(sentence), { cause, details }, sentence);
    }
  });

test("other sentences are not recognised", () => {
  for (const cause of CAUSES) {
    const sentence = sayFailure(cause, { kind: "a private", host: "x", code: "x", status: 1, seconds: 1 });
    for (const other of [`${sentence} `, ` ${sentence}`, sentence.slice(0, -1), sentence.slice(1)])
      assert.equal(recogniseFailure(other), undefined, other);
  }
  for (const sentence of ["", "No response", "The moon is full.", "No response within 15 s", "url must not"])
    assert.equal(recogniseFailure(sentence), undefined, sentence);
});

test("causes that show whether a host name exists get one sentence for callers without access admin", () => {
  const hidden = sayFailure("url_without_public_address");
  const causes = [
    "name_without_address",
    "look_up_failed",
    "look_up_too_slow",
    "url_private_addresses",
  ] as const;
  for (const cause of causes) assert.equal(hideNameCause(sayFailure(cause, { host: "x" })), hidden);
  for (const sentence of [sayFailure("connection_refused"), "The moon is full.", hidden])
    assert.equal(hideNameCause(sentence), sentence);
});
