// Webhooks of the real program: a sender that is killed, one that stops, and secrets that are stored nowhere.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";
import { startService } from "../../harness/servers/service.ts";

/** The key of the secrets is in a file. */
const { WEBHOOK_SECRET_KEY, ...SETTINGS } = RECEIVER_SETTINGS;
const ENVIRONMENT = { ...SETTINGS, ADMIN_API_KEY: "a-key-that-survives-the-restart", LOG_LEVEL: "debug" };

test("a service with webhooks sends every event, and stores no secret", async (t) => {
  const receiver = await startReceiver(t, () => {});
  const idOf = (request: number) => receiver.received[request]?.headers["webhook-id"];
  const first = await startService(t, ENVIRONMENT);
  const keyed = { headers: { "idempotency-key": "one" } };
  const created = await first.call("POST", "/webhooks", { body: { url: receiver.url }, ...keyed });
  assert.equal(created.status, 201, created.text);
  const rotated = await first.call("POST", "/webhooks/1/rotate", keyed);
  await first.call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });
  await receiver.until(1);

  await first.stop("SIGKILL");
  const second = await startService(t, first.environment);

  await t.test("a service that was killed between sending and recording sends the event again", async () => {
    await receiver.until(2);
    assert.equal(idOf(1), idOf(0));
    assert.equal(receiver.received[1]?.body, receiver.received[0]?.body);
  });

  await t.test(
    "a service that stops during an attempt exits with 0, and the next sends the event again",
    async () => {
      assert.equal(await second.stop(), 0);
      receiver.react(204);
      const third = await startService(t, first.environment);
      await receiver.until(3);
      assert.equal(idOf(2), idOf(0));
      assert.equal(await third.stop(), 0);
    },
  );

  await t.test(
    "no secret is in the store, in a backup or in the log; only its owner reads the key file",
    async () => {
      const folder = dirname(first.environment.DATABASE_URL?.slice("sqlite:".length) ?? "");
      assert.equal((await first.command("backup", join(folder, "copy.backup"))).code, 0);
      const keyFile = readdirSync(folder).find((name) => name.endsWith("-webhook-key")) ?? "";
      const masterKey = readFileSync(join(folder, keyFile), "utf8").trim();
      assert.equal(statSync(join(folder, keyFile)).mode & 0o777, 0o600);
      const secrets = [created, rotated].map(({ json }) => json.secret.slice("whsec_".length));
      const forms = [...secrets, masterKey].flatMap((each) => {
        const bytes = Buffer.from(each, "base64");
        return [
          Buffer.from(each),
          bytes,
          Buffer.from(bytes.toString("hex")),
          Buffer.from(bytes.toString("base64url")),
        ];
      });
      const files = readdirSync(folder).filter(
        (name) => name !== keyFile && statSync(join(folder, name)).isFile(),
      );
      assert.ok(files.includes("copy.backup") && files.length > 1);
      const texts = [first, second].flatMap(({ output }) =>
        [output.stdout, output.stderr].map((text) => Buffer.from(text)),
      );
      for (const bytes of [...files.map((name) => readFileSync(join(folder, name))), ...texts])
        for (const form of forms) assert.equal(bytes.indexOf(form), -1);
    },
  );
});
