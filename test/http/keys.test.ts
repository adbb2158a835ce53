// createKey, updateKey, rotateKey, revokeKey, listKeys, and the life of a key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { repeat } from "../harness/clients/call.ts";
import { column, nextPath } from "../harness/clients/pages.ts";
import { freshEngines } from "../harness/runner/combination.ts";
import { ADMIN_KEY, startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

test("POST /keys", async (t) => {
  const { call } = await startApp(t);

  await t.test("issues a key that works at once and is shown once", async () => {
    const body = { name: " Website ", plan: "free", access: "browse" };
    const created = await call("POST", "/keys", { body });
    assert.equal(created.status, 201);
    const { id, key, hint, createdAt, ...settings } = created.json;
    assert.match(key, /^ask_live_[0-9A-Za-z]{36}$/);
    const limits = { perMinute: 60, perDay: 1000 };
    assert.deepEqual(settings, { ...body, kind: "secret", name: "Website", ...limits, state: "active" });
    assert.equal(hint, key.slice(0, 13));
    assert.match(created.headers.location ?? "", new RegExp(`/v1/keys/${id}$`));
    assert.equal((await call("GET", "/pets", { key })).status, 200);
    for (const path of ["/keys", `/keys/${id}`])
      assert.doesNotMatch((await call("GET", path)).text, new RegExp(key));
  });

  await t.test("gives a new key access manage by default", async () => {
    const { access } = (await call("POST", "/keys", { body: { name: "x", plan: "pro" } })).json;
    assert.equal(access, "manage");
  });

  const rejected: Record<string, [settings: object, message: RegExp]> = {
    "no name": [{ name: undefined }, /^name is required$/],
    "a name of spaces": [{ name: " " }, /^name must be 1 to 100 characters/],
    "an unknown plan": [{ plan: "gold" }, /^plan must be one of free, pro, business, enterprise$/],
    "an unknown access": [{ access: "root" }, /^access must be one of/],
    "own limits on another plan": [
      { plan: "pro", perMinute: 5 },
      /^perMinute is for the enterprise plan only$/,
    ],
    "a limit of 0": [{ plan: "enterprise", perDay: 0 }, /^perDay must be an integer from 1 to/],
    "30 February": [{ expiresAt: "2030-02-30T00:00:00Z" }, /^expiresAt must be an RFC 3339 time/],
    "a date without a time": [{ expiresAt: "2030-02-20" }, /^expiresAt must be/],
    "an expiry in the past, with every other error": [
      { plan: "pro", perDay: 5, expiresAt: "2020-01-01T00:00:00Z" },
      /^perDay is for the enterprise plan only; expiresAt must be in the future$/,
    ],
  };
  for (const [what, [settings, message]] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      const body = { name: "x", plan: "free", ...settings };
      assertError(await call("POST", "/keys", { body }), "invalid_body", message);
    });
});

test("PATCH and DELETE /keys/{keyId}, and POST /keys/{keyId}/rotate", async (t) => {
  const { call, createKey } = await startApp(t);
  const patch = (id: number, body: object) => call("PATCH", `/keys/${id}`, { body });
  const rotate = (id: number, body?: unknown) => call("POST", `/keys/${id}/rotate`, { body });
  const get = (key: string) => call("GET", "/pets", { key });

  /** Used twice, so that a node that caches keys has it in its cache. */
  async function createUsedKey(): Promise<{ id: number; key: string }> {
    const created = await createKey();
    for (let i = 0; i < 2; i++) assert.equal((await get(created.key)).status, 200);
    return created;
  }

  await t.test("applies a change of a key that is in use to the next request", async () => {
    const { id, key } = await createUsedKey();
    const { json } = await patch(id, { plan: "enterprise", perMinute: 7, access: "browse" });
    assert.deepEqual([json.perMinute, json.perDay], [7, 1_000_000]);
    assert.equal((await get(key)).headers["x-ratelimit-limit"], "7");
    assertError(await call("POST", "/pets", { key, body: {} }), "insufficient_access");
    assert.equal((await patch(id, { plan: "pro" })).json.perMinute, 300);
    assertError(await patch(id, {}), "invalid_body", /^at least one of name, plan/);
    assertError(await patch(id, { perDay: 5 }), "invalid_body", /enterprise/);
  });

  await t.test("sets and removes an expiry", async () => {
    const { id, key } = await createKey();
    const end = "2098-12-31T22:00:00.000Z";
    assert.equal((await patch(id, { expiresAt: "2099-01-01T00:00:00+02:00" })).json.expiresAt, end);
    const past = await patch(id, { expiresAt: "2020-01-01T00:00:00Z" });
    assertError(past, "invalid_body", "expiresAt must be in the future");
    assert.equal((await call("GET", `/keys/${id}`)).json.expiresAt, end);
    assert.equal((await patch(id, { expiresAt: null })).json.expiresAt, undefined);
    assert.equal((await get(key)).status, 200);
  });

  await t.test("revokes a key that is in use with the next request, permanently", async () => {
    const { id, key } = await createUsedKey();
    const revoked = await call("DELETE", `/keys/${id}`);
    assert.deepEqual([revoked.status, revoked.text], [204, ""]);
    assertError(await get(key), "invalid_api_key");
    assert.equal((await call("GET", `/keys/${id}`)).json.state, "revoked");
    for (const answer of [
      await call("DELETE", `/keys/${id}`),
      await patch(id, { name: "y" }),
      await rotate(id),
    ])
      assertError(answer, "key_not_found");
  });

  await t.test("rotates a key: both secrets work during the grace period, the id stays", async () => {
    const { id, key } = await createKey();
    const rotated = await rotate(id);
    assert.deepEqual([rotated.status, rotated.json.id], [200, id]);
    assert.notEqual(rotated.json.key, key);
    assert.match(rotated.json.oldEndsAt, /^\d{4}-\d\d-\d\dT/);
    for (const each of [key, rotated.json.key]) assert.equal((await get(each)).status, 200);
    const { minute } = (await call("GET", "/usage", { key })).json;
    assert.equal(minute.remaining, 58, "both secrets share one budget");
  });

  await t.test("rotates a key that is in use without grace: the old secret ends at once", async () => {
    const { id, key } = await createUsedKey();
    const rotated = await rotate(id, { graceSeconds: 0 });
    assertError(await get(key), "invalid_api_key");
    assert.equal((await get(rotated.json.key)).status, 200);
    const message = /^graceSeconds must be an integer from 0 to/;
    assertError(await rotate(id, { graceSeconds: -1 }), "invalid_body", message);
  });

  await t.test("ignores a body that an operation does not need", async () => {
    const { id } = await createKey();
    for (const body of ["", "not json", "{}"])
      assert.equal((await call("POST", `/keys/${id}/unban`, { body })).status, 200, body);
    assert.equal((await rotate(id, "")).status, 200);
    assertError(await rotate(id, "not json"), "invalid_json");
    assert.equal((await call("DELETE", `/keys/${id}`, { body: "" })).status, 204);
  });

  await t.test("responds to an unknown or malformed id with 404", async () => {
    for (const id of ["9999", "0", "abc", "%zz"]) {
      assertError(await call("GET", `/keys/${id}`), "key_not_found");
      assertError(await call("POST", `/keys/${id}/unban`), "key_not_found");
    }
  });

  await t.test("GET /keys lists keys in pages", async () => {
    const all = (await call("GET", "/keys?limit=100")).json;
    const first = await call("GET", "/keys?limit=2");
    assert.ok(all.length >= 4, "there are two pages");
    assert.deepEqual(first.json, all.slice(0, 2));
    assert.deepEqual((await call("GET", nextPath(first))).json, all.slice(2, 4));
  });
});

test("The life of a key over time", async (t) => {
  const { call, clock, createKey } = await startApp(t);

  await t.test("a key ends at its expiry, to the millisecond", async () => {
    const expiresAt = new Date(clock.nowMs() + 1_000).toISOString();
    const { id, key } = await createKey({ expiresAt });
    clock.advance(999);
    assert.equal((await call("GET", "/pets", { key })).status, 200);
    clock.advance(1);
    assertError(await call("GET", "/pets", { key }), "invalid_api_key");
    const changed = await call("PATCH", `/keys/${id}`, { body: { plan: "pro" } });
    assert.deepEqual([changed.status, changed.json.state], [200, "expired"], "its other settings may change");
    const now = { expiresAt: new Date(clock.nowMs()).toISOString() };
    assertError(await call("PATCH", `/keys/${id}`, { body: now }), "invalid_body", /in the future/);
    assert.equal((await call("PATCH", `/keys/${id}`, { body: { expiresAt: null } })).status, 200);
    assert.equal((await call("GET", "/pets", { key })).status, 200);
  });

  await t.test("a rotation keeps the old secret for 24 hours; another does not extend it", async () => {
    const { id, key } = await createKey();
    const statuses = () =>
      Promise.all(secrets.map(async (each) => (await call("GET", "/usage", { key: each })).status));
    const secrets = [key];
    for (let i = 0; i < 2; i++) {
      secrets.push((await call("POST", `/keys/${id}/rotate`)).json.key);
      if (i === 0) clock.advance(3_600_000);
    }
    clock.advance(82_800_000 - 1);
    assert.deepEqual(await statuses(), [200, 200, 200]);
    clock.advance(1);
    assert.deepEqual(await statuses(), [401, 200, 200]);
    clock.advance(3_600_000);
    assert.deepEqual(await statuses(), [401, 401, 200]);
  });

  await t.test("a key shows an admin its remaining requests and its ban", async () => {
    const { id, key } = await createKey({ plan: "enterprise", perMinute: 2, perDay: 5 });
    const usage = async () => (await call("GET", `/keys/${id}`)).json.usage;
    const get = () => call("GET", "/pets", { key });
    await get();
    const { minute, day, ban } = await usage();
    assert.deepEqual([minute.limit, minute.remaining, day.limit, day.remaining], [2, 1, 5, 4]);
    assert.equal(ban, undefined);
    await repeat(2, get);
    clock.advance(1_000);
    await repeat(51, get);
    const banned = await usage();
    assert.equal(banned.ban.reset, Math.ceil(clock.nowMs() / 1000) + 60);
    assert.equal(banned.minute.remaining, 0);
    await call("POST", `/keys/${id}/unban`);
    assert.equal((await usage()).ban, undefined);
  });

  await t.test("a key stores its last use, accurate to a minute", async () => {
    const { id, key } = await createKey({});
    const lastUsed = async () => (await call("GET", `/keys/${id}`)).json.lastUsedAt;
    assert.equal(await lastUsed(), undefined);
    const firstMs = clock.nowMs();
    await call("GET", "/pets", { key });
    while ((await lastUsed()) === undefined) await pause(5);
    clock.advance(59_000);
    await call("GET", "/pets", { key });
    clock.advance(2_000);
    const laterMs = clock.nowMs();
    await call("GET", "/pets", { key });
    while ((await lastUsed()) === new Date(firstMs).toISOString()) await pause(5);
    assert.equal(await lastUsed(), new Date(laterMs).toISOString());
  });

  await t.test("shows a key its shelter", async () => {
    const { id, key } = await createKey({ shelterId: 1 });
    const shelterOf = async () => (await call("GET", "/usage", { key })).json.shelterId;
    assert.equal(await shelterOf(), 1);
    await call("PATCH", `/keys/${id}`, { body: { shelterId: null } });
    assert.equal(await shelterOf(), undefined);
  });

  await t.test("accepts ADMIN_API_KEY without storing it", async () => {
    const { json } = await call("GET", "/keys?limit=100");
    assert.deepEqual([...new Set(column(json, "name"))], ["test"]);
    const { plan, access, minute } = (await call("GET", "/usage")).json;
    assert.deepEqual([plan, access, minute.limit], ["enterprise", "admin", 10_000]);
    assertError(await call("GET", "/pets", { key: `${ADMIN_KEY}x` }), "invalid_api_key");
  });
});

const environments = { production: "staging", staging: "production" };
for (const [own, other] of Object.entries(environments))
  test(`A ${own} service rejects a ${other} key of the same store`, async (t) => {
    const engines = await freshEngines(t);
    const first = await startApp(t, { environment: { ...engines, ENVIRONMENT: other } });
    const { key } = await first.createKey();
    assert.equal((await first.call("GET", "/pets", { key })).status, 200);
    await first.stop();

    const second = await startApp(t, { environment: { ...engines, ENVIRONMENT: own } });
    assertError(await second.call("GET", "/pets", { key }), "invalid_api_key");
    const issued = await second.createKey();
    assert.match(issued.key, own === "staging" ? /^ask_test_/ : /^ask_live_/);
    assert.equal((await second.call("GET", "/pets", { key: issued.key })).status, 200);
  });
