// listAudit: every change of keys by an API call, bans, pages, access.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCESS_LEVELS } from "../../src/domain/keys/plan.ts";
import type { Call } from "../harness/clients/call.ts";
import { walkAll } from "../harness/clients/pages.ts";
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
  const newest = async (): Promise<Item> => (await call("GET", "/audit?limit=1")).json[0];
  const timestamp = () => new Date(clock.nowMs()).toISOString();

  await t.test("is an empty list at first", async () => {
    const answer = await call("GET", "/audit");
    assertCommon(answer);
    assert.equal(answer.text, "[]");
  });

  const admin = await createKey({ name: "Admin", plan: "business", access: "admin" });

  await t.test("has a new key, in exactly these bytes; key 0 is ADMIN_API_KEY", async () => {
    const { text } = await call("GET", "/audit");
    const to = `{"name":"Admin","plan":"business","access":"admin","hint":"${admin.key.slice(0, 13)}"}`;
    assert.equal(
      text,
      `[{"number":1,"timestamp":"${timestamp()}","action":"key.created","actor":{"keyId":0},"target":{"keyId":${admin.id}},"to":${to}}]`,
    );
  });

  await t.test("has every change of a key, with the key that made it", async () => {
    const { id, key } = await createKey({ plan: "enterprise", perMinute: 5 });
    const by = { key: admin.key };
    const changes: Array<[method: string, path: string, body?: object]> = [
      ["PATCH", "", { plan: "pro", name: "Renamed" }],
      ["POST", "/rotate", { graceSeconds: 60 }],
      ["POST", "/unban"],
      ["DELETE", ""],
    ];
    const secrets = [key];
    for (const [method, path, body] of changes) {
      clock.advance(1_000);
      const answer = await call(method, `/keys/${id}${path}`, { ...by, ...(body && { body }) });
      assert.match(String(answer.status), /^2/, answer.text);
      if (path === "/rotate") secrets.push(answer.json.key);
    }
    const about = { actor: { keyId: admin.id }, target: { keyId: id } };
    const at = (secondsAgo: number) => new Date(clock.nowMs() - secondsAgo * 1_000).toISOString();
    const { json, text } = await call("GET", "/audit?limit=4");
    assert.deepEqual(json, [
      {
        number: 6,
        timestamp: at(0),
        action: "key.revoked",
        ...about,
        from: { state: "active" },
        to: { state: "revoked" },
      },
      { number: 5, timestamp: at(1), action: "key.unbanned", ...about },
      {
        number: 4,
        timestamp: at(2),
        action: "key.rotated",
        ...about,
        from: { hint: key.slice(0, 13) },
        to: { hint: secrets[1]?.slice(0, 13), oldEndsAt: at(2 - 60) },
      },
      {
        number: 3,
        timestamp: at(3),
        action: "key.updated",
        ...about,
        from: { name: "test", plan: "enterprise", perMinute: 5 },
        to: { name: "Renamed", plan: "pro", perMinute: null },
      },
    ]);
    assert.equal(secrets.length, 2);
    for (const secret of secrets) assert.ok(!text.includes(secret.slice(13)), "no secret");
  });

  await t.test("has no record of a request that changed nothing or was rejected", async () => {
    const { id } = await createKey();
    const before = await newest();
    await call("PATCH", `/keys/${id}`, { body: { plan: "free" } });
    assertError(await call("PATCH", `/keys/${id}`, { body: { perMinute: 5 } }), "invalid_body");
    assertError(await call("POST", "/keys", { body: { name: "", plan: "free" } }), "invalid_body");
    assertError(await call("DELETE", "/keys/999"), "key_not_found");
    assertError(await call("POST", "/keys/999/rotate"), "key_not_found");
    assert.deepEqual(await newest(), before);
  });

  await t.test("has one record of a POST that was sent several times with its Idempotency-Key", async () => {
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

  await t.test(
    "pages from the newest to the oldest record without a gap, while others are added",
    async () => {
      const { number } = await newest();
      const numbers: number[] = [];
      let path = "/audit?limit=3";
      while (path !== "") {
        const page = await call("GET", path);
        assertCommon(page);
        numbers.push(...page.json.map((each: Item) => each.number));
        await createKey();
        path = /<[^>]+\/v1([^>]+)>; rel="next"/.exec(page.headers.link ?? "")?.[1] ?? "";
      }
      assert.deepEqual(
        numbers,
        Array.from({ length: number }, (_, index) => number - index),
      );
      const { link = "" } = (await call("GET", "/audit?limit=3")).headers;
      const cursor = /cursor=([\w-]+)/.exec(link)?.[1];
      assert.match(
        link,
        /\/v1\/audit\?limit=3&cursor=[\w-]+>; rel="next", <[^>]+\/v1\/audit\?limit=3>; rel="first"$/,
      );
      assertError(await call("GET", `/keys?cursor=${cursor}`), "invalid_cursor");
      assertError(await call("GET", "/audit?limit=101"), "invalid_parameter");
    },
  );

  await t.test("has an ETag that changes with the next record", async () => {
    const { etag = "" } = (await call("GET", "/audit")).headers;
    const ask = async () => (await call("GET", "/audit", { headers: { "if-none-match": etag } })).status;
    assert.equal(await ask(), 304);
    await createKey();
    assert.equal(await ask(), 200);
  });

  await t.test("needs access admin", async () => {
    for (const access of ACCESS_LEVELS.filter((each) => each !== "admin")) {
      const { key } = await createKey({ access });
      assertError(await call("GET", "/audit", { key }), "insufficient_access");
    }
    assert.equal((await call("GET", "/audit", { key: admin.key })).status, 200);
  });
});

test("A ban is in the audit log", async (t) => {
  const { call, clock, createKey } = await startApp(t);
  const { id, key } = await createKey({ plan: "enterprise", perMinute: 1, perDay: 1_000 });
  const bans = async () => (await readAll(call)).filter(({ action }) => action === "key.banned");
  const request = () => call("GET", "/pets", { key });
  async function provokeBan(): Promise<void> {
    while ((await request()).status !== 429);
    clock.advance(1_000);
    while ((await request()).json.code !== "key_banned");
  }
  /** The record is written beside the response. */
  async function untilRecorded(count: number): Promise<Item[]> {
    for (;;) {
      const found = await bans();
      if (found.length >= count) return found;
    }
  }

  await t.test("once, whatever is refused until it ends", async () => {
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

  await t.test("and so is the next one", async () => {
    clock.advance(60_000);
    await provokeBan();
    const [second, first] = await untilRecorded(2);
    assert.notEqual(second?.to.bannedUntil, first?.to.bannedUntil);
    assert.equal((await bans()).length, 2);
  });
});
