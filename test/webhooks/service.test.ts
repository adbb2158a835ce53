// Webhooks of the real program: a sender that is killed, a stop, and secrets that are stored nowhere.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { RECEIVER_SETTINGS, startReceiver } from "../harness/receiver.ts";
import { startService } from "../harness/service.ts";

const { WEBHOOK_SECRET_KEY, ...WITHOUT_KEY } = RECEIVER_SETTINGS;
const KEY = "a-key-that-survives-the-restart";
const PET = { name: "Rex", categoryId: 3 };

test("an event whose sender is killed before the response is sent again, with the same id", async (t) => {
  const receiver = await startReceiver(t, () => {});
  const first = await startService(t, { ...RECEIVER_SETTINGS, ADMIN_API_KEY: KEY });
  const created = await first.call("POST", "/webhooks", { body: { url: receiver.url } });
  assert.equal(created.status, 201, created.text);
  await first.call("POST", "/pets", { body: PET });
  await receiver.until(1);
  await first.stop("SIGKILL");
  receiver.react(204);
  const second = await startService(t, first.environment);
  await receiver.until(2);
  assert.equal(receiver.received[1]?.headers["webhook-id"], receiver.received[0]?.headers["webhook-id"]);
  assert.equal(receiver.received[1]?.body, receiver.received[0]?.body);
  assert.equal(await second.stop(), 0);
});

test("a service stops with 0 in the middle of an attempt, and the next start sends the event", async (t) => {
  const receiver = await startReceiver(t, () => {});
  const first = await startService(t, { ...RECEIVER_SETTINGS, ADMIN_API_KEY: KEY });
  await first.call("POST", "/webhooks", { body: { url: receiver.url } });
  await first.call("POST", "/pets", { body: PET });
  await receiver.until(1);
  assert.equal(await first.stop(), 0);
  receiver.react(204);
  const second = await startService(t, first.environment);
  await receiver.until(2);
  assert.equal(receiver.received[1]?.headers["webhook-id"], receiver.received[0]?.headers["webhook-id"]);
  assert.equal(await second.stop(), 0);
});

test("no secret of a webhook is in the store, in a backup or in the log; only its key file is private", async (t) => {
  const receiver = await startReceiver(t);
  const service = await startService(t, { ...WITHOUT_KEY, ADMIN_API_KEY: KEY, LOG_LEVEL: "debug" });
  if (!service.environment.DATABASE_URL?.startsWith("sqlite:")) return;
  const folder = dirname(service.environment.DATABASE_URL.slice("sqlite:".length));
  const keyed = { headers: { "idempotency-key": "one" } };
  const created = await service.call("POST", "/webhooks", { body: { url: receiver.url }, ...keyed });
  const rotated = await service.call("POST", "/webhooks/1/rotate", keyed);
  await service.call("POST", "/pets", { body: PET });
  await receiver.until(1);
  const backup = join(folder, "copy.backup");
  assert.equal((await service.command("backup", backup)).code, 0);
  const keyFile = readdirSync(folder).find((name) => name.endsWith("-webhook-key")) ?? "";
  const masterKey = readFileSync(join(folder, keyFile), "utf8").trim();
  assert.equal(statSync(join(folder, keyFile)).mode & 0o777, 0o600);
  const secrets = [created, rotated].map(({ json }) => json.secret.slice("whsec_".length));
  const forms = [...secrets, masterKey].flatMap((each) => [
    Buffer.from(each),
    Buffer.from(each, "base64"),
    Buffer.from(Buffer.from(each, "base64").toString("hex")),
  ]);
  const files = readdirSync(folder).filter(
    (name) => name !== keyFile && statSync(join(folder, name)).isFile(),
  );
  assert.ok(files.includes("copy.backup") && files.length > 1);
  for (const form of forms) {
    for (const name of files) assert.ok(!readFileSync(join(folder, name)).includes(form), name);
    for (const text of Object.values(service.output)) assert.ok(!text.includes(form.toString("latin1")));
  }
});
