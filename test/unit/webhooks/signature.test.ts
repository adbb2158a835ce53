// Secrets and signatures of webhooks, checked with the worked example of the standard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deriveSecret, fingerprintKey, signMessage } from "../../../src/webhooks/signature.ts";

const MASTER_KEY = "a-master-key-of-at-least-32-characters";

test("the signature of the standard's worked example is the published one", () => {
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestampSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  assert.equal(
    signMessage(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], message),
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

test("a fingerprint differs by master key, and never changes: stores hold it", () => {
  assert.equal(fingerprintKey(MASTER_KEY), "5fa33f552e73e9af");
  assert.notEqual(fingerprintKey(`${MASTER_KEY}x`), fingerprintKey(MASTER_KEY));
});

test("a secret is whsec_ and 32 bytes, and differs by master key, webhook and version", () => {
  const secrets = [
    deriveSecret(MASTER_KEY, 1n, 1),
    deriveSecret(MASTER_KEY, 1n, 2),
    deriveSecret(MASTER_KEY, 2n, 1),
    deriveSecret(MASTER_KEY, 11n, 1),
    deriveSecret(MASTER_KEY, 1n, 11),
    deriveSecret(`${MASTER_KEY}x`, 1n, 1),
  ];
  assert.equal(new Set(secrets).size, secrets.length);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(secret.slice(6), "base64").length, 32);
  }
});

test("the derivation never changes, because receivers keep their secrets", () => {
  assert.equal(deriveSecret(MASTER_KEY, 7n, 1), "whsec_RqN3xFlh+xyRaunEo/xiy9RQvCeAlrIAinZLRAyWu3Y=");
});
