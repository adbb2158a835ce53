// The operations on webhooks: access, limits, addresses, secrets, tests, replays and deliveries.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Webhook as Standard } from "standardwebhooks";
import { readConfig } from "../../src/config/config.ts";
import type { ErrorCode } from "../../src/domain/basics/errors.ts";
import { openDatabase } from "../../src/engines.ts";
import { TABLES } from "../../src/storage/tables.ts";
import { column, readPages } from "../harness/clients/pages.ts";
import { freshEngines } from "../harness/runner/combination.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";
import { RECEIVER_SETTINGS, type Receiver, startReceiver } from "../harness/servers/receiver.ts";
import { assertError } from "./assertions.ts";

/** The clock of the tests must be that of the receiver's library. */
const options = () => ({ environment: RECEIVER_SETTINGS, startMs: Date.now() });
/** A name that does not resolve. An operator who permits it knows that it will. */
const LATER = "later.invalid";
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

async function createHook({ call }: AppHarness, { url }: Receiver, more: object = {}, key = ADMIN_KEY) {
  const answer = await call("POST", "/webhooks", { body: { url, ...more }, key });
  assert.equal(answer.status, 201, answer.text);
  return answer.json as { id: number; secret: string };
}

type Operations = Array<[method: string, path: string, body?: object]>;

test("POST /webhooks", async (t) => {
  const app = await startApp(t, options());
  const { call, createKey, clock } = app;
  const receiver = await startReceiver(t);

  await t.test("returns the webhook with its secret, in these members, and its Location", async () => {
    const body = { url: receiver.url, types: ["order.*", "pet.created", "order.*"], description: "Mine" };
    const { status, json, headers } = await call("POST", "/webhooks", { body });
    const { secret, ...webhook } = json;
    assert.equal(status, 201);
    assert.match(secret, SECRET);
    assert.match(headers.location ?? "", /\/v1\/webhooks\/1$/);
    assert.deepEqual(webhook, {
      id: 1,
      url: receiver.url,
      types: ["pet.created", "order.*"],
      description: "Mine",
      status: "enabled",
      createdAt: new Date(clock.nowMs()).toISOString(),
      pending: 0,
    });
    assert.deepEqual((await call("GET", "/webhooks/1")).json, webhook);
    assert.deepEqual((await call("GET", "/webhooks")).json, [webhook]);
  });

  const { url } = receiver;
  const rejected: Record<string, [body: object, code: ErrorCode]> = {
    "no url": [{}, "invalid_body"],
    "types that are text": [{ url, types: "pet.*" }, "invalid_body"],
    "an unknown type": [{ url, types: ["pet.sold"] }, "invalid_body"],
    "a type that is no text": [{ url, types: [1] }, "invalid_body"],
    "no types": [{ url, types: [] }, "invalid_body"],
    "a long description": [{ url, description: "x".repeat(256) }, "invalid_body"],
    "a private address": [{ url: "https://10.0.0.1/" }, "url_not_allowed"],
    "another scheme": [{ url: "ftp://hooks.example.net/" }, "url_not_allowed"],
    "a password": [{ url: "https://a:b@hooks.example.net/" }, "url_not_allowed"],
    "the service's own address": [{ url: `${app.url}/v1/pets` }, "url_not_allowed"],
    "a bad cursor": [{ url, after: "yesterday" }, "invalid_cursor"],
    "a foreign cursor": [{ url, after: "0000000000000000-0" }, "feed_reset"],
  };
  for (const [what, [body, code]] of Object.entries(rejected))
    await t.test(`rejects ${what} with ${code}`, async () => {
      assertError(await call("POST", "/webhooks", { body }), code);
    });

  await t.test("rejects a name that does not resolve, and shows the reason to admin only", async () => {
    const { key } = await createKey();
    const { id } = await createHook(app, receiver, {}, key);
    const body = { url: "https://unknown.invalid/" };
    const hidden = /^No public address was found for the host\./;
    assertError(await call("POST", "/webhooks", { body, key }), "url_not_allowed", hidden);
    assertError(await call("PATCH", `/webhooks/${id}`, { body, key }), "url_not_allowed", hidden);
    assertError(await call("POST", "/webhooks", { body }), "url_not_allowed", /host name/);
  });

  await t.test("allows 10 webhooks per key, then 409", async () => {
    const { key } = await createKey();
    for (let i = 0; i < 10; i++) await createHook(app, receiver, {}, key);
    assertError(await call("POST", "/webhooks", { body: { url: receiver.url }, key }), "too_many_webhooks");
  });

  await t.test("repeats its response with the same secret for an Idempotency-Key", async () => {
    const send = () =>
      call("POST", "/webhooks", { body: { url: receiver.url }, headers: { "idempotency-key": "one" } });
    const [first, second] = [await send(), await send()];
    assert.equal(first.status, 201);
    assert.equal(second.text, first.text);
    assert.equal(second.headers["idempotent-replayed"], "true");
  });
});

test("Changes of webhooks are in the audit log, with the key that made them", async (t) => {
  const app = await startApp(t, options());
  const { call, clock, createKey } = app;
  const receiver = await startReceiver(t);
  const owner = await createKey();
  const { id, secret } = await createHook(app, receiver, { types: ["pet.*"] }, owner.key);
  const changes: Operations = [
    ["PATCH", "", { description: "Mine" }],
    ["PATCH", "", { description: "Mine" }],
    ["PATCH", "", { status: "disabled" }],
    ["POST", "/rotate"],
    ["POST", "/test"],
    ["DELETE", ""],
  ];
  for (const [method, path, body] of changes) {
    const answer = await call(method, `/webhooks/${id}${path}`, { key: owner.key, body });
    assert.match(String(answer.status), /^2/, answer.text);
  }
  const timestamp = new Date(clock.nowMs()).toISOString();
  const about = { timestamp, actor: { keyId: owner.id }, target: { webhookId: id } };
  const { json, text } = await call("GET", "/audit");
  const created = { url: receiver.url, types: ["pet.*"] };
  const [enabled, disabled] = [
    { status: "enabled", disabledReason: null },
    { status: "disabled", disabledReason: "requested" },
  ];
  const oldEndsAt = new Date(clock.nowMs() + 86_400_000).toISOString();
  const expected = [
    { action: "webhook.deleted", from: { ...created, description: "Mine", ...disabled } },
    { action: "webhook.rotated", to: { oldEndsAt } },
    { action: "webhook.disabled", from: enabled, to: disabled },
    { action: "webhook.updated", from: { description: null }, to: { description: "Mine" } },
    { action: "webhook.created", to: { ...created, status: "enabled" } },
  ];
  for (const [index, record] of expected.entries())
    assert.deepEqual({ ...json[index], number: 0 }, { number: 0, ...about, ...record });
  assert.equal(json[5].action, "key.created", "nothing else changed a webhook");
  assert.ok(!text.includes(secret.slice(6)), "no secret");
});

test("Access to webhooks", async (t) => {
  const { environment, ...others } = options();
  const WEBHOOK_ALLOW = `${environment.WEBHOOK_ALLOW},${LATER}`;
  const app = await startApp(t, { ...others, environment: { ...environment, WEBHOOK_ALLOW } });
  const { call, createKey, addPet } = app;
  const receiver = await startReceiver(t);
  const [mine, other] = [await createKey(), await createKey()];
  const { id } = await createHook(app, receiver, {}, mine.key);
  const operations: Operations = [
    ["GET", ""],
    ["PATCH", "", { description: "x" }],
    ["POST", "/test"],
    ["POST", "/rotate"],
    ["GET", "/deliveries"],
    ["POST", "/replay", { deliveryId: 1 }],
    ["DELETE", ""],
  ];

  await t.test("a key with access manage sees only its own: others are 404", async () => {
    assert.deepEqual((await call("GET", "/webhooks", { key: other.key })).json, []);
    assert.equal((await call("GET", "/webhooks", { key: mine.key })).json.length, 1);
    assert.equal((await call("GET", "/webhooks")).json.length, 1, "admin sees all");
    const countOf = async (keyId: number, key = ADMIN_KEY) =>
      (await call("GET", `/webhooks?keyId=${keyId}`, { key })).json.length;
    assert.deepEqual([await countOf(mine.id), await countOf(other.id)], [1, 0]);
    assert.deepEqual([await countOf(mine.id, mine.key), await countOf(mine.id, other.key)], [1, 0]);
    for (const [method, path, body] of operations) {
      const answer = await call(method, `/webhooks/${id}${path}`, { key: other.key, body });
      assertError(answer, "webhook_not_found");
    }
    assert.equal((await call("GET", `/webhooks/${id}`, { key: mine.key })).status, 200);
  });

  await t.test("the response of a test is shown to admin only", async () => {
    receiver.react((response) => response.writeHead(418).end("I am a teapot"));
    const own = await call("POST", `/webhooks/${id}/test`, { key: mine.key });
    assert.equal(own.status, 200, own.text);
    assert.deepEqual(Object.keys(own.json).toSorted(), ["durationMs", "status"]);
    const all = await call("POST", `/webhooks/${id}/test`);
    assert.deepEqual([all.json.status, all.json.response], [418, "I am a teapot"]);
  });

  await t.test("why a look-up failed is shown to admin only", async () => {
    const { id: named } = await createHook(app, { ...receiver, url: `http://${LATER}/` }, {}, other.key);
    await addPet();
    await app.service.runDeliveries();
    const read = async (key: string) => {
      const tested = await call("POST", `/webhooks/${named}/test`, { key });
      const [delivery] = (await call("GET", `/webhooks/${named}/deliveries`, { key })).json;
      return [tested.json.error, delivery.lastError];
    };
    const hidden =
      "No public address was found for the host. Check its name. An operator can permit others with WEBHOOK_ALLOW.";
    assert.deepEqual(await read(other.key), [hidden, hidden]);
    assert.deepEqual(await read(ADMIN_KEY), [
      "The host name has no address.",
      "The host name has no address.",
    ]);
  });

  await t.test("an unknown webhook is 404", async () => {
    for (const [method, path, body] of operations)
      assertError(await call(method, `/webhooks/999${path}`, { body }), "webhook_not_found");
  });
});

test("A key has at most 3 tests at a time, and those of another key do not wait for them", async (t) => {
  const app = await startApp(t, options());
  const { call, createKey } = app;
  const [mine, other] = [await createKey(), await createKey()];
  const open: Array<() => void> = [];
  const held = await startReceiver(t, (response) => open.push(() => response.writeHead(204).end()));
  const { id } = await createHook(app, held, {}, mine.key);
  const { id: otherId } = await createHook(app, await startReceiver(t), {}, other.key);
  const tests = Array.from({ length: 4 }, () => call("POST", `/webhooks/${id}/test`, { key: mine.key }));

  // The receiver answers nothing yet, so only a refusal can be first.
  const refused = await Promise.race(tests);
  assertError(refused, "unavailable");
  assert.match(refused.headers["retry-after"] ?? "", /^\d+$/);
  await held.until(3);
  const { status, json } = await call("POST", `/webhooks/${otherId}/test`, { key: other.key });
  assert.deepEqual([status, json.status], [200, 204]);
  assert.equal(open.length, 3, "the tests of the first key are still open");

  held.react(204);
  for (const answer of open) answer();
  const statuses = (await Promise.all(tests)).map((each) => each.status);
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 503]);
  assert.equal(held.received.length, 3);
  assert.equal((await call("POST", `/webhooks/${id}/test`, { key: mine.key })).status, 200, "all have ended");
});

/** Every value of the store as text. Bytes also as hexadecimal digits. */
async function dumpStore(url: string): Promise<string[]> {
  const db = await openDatabase(readConfig({ DATABASE_URL: url }), false);
  const texts: string[] = [];
  // SQLite has no table of nodes.
  const { nodes, ...tables } = TABLES;
  for (const [table, columns] of Object.entries(tables))
    for (const row of await db.all(`SELECT ${columns} FROM ${table}`))
      for (const value of Object.values(row))
        if (Buffer.isBuffer(value)) texts.push(value.toString("latin1"), value.toString("hex"));
        else texts.push(`${value}`);
  await db.close();
  return texts;
}

/** A service on a store that the test can read, and a webhook for events of animals. */
async function startHooked(t: TestContext) {
  const [engine] = (process.env.TEST_COMBINATION ?? "sqlite").split("+");
  const { DATABASE_URL = "" } = await freshEngines(t, engine);
  const { environment, ...others } = options();
  const app = await startApp(t, { ...others, environment: { ...environment, DATABASE_URL } });
  const receiver = await startReceiver(t);
  const hook = await createHook(app, receiver, { types: ["pet.*"] });
  const path = `/webhooks/${hook.id}`;
  const readMetrics = async () => (await app.outside("GET", "/metrics", { key: ADMIN_KEY })).text;
  return { app, ...app, receiver, hook, path, DATABASE_URL, readMetrics };
}

test("Deliveries of a webhook", async (t) => {
  const { call, clock, receiver, hook, path, addPet } = await startHooked(t);

  await t.test("deliveries have each event, signed, as the feed shows it", async () => {
    await addPet();
    await receiver.until(1);
    const [{ headers, body, event }] = receiver.received as [Receiver["received"][0]];
    const { json, text } = await call("GET", "/events");
    assert.deepEqual(json, [event]);
    assert.equal(text, `[${body}]`);
    assert.equal(headers["webhook-id"], event.id);
    assert.equal(headers["content-type"], "application/json");
    assert.deepEqual(new Standard(hook.secret).verify(body, headers), event);
  });

  await t.test("deliveries have no event of another type", async () => {
    await call("PUT", "/categories/3", { body: { name: "Dogs" } });
    await addPet({ name: "Luna" });
    await receiver.until(2);
    assert.equal(receiver.received[1]?.event.data.pet.name, "Luna");
  });

  await t.test("deliveries have two signatures after a rotation, for 24 hours", async () => {
    const { json } = await call("POST", `${path}/rotate`);
    assert.match(json.secret, SECRET);
    assert.notEqual(json.secret, hook.secret);
    await call("POST", `${path}/test`);
    const { headers, body, event } = receiver.received.at(-1) as Receiver["received"][0];
    assert.equal(event.type, "webhook.test");
    for (const secret of [json.secret, hook.secret]) new Standard(secret).verify(body, headers);
    const first = { ...headers, "webhook-signature": headers["webhook-signature"]?.split(" ")[0] ?? "" };
    new Standard(json.secret).verify(body, first);
    assert.throws(() => new Standard(`whsec_${"A".repeat(43)}=`).verify(body, headers));
    for (const [passedMs, signatures] of [
      [24 * 3_600_000 - 1, 2],
      [1, 1],
    ] as const) {
      clock.advance(passedMs);
      await call("POST", `${path}/test`);
      assert.equal(receiver.received.at(-1)?.headers["webhook-signature"]?.split(" ").length, signatures);
    }
  });

  await t.test("a replay repeats a delivery with the same id", async () => {
    const { json: deliveries } = await call("GET", `${path}/deliveries?limit=1`);
    const [{ id, eventId }] = deliveries;
    const before = receiver.received.length;
    const answer = await call("POST", `${path}/replay`, { body: { deliveryId: id } });
    assert.equal(answer.status, 200, answer.text);
    await receiver.until(before + 1);
    assert.equal(receiver.received.at(-1)?.headers["webhook-id"], eventId);
    assertError(await call("POST", `${path}/replay`, { body: { deliveryId: 999 } }), "delivery_not_found");
    const both = { deliveryId: id, after: "0000000000000000-0" };
    assertError(await call("POST", `${path}/replay`, { body: both }), "invalid_body");
  });
});

test("Deliveries of a webhook that is disabled or has lost its key", async (t) => {
  const { app, call, createKey, receiver, path, addPet } = await startHooked(t);

  await t.test("deliveries wait while the webhook is disabled, and come when it is enabled", async () => {
    await call("PATCH", path, { body: { status: "disabled" } });
    const { json } = await call("GET", path);
    assert.deepEqual([json.status, json.disabledReason], ["disabled", "requested"]);
    const before = receiver.received.length;
    for (const name of ["A", "B", "C"]) await addPet({ name });
    assert.equal((await call("GET", path)).json.pending, 3);
    await call("PATCH", path, { body: { status: "enabled" } });
    await receiver.until(before + 3);
    const names = receiver.received.slice(before).map(({ event }) => event.data.pet.name);
    assert.deepEqual(names.toSorted(), ["A", "B", "C"]);
  });

  await t.test("deliveries end when the key is revoked", async () => {
    const { id, key } = await createKey();
    const own = await startReceiver(t);
    const { id: hookId } = await createHook(app, own, {}, key);
    await addPet();
    await own.until(1);
    await call("DELETE", `/keys/${id}`);
    const before = receiver.received.length;
    await addPet();
    await receiver.until(before + 1);
    await app.service.runDeliveries();
    const { json } = await call("GET", `/webhooks/${hookId}`);
    assert.deepEqual([json.status, json.disabledReason], ["disabled", "key_ended"]);
    assert.equal(own.received.length, 1);
  });

  await t.test("deliveries are listed in pages, newest first, by status", async () => {
    await app.service.runDeliveries();
    const deliveries = `${path}/deliveries`;
    const pages = await readPages((each) => call("GET", each), `${deliveries}?limit=2`);
    const ids = pages.flatMap(({ json }) => column(json, "id"));
    assert.equal(ids.length, 5);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
    assert.deepEqual((await call("GET", `${deliveries}?status=failed`)).json, []);
    assertError(await call("GET", `${deliveries}?status=lost`), "invalid_parameter");
    assertError(await call("GET", `${deliveries}?cursor=x`), "invalid_cursor");
  });

  await t.test("deliveries end when the webhook is deleted", async () => {
    assert.equal((await call("DELETE", path)).status, 204);
    assertError(await call("GET", path), "webhook_not_found");
    assert.equal((await call("GET", "/audit?limit=1")).json[0].action, "webhook.deleted");
  });
});

test("Secrets of webhooks are in no other response, log line, audit record or row of the store", async (t) => {
  const { app, call, receiver, hook, path, logged, DATABASE_URL, addPet } = await startHooked(t);
  await addPet();
  await receiver.until(1);
  const headers = { "idempotency-key": "r" };
  const { json } = await call("POST", `${path}/rotate`, { headers });
  const paths = ["/webhooks", path, `${path}/deliveries`, "/audit", "/events"];
  const [{ id: deliveryId }] = (await call("GET", `${path}/deliveries?limit=1`)).json;
  const answers = [
    ...(await Promise.all(paths.map((each) => call("GET", each)))),
    await call("PATCH", path, { body: { description: "new" } }),
    await call("POST", `${path}/test`),
    await call("POST", `${path}/replay`, { body: { deliveryId } }),
    await app.outside("GET", "/metrics", { key: ADMIN_KEY }),
  ];
  await app.service.runDeliveries();
  for (const { status, text } of answers) assert.equal(status, 200, text);
  const stored = await dumpStore(DATABASE_URL);
  assert.ok(stored.includes(receiver.url) && stored.includes("webhook.rotated"));
  const secrets = [hook.secret, json.secret].flatMap((each) => {
    const bytes = Buffer.from(each.slice("whsec_".length), "base64");
    return (["base64", "base64url", "hex", "latin1"] as const).map((form) => bytes.toString(form));
  });
  for (const secret of [...secrets, RECEIVER_SETTINGS.WEBHOOK_SECRET_KEY])
    for (const text of [...answers.map((each) => each.text), ...logged, ...stored])
      assert.ok(!text.includes(secret), text);
});

test("GET /metrics has the figures of webhooks", async (t) => {
  const { app, receiver, clock, addPet, readMetrics } = await startHooked(t);
  await addPet();
  await receiver.until(1);
  await app.service.runDeliveries();
  const text = await readMetrics();
  assert.match(text, /^animal_store_deliveries_pending 0$/m);
  assert.match(text, /^animal_store_deliveries_oldest_seconds 0$/m);
  assert.match(text, /^animal_store_webhooks_failing 0$/m);
  const count = Number(/^animal_store_webhook_attempts_total\{result="delivered"\} (\d+)$/m.exec(text)?.[1]);
  receiver.react(500);
  await addPet();
  await app.service.runDeliveries();
  clock.advance(1_000);
  const after = await readMetrics();
  assert.match(
    after,
    new RegExp(`^animal_store_webhook_attempts_total\\{result="delivered"\\} ${count}$`, "m"),
  );
  assert.match(after, /^animal_store_webhook_attempts_total\{result="failed"\} 1$/m);
  assert.match(after, /^animal_store_deliveries_pending 1$/m);
  assert.match(after, /^animal_store_deliveries_oldest_seconds 1$/m);
  clock.advance(24 * 3_600_000);
  assert.match(await readMetrics(), /^animal_store_webhooks_failing 1$/m);
});

test("Without WEBHOOK_SECRET_KEY, SQLite has a key beside the store, and PostgreSQL answers 503", async (t) => {
  const { WEBHOOK_SECRET_KEY, ...environment } = RECEIVER_SETTINGS;
  const { call } = await startApp(t, { environment });
  const { url } = await startReceiver(t);
  const created = await call("POST", "/webhooks", { body: { url } });
  if (!process.env.TEST_COMBINATION?.startsWith("postgres")) return assert.equal(created.status, 201);
  for (const answer of [created, await call("GET", "/webhooks"), await call("DELETE", "/webhooks/1")])
    assertError(answer, "unavailable", /WEBHOOK_SECRET_KEY/);
});
