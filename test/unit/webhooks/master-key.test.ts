// The master key: where it comes from, its file, and that it is never replaced or copied.

import assert from "node:assert/strict";
import fs, {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { openForCommand } from "../../../src/command-stores.ts";
import { readConfig } from "../../../src/config/config.ts";
import { OperatorError } from "../../../src/tools/operator-error.ts";
import { backupStore } from "../../../src/transfer/backup.ts";
import { createWebhooks } from "../../../src/webhooks/gateway.ts";
import { keyFileOf, openMasterKey } from "../../../src/webhooks/master-key.ts";
import { deriveSecret } from "../../../src/webhooks/signature.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { createClock } from "../../harness/servers/app.ts";

const GIVEN = "a-given-key-of-more-than-32-characters";

test("the setting wins, and no file is created for it", async (t) => {
  const storePath = join(makeFolder(t), "store.db");
  assert.equal(await openMasterKey({ secretKey: GIVEN, storePath }), GIVEN);
  assert.equal(existsSync(keyFileOf(storePath)), false);
});

test("PostgreSQL without the setting has no key", async () => {
  assert.equal(await openMasterKey({ secretKey: undefined, storePath: undefined }), undefined);
});

test("SQLite without the setting gets a random key in a file that only its owner can read", async (t) => {
  const folder = makeFolder(t);
  const storePath = join(folder, "store.db");
  const key = await openMasterKey({ secretKey: undefined, storePath });
  assert.match(key ?? "", /^[A-Za-z0-9+/]{43}=$/);
  assert.equal(statSync(keyFileOf(storePath)).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ["store.db-webhook-key"]);
  assert.equal(await openMasterKey({ secretKey: undefined, storePath }), key);
  const other = await openMasterKey({ secretKey: undefined, storePath: join(folder, "other.db") });
  assert.notEqual(other, key);
  // The file's key moves to PostgreSQL by putting it into the setting.
  assert.equal(readConfig({ WEBHOOK_SECRET_KEY: key }).webhookSecretKey, key);
});

test("the key of a process that was faster is used", async (t) => {
  const storePath = join(makeFolder(t), "store.db");
  const faster = `${Buffer.alloc(32, 7).toString("base64")}\n`;
  const { link } = fs.promises;
  t.mock.method(fs.promises, "link", (from: string, to: string) => {
    writeFileSync(keyFileOf(storePath), faster, { flag: "wx" });
    return link(from, to);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const key = await openMasterKey({ secretKey: undefined, storePath });
  assert.equal(`${key}\n`, faster);
  assert.equal(readFileSync(keyFileOf(storePath), "utf8"), faster);
});

for (const [what, content] of Object.entries({
  "an empty file": "",
  "half a key": "c2hvcnQ=\n",
  "another text": `${"x".repeat(50)}\n`,
}))
  test(`${what} is refused and left as it is`, async (t) => {
    const storePath = join(makeFolder(t), "store.db");
    writeFileSync(keyFileOf(storePath), content);
    await assert.rejects(
      openMasterKey({ secretKey: undefined, storePath }),
      (error) => error instanceof OperatorError && /is not a key of webhooks/.test(error.message),
    );
    assert.equal(readFileSync(keyFileOf(storePath), "utf8"), content);
  });

test("a symbolic link is refused", async (t) => {
  const storePath = join(makeFolder(t), "store.db");
  const target = join(makeFolder(t), "secret");
  writeFileSync(target, `${Buffer.alloc(32).toString("base64")}\n`);
  chmodSync(target, 0o600);
  symlinkSync(target, keyFileOf(storePath));
  await assert.rejects(openMasterKey({ secretKey: undefined, storePath }), OperatorError);
});

test("a backup does not contain the key", async (t) => {
  const folder = makeFolder(t);
  const storePath = join(folder, "store.db");
  const config = readConfig({ DATABASE_URL: `sqlite:${storePath}` });
  await (await openForCommand(config, { create: true })).close();
  const key = (await openMasterKey({ secretKey: undefined, storePath })) as string;
  const target = join(folder, "backup.db");
  await backupStore(config, { target, force: false, onProgress: () => {} });
  assert.equal(readFileSync(target).includes(key), false);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("backup")),
    ["backup.db"],
  );
});

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
