// The secrets of webhooks: a key file that cannot be read, and the secrets that sign.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createWebhooks } from "../../../src/webhooks/gateway.ts";
import { keyFileOf } from "../../../src/webhooks/master-key.ts";
import { deriveSecret } from "../../../src/webhooks/signature.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { createClock } from "../../harness/servers/app.ts";

const DAY_MS = 86_400_000;
const SETTINGS = {
  webhookAllowHttp: false,
  webhookAllow: [],
  httpsProxy: undefined,
  httpProxy: undefined,
  noProxy: [],
  publicUrl: undefined,
  host: "127.0.0.1",
};

function openGateway(t: TestContext, secretKey?: string) {
  const clock = createClock(1_000_000);
  const storePath = join(makeFolder(t), "store.db");
  const settings = { ...SETTINGS, webhookSecretKey: secretKey };
  const database = { engine: "sqlite", path: storePath } as const;
  return {
    gateway: createWebhooks({ ...settings, database }, { findPort: () => 1, clock }),
    clock,
    keyFile: keyFileOf(storePath),
  };
}

test("a key file that could not be read is read again by the next request", async (t) => {
  const { gateway, keyFile } = openGateway(t);
  writeFileSync(keyFile, "damaged");
  for (let i = 0; i < 2; i++) await assert.rejects(gateway.openSecrets(), { code: "unavailable" });
  const key = Buffer.alloc(32, 3).toString("base64");
  writeFileSync(keyFile, `${key}\n`);
  const { secretOf, keyFingerprint } = await gateway.openSecrets();
  assert.equal(secretOf({ id: 1n, version: 1 }), deriveSecret(key, 1n, 1));
  assert.equal(await gateway.canSign({ keyFingerprint }), true);
  assert.equal(await gateway.canSign({ keyFingerprint: "0000000000000000" }), false);
  rmSync(keyFile);
  assert.equal((await gateway.openSecrets()).keyFingerprint, keyFingerprint, "one key for the whole process");
});

test("the old secret signs for exactly 24 hours after a rotation, and comes after the new one", async (t) => {
  const masterKey = "a-master-key-of-at-least-32-characters";
  const { gateway, clock } = openGateway(t, masterKey);
  const rotatedAtMs = clock.nowMs();
  const webhook = {
    id: 7n,
    keyId: 0n,
    url: "https://93.184.215.14/",
    createdAtMs: 1,
    number: 0n,
    version: 3,
    keyFingerprint: "k",
    rotatedAtMs,
  };
  const [current, old] = [deriveSecret(masterKey, 7n, 3), deriveSecret(masterKey, 7n, 2)];
  assert.deepEqual(await gateway.findSecrets(webhook), [current, old]);
  clock.advance(DAY_MS - 1);
  assert.deepEqual(await gateway.findSecrets(webhook), [current, old]);
  clock.advance(1);
  assert.deepEqual(await gateway.findSecrets(webhook), [current]);
  const { rotatedAtMs: _, ...never } = webhook;
  assert.deepEqual(await gateway.findSecrets(never), [current]);
});
