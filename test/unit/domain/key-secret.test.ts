// Secrets of keys: random, with a prefix, and checked without a look-up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import {
  generateSecret,
  hashSecret,
  isPublishable,
  isSecret,
  secretHint,
} from "../../../src/domain/keys/key-secret.ts";
import { codePoint } from "../../harness/clients/code-points.ts";

test("a secret has a prefix, 30 random characters and a checksum of 6 characters", () => {
  for (const [environment, prefix] of [
    ["production", "ask_live_"],
    ["staging", "ask_test_"],
  ] as const) {
    const secret = generateSecret(environment);
    assert.match(secret, new RegExp(`^${prefix}[0-9A-Za-z]{36}$`));
    assert.ok(isSecret(secret, environment));
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const checksum = [...secret.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    assert.equal(checksum, crc32(secret.slice(0, -6)));
    assert.equal(secretHint(secret), secret.slice(0, 13));
    assert.equal(hashSecret(secret).length, 32);
  }
});

test("a publishable key has a prefix of its own, which is the same in every environment", () => {
  for (const environment of ["production", "staging"] as const) {
    const key = generateSecret(environment, "publishable");
    assert.match(key, /^ask_pub_[0-9A-Za-z]{36}$/);
    for (const other of ["production", "staging"] as const) assert.ok(isSecret(key, other));
    assert.equal(isSecret(`${key.slice(0, -1)}${key.endsWith("0") ? 1 : 0}`, environment), false);
    assert.equal(secretHint(key), key.slice(0, 12));
    assert.ok(isPublishable(key));
  }
  assert.equal(isPublishable(generateSecret("production")), false);
});

test("rejects a secret with any one character changed, without a look-up", () => {
  const secret = generateSecret("production");
  const character = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  fc.assert(
    fc.property(fc.nat(secret.length - 1), character, (position, other) => {
      fc.pre(secret[position] !== other);
      assert.equal(
        isSecret(secret.slice(0, position) + other + secret.slice(position + 1), "production"),
        false,
      );
    }),
  );
});

test("rejects any other text as a secret", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => assert.equal(isSecret(text, "production"), false)),
  );
});

test("10,000 secrets are all different and use every character", () => {
  const secrets = Array.from({ length: 10_000 }, () => generateSecret("production"));
  assert.equal(new Set(secrets).size, 10_000);
  assert.equal(new Set(secrets.flatMap((secret) => [...secret.slice(9, -6)])).size, 62);
});
