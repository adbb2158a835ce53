// Stored responses with a secret: only their caller can read them, and only from their own row.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decryptAnswer, encryptAnswer } from "../../../src/domain/keys/answer-cipher.ts";

const KEYS = { callerSecret: "secret", idempotencyKey: "key", name: Buffer.from("row") };
const BODY = Buffer.from('{"key":"ask_live_1"}');

test("a response is decrypted with the same secret, Idempotency-Key and row, and with no others", () => {
  const encrypted = encryptAnswer(BODY, KEYS);
  assert.deepEqual(decryptAnswer(encrypted, KEYS), BODY);
  for (const other of [
    { callerSecret: "other" },
    { idempotencyKey: "other" },
    { name: Buffer.from("other") },
  ])
    assert.throws(() => decryptAnswer(encrypted, { ...KEYS, ...other }), { code: "idempotency_key_reused" });
});

test("a response that was changed is not decrypted", () => {
  const encrypted = encryptAnswer(BODY, KEYS);
  for (const index of encrypted.keys()) {
    const changed = Buffer.from(encrypted);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.throws(() => decryptAnswer(changed, KEYS), { code: "idempotency_key_reused" });
  }
});

test("the same response is encrypted differently each time, and is not readable", () => {
  const [one, two] = [encryptAnswer(BODY, KEYS), encryptAnswer(BODY, KEYS)];
  assert.notDeepEqual(one, two);
  assert.ok(!one.includes("ask_live"));
});
