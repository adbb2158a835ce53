// Webhooks of the real program: a sender that is killed, and one that stops.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";
import { startService } from "../../harness/servers/service.ts";

/** The key of the secrets is in a file. */
const { WEBHOOK_SECRET_KEY, ...SETTINGS } = RECEIVER_SETTINGS;
const ENVIRONMENT = { ...SETTINGS, ADMIN_API_KEY: "a-key-that-survives-the-restart" };

test("a service with webhooks sends every event", async (t) => {
  const receiver = await startReceiver(t, () => {});
  const idOf = (request: number) => receiver.received[request]?.headers["webhook-id"];
  const first = await startService(t, ENVIRONMENT);
  const created = await first.call("POST", "/webhooks", { body: { url: receiver.url } });
  assert.equal(created.status, 201, created.text);
  await first.call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });
  await receiver.until(1);

  await first.stop("SIGKILL");
  const second = await startService(t, first.environment);

  await t.test("a service that was killed between sending and recording sends the event again", async () => {
    await receiver.until(2);
    assert.equal(idOf(1), idOf(0));
    assert.equal(receiver.received[1]?.body, receiver.received[0]?.body);
  });

  await t.test("a service that stops during an attempt leaves the event to the next one", async () => {
    assert.equal(await second.stop(), 0);
    receiver.react(204);
    const third = await startService(t, first.environment);
    await receiver.until(3);
    assert.equal(idOf(2), idOf(0));
    assert.equal(await third.stop(), 0);
  });
});
