// Idempotency-Key: a repeated POST gets the stored response of the first one and is not executed again.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { drawImage } from "../harness/clients/images.ts";
import { startApp } from "../harness/servers/app.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../harness/servers/receiver.ts";
import { assertCommon, assertError } from "./assertions.ts";

const DAY_MS = 86_400_000;
const REX = '{"name":"Rex","categoryId":9007199254740993}';

async function startPosts(t: TestContext) {
  const app = await startApp(t);
  const { call } = app;
  const post = (idempotencyKey: string, options: Parameters<typeof call>[2] = {}, path = "/pets") =>
    call("POST", path, { body: REX, ...options, headers: { "idempotency-key": idempotencyKey } });
  const countPets = async () => (await call("GET", "/store/inventory")).json.available;
  return { ...app, post, countPets };
}

test("A POST with an Idempotency-Key is repeated", async (t) => {
  const { call, clock, createKey, service, post, countPets } = await startPosts(t);

  await t.test("repeats the first response byte for byte, with Idempotent-Replayed", async () => {
    const first = await post("one");
    assert.equal(first.status, 201);
    assert.match(first.headers.location ?? "", new RegExp(`/v1/pets/${first.json.id}$`));
    assert.equal(first.headers["idempotent-replayed"], undefined);
    clock.advance(DAY_MS - 1);
    const again = await post("one");
    assertCommon(again);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.location, first.headers.location);
    assert.equal(again.headers["content-type"], first.headers["content-type"]);
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal(await countPets(), 1);
  });

  await t.test("repeats the response unchanged after the animal is changed or deleted", async () => {
    const first = await post("renamed");
    await call("PATCH", `/pets/${first.json.id}`, { body: { name: "Luna" } });
    assert.equal((await post("renamed")).text, first.text);
    await call("DELETE", `/pets/${first.json.id}`);
    assert.equal((await post("renamed")).text, first.text);
  });

  await t.test("repeats the response to concurrent requests", async () => {
    const first = await post("popular");
    const again = await Promise.all(Array.from({ length: 20 }, () => post("popular")));
    for (const { text } of again) assert.equal(text, first.text);
  });

  await t.test("charges a repeated request", async () => {
    const { key } = await createKey();
    const first = await post("charged", { key });
    const again = await post("charged", { key });
    assert.equal(
      Number(first.headers["x-ratelimit-remaining"]) - 1,
      Number(again.headers["x-ratelimit-remaining"]),
    );
  });

  await t.test("creates one animal in twenty concurrent requests", async () => {
    const before = await countPets();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("burst")));
    assert.equal(await countPets(), before + 1);
    const first = answers.find(({ status, headers }) => status === 201 && !headers["idempotent-replayed"]);
    assert.ok(first);
    for (const answer of answers) {
      if (answer.status === 201) assert.equal(answer.text, first.text);
      else assertError(answer, "idempotency_in_progress");
    }
  });

  await t.test("a stored response expires after 24 hours, also before it is deleted", async () => {
    const first = await post("short-lived");
    clock.advance(DAY_MS);
    const second = await post("short-lived");
    assert.notEqual(second.json.id, first.json.id);
    assert.equal((await post("short-lived")).text, second.text);
    clock.advance(DAY_MS);
    await service.runMaintenance();
    assert.notEqual((await post("short-lived")).json.id, second.json.id);
  });

  await t.test("stores no response of a rejected request", async () => {
    assertError(await post("tried", { body: '{"name":""}' }), "invalid_body");
    assert.equal((await post("tried")).status, 201);
    const { id } = (await post("ordered")).json;
    await post("first-order", { body: { petId: id } }, "/store/orders");
    const second = () => post("second-order", { body: { petId: id } }, "/store/orders");
    assertError(await second(), "pet_not_available");
    const [order] = (await call("GET", `/store/orders?petId=${id}`)).json;
    await call("PATCH", `/store/orders/${order.id}`, { body: { status: "cancelled" } });
    assert.equal((await second()).status, 201);
    assertError(await post("no-pet", { body: { petId: 999_999 } }, "/store/orders"), "pet_not_found");
  });
});

test("Idempotency-Keys are compared and checked", async (t) => {
  const { call, createKey, post, countPets } = await startPosts(t);

  await t.test("treats a bare and a quoted key as the same", async () => {
    const bare = await post("quoted-key");
    assert.equal((await post('"quoted-key"')).text, bare.text);
  });

  await t.test("rejects the same key with another body with 422", async () => {
    await post("reused");
    const before = await countPets();
    for (const body of ['{"name":"Luna","categoryId":1}', `${REX} `])
      assertError(
        await post("reused", { body }),
        "idempotency_key_reused",
        /Use a new key for a new request/,
      );
    assert.equal(await countPets(), before);
  });

  for (const key of ["", '""', "a b", "ä", "x".repeat(256), `"${"x".repeat(256)}"`, "a\tb"]) {
    await t.test(`rejects ${JSON.stringify(key).slice(0, 20)} with 400`, async () => {
      const before = await countPets();
      const value = Buffer.from(key, "utf8").toString("latin1");
      assertError(await post(value), "invalid_idempotency_key");
      assert.equal(await countPets(), before);
    });
  }
  await t.test("accepts 1 to 255 characters, bare or quoted", async () => {
    for (const key of ["x".repeat(255), `"${"y".repeat(255)}"`, "!"])
      assert.equal((await post(key)).status, 201);
  });
  await t.test("rejects two Idempotency-Key headers", async () => {
    const headers = { "idempotency-key": ["one", "two"] };
    assertError(await call("POST", "/pets", { body: REX, headers }), "invalid_idempotency_key");
  });

  await t.test("an Idempotency-Key applies to one API key and one path", async () => {
    const { key } = await createKey();
    const mine = await post("shared");
    const yours = await post("shared", { key });
    assert.notEqual(mine.json.id, yours.json.id);
    const body = { petId: mine.json.id };
    const order = await post("shared", { body }, "/store/orders");
    assert.equal(order.status, 201);
    assert.equal((await post("shared", { body }, "/store/orders")).text, order.text);
  });

  await t.test("treats an escaped path and other parameters as the same path", async () => {
    const first = await post("spelled");
    for (const path of ["/%70ets", "/pets?x=1"])
      assert.equal((await post("spelled", {}, path)).text, first.text);
  });

  await t.test("an Idempotency-Key is ignored on other methods", async () => {
    const { id } = (await post("for-patch")).json;
    const headers = { "idempotency-key": "a b" };
    assert.equal((await call("PATCH", `/pets/${id}`, { body: { name: "x" }, headers })).status, 200);
    assert.equal((await call("GET", "/pets", { headers })).status, 200);
  });
});

test("Idempotency-Key on the key operations", async (t) => {
  const { call, createKey } = await startApp(t);
  const { id, key } = await createKey({ access: "admin", plan: "pro" });
  const post = (path: string, body?: unknown, caller = key) =>
    call("POST", path, { key: caller, body, headers: { "idempotency-key": "k" } });

  await t.test("issues one key and returns it again to the same caller", async () => {
    const first = await post("/keys", { name: "Website", plan: "free" });
    const again = await post("/keys", { name: "Website", plan: "free" });
    assert.equal(first.status, 201);
    assert.match(first.json.key, /^ask_live_/);
    assert.equal(again.text, first.text);
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal((await call("GET", "/pets", { key: first.json.key })).status, 200);
  });

  await t.test("rotates once, and the new secret works at once", async () => {
    const other = await createKey();
    const first = await post(`/keys/${other.id}/rotate`, { graceSeconds: 0 });
    assert.equal((await post(`/keys/${other.id}/rotate`, { graceSeconds: 0 })).text, first.text);
    assertError(await call("GET", "/pets", { key: other.key }), "invalid_api_key");
    assert.equal((await call("GET", "/pets", { key: first.json.key })).status, 200);
  });

  await t.test("lifts a ban once", async () => {
    const first = await post(`/keys/${id}/unban`);
    assert.equal(first.status, 200, first.text);
    assert.equal((await post(`/keys/${id}/unban`)).text, first.text);
    assertError(await post("/keys/999/unban"), "key_not_found");
  });

  await t.test("returns a stored secret only to the secret of the API key that requested it", async () => {
    const rotated = (await call("POST", `/keys/${id}/rotate`, { body: {} })).json.key;
    const answer = await post("/keys", { name: "Website", plan: "free" }, rotated);
    assertError(answer, "idempotency_key_reused", /before the secret of the API key was changed/);
  });
});

test("Idempotency-Key on work outside of a transaction", { timeout: 120_000 }, async (t) => {
  const { call, clock } = await startApp(t, { environment: RECEIVER_SETTINGS });
  /** Requests of the receiver wait for their response. */
  const open: Array<() => void> = [];
  const receiver = await startReceiver(t, (response) => void open.push(() => response.writeHead(204).end()));
  const { json: hook } = await call("POST", "/webhooks", { body: { url: receiver.url } });
  const send = (key: string) =>
    call("POST", `/webhooks/${hook.id}/test`, { headers: { "idempotency-key": key } });
  const answerOpen = () => {
    for (const answer of open.splice(0)) answer();
  };

  await t.test("tests a webhook once in twenty concurrent requests", async () => {
    const calls = Array.from({ length: 20 }, () => send("test"));
    await receiver.until(1);
    let refused = 0;
    for (const each of calls) void each.then(({ status }) => (refused += Number(status === 409)));
    while (refused < 19 && receiver.received.length === 1) await call("GET", "/usage");
    answerOpen();
    const answers = await Promise.all(calls);
    const done = answers.filter(({ status }) => status === 200);
    assert.equal(done.length, 1);
    for (const each of answers) if (each.status !== 200) assertError(each, "idempotency_in_progress");
    const again = await send("test");
    assert.deepEqual([again.status, again.text], [200, done[0]?.text]);
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal(receiver.received.length, 1);
  });

  await t.test("the work may be done again two minutes after a request that does not end", async () => {
    const before = receiver.received.length;
    const first = send("stuck");
    await receiver.until(before + 1);
    clock.advance(119_000);
    assertError(await send("stuck"), "idempotency_in_progress");
    clock.advance(1_000);
    const second = send("stuck");
    await receiver.until(before + 2);
    open.pop()?.();
    const { status, text } = await second;
    assert.equal(status, 200);
    // The late one gets the response of the other.
    answerOpen();
    assert.equal((await first).text, text);
  });

  await t.test("an Idempotency-Key is free again after a failure: nothing was done", async () => {
    const missing = () => call("POST", "/webhooks/999/test", { headers: { "idempotency-key": "none" } });
    for (let each = 0; each < 2; each++) assertError(await missing(), "webhook_not_found");
    const refuse = (url: string) =>
      call("POST", "/webhooks", { body: { url }, headers: { "idempotency-key": "new" } });
    assertError(await refuse("https://10.0.0.1/"), "url_not_allowed");
    assert.equal((await refuse(receiver.url)).status, 201);
  });

  await t.test("adds a photo once in ten concurrent requests", async () => {
    const { json: pet } = await call("POST", "/pets", { body: REX });
    const body = await drawImage("red");
    const headers = { "content-type": "image/jpeg", "idempotency-key": "photo" };
    const upload = () => call("POST", `/pets/${pet.id}/photos`, { body, headers });
    const answers = await Promise.all(Array.from({ length: 10 }, upload));
    const done = answers.filter(({ status }) => status === 201);
    assert.equal(done.filter((each) => each.headers["idempotent-replayed"] === undefined).length, 1);
    for (const each of answers) if (each.status !== 201) assertError(each, "idempotency_in_progress");
    assert.equal((await upload()).text, done[0]?.text);
  });
});
