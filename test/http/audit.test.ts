// listAudit: every change of keys by an API call, bans, pages, access.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Call } from "../harness/clients/call.ts";
import { column, nextCursor, readPages, walkAll } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

interface Item {
  number: number;
  action: string;
  target: { keyId: number };
  to: Record<string, unknown>;
}

const readAll = (call: Call) => walkAll<Item>((path) => call("GET", path), "/audit");

test("GET /audit", async (t) => {
  const { call, clock, createKey } = await startApp(t);
  const timestamp = () => new Date(clock.nowMs()).toISOString();

  await t.test("the log is empty at first", async () => {
    const answer = await call("GET", "/audit");
    assertCommon(answer);
    assert.equal(answer.text, "[]");
  });

  const admin = await createKey({ name: "Admin", plan: "business", access: "admin" });

  await t.test("the log has a new key, in exactly these bytes; key 0 is ADMIN_API_KEY", async () => {
    const { text } = await call("GET", "/audit");
    const to = `{"name":"Admin","plan":"business","access":"admin","hint":"${admin.key.slice(0, 13)}"}`;
    assert.equal(
      text,
      `[{"number":1,"timestamp":"${timestamp()}","action":"key.created","actor":{"keyId":0},"target":{"keyId":${admin.id}},"to":${to}}]`,
    );
  });

  await t.test("the log has every change of a key, with the key that made it", async () => {
    const { id, key } = await createKey({ plan: "enterprise", perMinute: 5 });
    const changes: Array<[method: string, path: string, body?: object]> = [
      ["PATCH", "", { plan: "pro", name: "Renamed" }],
      ["POST", "/rotate", { graceSeconds: 60 }],
      ["POST", "/unban"],
      ["DELETE", ""],
    ];
    const secrets = [key];
    for (const [method, path, body] of changes) {
      clock.advance(1_000);
      const answer = await call(method, `/keys/${id}${path}`, { key: admin.key, body });
      assert.match(String(answer.status), /^2/, answer.text);
      if (path === "/rotate") secrets.push(answer.json.key);
    }
    const about = { actor: { keyId: admin.id }, target: { keyId: id } };
    const at = (secondsAgo: number) => new Date(clock.nowMs() - secondsAgo * 1_000).toISOString();
    const hint = (index: number) => secrets[index]?.slice(0, 13);
    const before = { name: "test", plan: "enterprise", perMinute: 5 };
    const after = { name: "Renamed", plan: "pro", perMinute: null };
    const { json, text } = await call("GET", "/audit?limit=4");
    assert.deepEqual(
      json,
      [
        { action: "key.revoked", from: { state: "active" }, to: { state: "revoked" } },
        { action: "key.unbanned" },
        { action: "key.rotated", from: { hint: hint(0) }, to: { hint: hint(1), oldEndsAt: at(2 - 60) } },
        { action: "key.updated", from: before, to: after },
      ].map((record, index) => ({ number: 6 - index, timestamp: at(index), ...about, ...record })),
    );
    assert.equal(secrets.length, 2);
    for (const secret of secrets) assert.ok(!text.includes(secret.slice(13)), "no secret");
  });
});

test("GET /audit in pages", async (t) => {
  const { call, createKey } = await startApp(t);
  const newest = async (): Promise<Item> => (await call("GET", "/audit?limit=1")).json[0];
  for (let i = 0; i < 5; i++) await createKey();

  await t.test("there is no record of a request that changed nothing or was rejected", async () => {
    const { id } = await createKey();
    const before = await newest();
    await call("PATCH", `/keys/${id}`, { body: { plan: "free" } });
    assertError(await call("PATCH", `/keys/${id}`, { body: { perMinute: 5 } }), "invalid_body");
    assertError(await call("POST", "/keys", { body: { name: "", plan: "free" } }), "invalid_body");
    assertError(await call("DELETE", "/keys/999"), "key_not_found");
    assertError(await call("POST", "/keys/999/rotate"), "key_not_found");
    assert.deepEqual(await newest(), before);
  });

  await t.test("a POST that is repeated with its Idempotency-Key has one record", async () => {
    const { number } = await newest();
    const body = { name: "Once", plan: "free" };
    const send = () => call("POST", "/keys", { body, headers: { "idempotency-key": "once" } });
    const answers = [await send(), await send(), await send()];
    assert.equal(new Set(answers.map(({ json }) => json.key)).size, 1);
    const { number: last, action, to } = await newest();
    assert.deepEqual([last, action, to.name], [number + 1, "key.created", "Once"]);
    const rotate = () =>
      call("POST", `/keys/${answers[0]?.json.id}/rotate`, { headers: { "idempotency-key": "once" } });
    assert.equal((await rotate()).text, (await rotate()).text);
    assert.equal((await newest()).number, number + 2);
  });

  await t.test("pages go from the newest record to the oldest, while others are added", async () => {
    const { number } = await newest();
    const pages = await readPages(async (path) => {
      const page = await call("GET", path);
      assertCommon(page);
      await createKey();
      return page;
    }, "/audit?limit=3");
    const numbers = pages.flatMap(({ json }) => column(json, "number"));
    assert.deepEqual(
      numbers,
      Array.from({ length: number }, (_, index) => number - index),
    );
    const [first] = pages as [Answer];
    const links =
      /\/v1\/audit\?limit=3&cursor=[\w-]+>; rel="next", <[^>]+\/v1\/audit\?limit=3>; rel="first"$/;
    assert.match(first.headers.link ?? "", links);
    assertError(await call("GET", `/keys?cursor=${nextCursor(first)}`), "invalid_cursor");
    assertError(await call("GET", "/audit?limit=101"), "invalid_parameter");
  });

  await t.test("a page has an ETag that changes with the next record", async () => {
    const { etag = "" } = (await call("GET", "/audit")).headers;
    const ask = async () => (await call("GET", "/audit", { headers: { "if-none-match": etag } })).status;
    assert.equal(await ask(), 304);
    await createKey();
    assert.equal(await ask(), 200);
  });
});

test("A ban has one record in the audit log", async (t) => {
  const { call, clock, createKey } = await startApp(t);
  const { id, key } = await createKey({ plan: "enterprise", perMinute: 1, perDay: 1_000 });
  const bans = async () => (await readAll(call)).filter(({ action }) => action === "key.banned");
  const request = () => call("GET", "/pets", { key });
  async function provokeBan(): Promise<void> {
    while ((await request()).status !== 429);
    clock.advance(1_000);
    while ((await request()).json.code !== "key_banned");
  }
  /** The record may be written after the response. */
  async function untilRecorded(count: number): Promise<Item[]> {
    for (;;) {
      const found = await bans();
      if (found.length >= count) return found;
    }
  }

  await t.test("a ban is recorded once, whatever is refused until it ends", async () => {
    await provokeBan();
    const until = new Date(clock.nowMs() + 60_000).toISOString();
    await untilRecorded(1);
    for (let i = 0; i < 20; i++) assertError(await request(), "key_banned");
    await call("GET", "/usage", { key });
    clock.advance(30_000);
    assertError(await request(), "key_banned");
    const { number, timestamp, ...ban } = (await bans())[0] as Item & { timestamp: string };
    assert.deepEqual(ban, {
      action: "key.banned",
      actor: { command: "serve" },
      target: { keyId: id },
      to: { bannedUntil: until },
    });
    assert.equal((await bans()).length, 1);
  });

  await t.test("the next ban has its own record", async () => {
    clock.advance(60_000);
    await provokeBan();
    const [second, first] = await untilRecorded(2);
    assert.notEqual(second?.to.bannedUntil, first?.to.bannedUntil);
    assert.equal((await bans()).length, 2);
  });
});
