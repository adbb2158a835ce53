// The secrets of webhooks: a key file that cannot be read.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createWebhooks } from "../../../src/webhooks/gateway.ts";
import { keyFileOf } from "../../../src/webhooks/master-key.ts";
import { deriveSecret } from "../../../src/webhooks/signature.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { createClock } from "../../harness/servers/app.ts";

test("a key file that could not be read is read again by the next request", async (t) => {
  const path = join(makeFolder(t), "store.db");
  const keyFile = keyFileOf(path);
  const settings = {
    database: { engine: "sqlite", path } as const,
    webhookSecretKey: undefined,
    webhookAllowHttp: false,
    webhookAllow: [],
    httpsProxy: undefined,
    httpProxy: undefined,
    noProxy: [],
    publicUrl: undefined,
    host: "127.0.0.1",
  };
  const gateway = createWebhooks(settings, { findPort: () => 1, clock: createClock(0) });
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
