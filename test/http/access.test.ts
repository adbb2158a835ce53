// Section 5 of the interface: how keys are sent, levels of access, the life of a key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { generateSecret } from "../../src/domain/keys/key-secret.ts";
import { freshEngines } from "../harness/runner/combination.ts";
import { ADMIN_KEY, startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

const CHALLENGE = 'Bearer realm="animal-store"';

test("Section 5: authentication", async (t) => {
  const { call, createKey } = await startApp(t);
  const { key: adminKey } = await createKey({ access: "admin", plan: "business" });
  const authorization = (value: string | string[]) => ({ key: undefined, headers: { authorization: value } });

  const missing: Record<string, object> = {
    "no header": { key: undefined },
    "an empty header": authorization(""),
    "another scheme": authorization("Basic dXNlcjpwYXNz"),
    "a scheme without a key": authorization("Bearer"),
    "a scheme and spaces": authorization("Bearer   "),
    "a key without a scheme": authorization(adminKey),
    "a key in the body": { key: undefined, body: { api_key: adminKey } },
  };
  for (const [what, options] of Object.entries(missing)) {
    await t.test(`rejects ${what} with 401 missing_api_key`, async () => {
      const answer = await call("GET", "/pets", options);
      assertError(answer, "missing_api_key");
      assert.equal(answer.headers["www-authenticate"], CHALLENGE);
    });
  }

  const changedEnd = adminKey.replace(/.$/, (last) => (last === "a" ? "b" : "a"));
  const invalid: Record<string, object> = {
    "an unknown key": authorization(`Bearer ${generateSecret("production")}`),
    "a bad checksum": authorization(`Bearer ${changedEnd}`),
    "a key in capitals": authorization(`Bearer ${adminKey.toUpperCase()}`),
    "a key and another word": authorization(`Bearer ${adminKey} x`),
    "a key and a no-break space": authorization(`Bearer ${adminKey}\u{a0}`),
    "a no-break space and a key": authorization(`Bearer \u{a0}${adminKey}`),
    "quotes around the key": authorization(`Bearer "${adminKey}"`),
    "bytes that are not ASCII": authorization(`Bearer ${Buffer.from("ключ").toString("latin1")}`),
    "a very long key": authorization(`Bearer ${"a".repeat(8_000)}`),
    "two headers": authorization([`Bearer ${adminKey}`, `Bearer ${adminKey}`]),
  };
  const messages = new Set<string>();
  for (const [what, options] of Object.entries(invalid)) {
    await t.test(`rejects ${what} with 401 invalid_api_key`, async () => {
      const answer = await call("GET", "/pets", options);
      assertError(answer, "invalid_api_key");
      assert.equal(answer.headers["www-authenticate"], `${CHALLENGE}, error="invalid_token"`);
      messages.add(answer.text);
    });
  }
  await t.test("gives the same response to every invalid key", () => assert.equal(messages.size, 1));

  for (const scheme of ["bearer", "BEARER", "Bearer  "]) {
    await t.test(`accepts the scheme written as "${scheme}"`, async () => {
      assert.equal((await call("GET", "/pets", authorization(`${scheme} ${adminKey}`))).status, 200);
    });
  }

  await t.test("allows each level of access its operations and those of the lower levels", async () => {
    const operations: Array<[string, string, string, unknown?]> = [
      ["browse", "GET", "/pets"],
      ["browse", "GET", "/pets/1"],
      ["browse", "GET", "/usage"],
      ["manage", "POST", "/pets", { name: "Rex", categoryId: 1 }],
      ["admin", "GET", "/keys"],
      ["admin", "POST", "/keys", { name: "x", plan: "free" }],
      ["admin", "GET", "/keys/1"],
      ["admin", "PATCH", "/keys/9999", { name: "y" }],
      ["admin", "POST", "/keys/9999/rotate"],
      ["admin", "POST", "/keys/9999/unban"],
      ["admin", "DELETE", "/keys/9999"],
    ];
    const levels = ["browse", "adopt", "manage", "admin"];
    for (const held of levels) {
      const { key } = await createKey({ plan: "business", access: held });
      for (const [needed, method, path, body] of operations) {
        const answer = await call(method, path, { key, body });
        const mayDo = levels.indexOf(held) >= levels.indexOf(needed);
        assert.equal(answer.status !== 403, mayDo, `${held} ${method} ${path}: ${answer.status}`);
        if (mayDo) continue;
        assertError(answer, "insufficient_access");
        const challenge = `${CHALLENGE}, error="insufficient_scope", scope="${needed}"`;
        assert.equal(answer.headers["www-authenticate"], challenge);
      }
    }
  });

  await t.test("checks access before it reads the body", async () => {
    const { key } = await createKey({ access: "browse" });
    const options = { key, body: "not json", headers: { "content-type": "text/plain" } };
    assertError(await call("POST", "/pets", options), "insufficient_access");
  });
});

test("The key operations", async (t) => {
  const { call, createKey } = await startApp(t);

  /** Used twice, so that a node that caches keys has it in its cache. */
  async function createUsedKey(): Promise<{ id: number; key: string }> {
    const created = await createKey();
    for (let i = 0; i < 2; i++) assert.equal((await call("GET", "/pets", { key: created.key })).status, 200);
    return created;
  }

  await t.test("issues a key that works at once and is shown once", async () => {
    const created = await call("POST", "/keys", {
      body: { name: " Website ", plan: "free", access: "browse" },
    });
    assert.equal(created.status, 201);
    const { id, key, name, plan, access, perMinute, perDay, state, hint } = created.json;
    assert.match(key, /^ask_live_[0-9A-Za-z]{36}$/);
    assert.deepEqual(
      { name, plan, access, perMinute, perDay, state },
      {
        name: "Website",
        plan: "free",
        access: "browse",
        perMinute: 60,
        perDay: 1000,
        state: "active",
      },
    );
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

  const rejected: Record<string, { body: unknown; message: RegExp }> = {
    "no name": { body: { plan: "free" }, message: /^name is required$/ },
    "a name of spaces": { body: { name: " ", plan: "free" }, message: /^name must be 1 to 100 characters/ },
    "an unknown plan": {
      body: { name: "x", plan: "gold" },
      message: /^plan must be one of free, pro, business, enterprise$/,
    },
    "an unknown access": {
      body: { name: "x", plan: "free", access: "root" },
      message: /^access must be one of/,
    },
    "own limits on another plan": {
      body: { name: "x", plan: "pro", perMinute: 5 },
      message: /^perMinute is for the enterprise plan only$/,
    },
    "a limit of 0": {
      body: { name: "x", plan: "enterprise", perDay: 0 },
      message: /^perDay must be an integer from 1 to/,
    },
    "30 February": {
      body: { name: "x", plan: "free", expiresAt: "2030-02-30T00:00:00Z" },
      message: /^expiresAt must be an RFC 3339 time/,
    },
    "a date without a time": {
      body: { name: "x", plan: "free", expiresAt: "2030-02-20" },
      message: /^expiresAt must be/,
    },
    "an expiry in the past, with every other error": {
      body: { name: "x", plan: "pro", perDay: 5, expiresAt: "2020-01-01T00:00:00Z" },
      message: /^perDay is for the enterprise plan only; expiresAt must be in the future$/,
    },
  };
  for (const [what, { body, message }] of Object.entries(rejected)) {
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await call("POST", "/keys", { body }), "invalid_body", message);
    });
  }

  await t.test("applies a change of a key that is in use to the next request", async () => {
    const { id, key } = await createUsedKey();
    const changed = await call("PATCH", `/keys/${id}`, {
      body: { plan: "enterprise", perMinute: 7, access: "browse" },
    });
    assert.equal(changed.json.perMinute, 7);
    assert.equal(changed.json.perDay, 1_000_000);
    const answer = await call("GET", "/pets", { key });
    assert.equal(answer.headers["x-ratelimit-limit"], "7");
    assertError(
      await call("POST", "/pets", { key, body: { name: "Rex", categoryId: 1 } }),
      "insufficient_access",
    );
    const back = await call("PATCH", `/keys/${id}`, { body: { plan: "pro" } });
    assert.equal(back.json.perMinute, 300);
    assertError(
      await call("PATCH", `/keys/${id}`, { body: {} }),
      "invalid_body",
      /^at least one of name, plan/,
    );
    assertError(await call("PATCH", `/keys/${id}`, { body: { perDay: 5 } }), "invalid_body", /enterprise/);
  });

  await t.test("sets and removes an expiry", async () => {
    const { id, key } = await createKey();
    const ending = await call("PATCH", `/keys/${id}`, { body: { expiresAt: "2099-01-01T00:00:00+02:00" } });
    assert.equal(ending.json.expiresAt, "2098-12-31T22:00:00.000Z");
    const past = { body: { expiresAt: "2020-01-01T00:00:00Z" } };
    assertError(
      await call("PATCH", `/keys/${id}`, past),
      "invalid_body",
      /^expiresAt must be in the future$/,
    );
    assert.equal((await call("GET", `/keys/${id}`)).json.expiresAt, "2098-12-31T22:00:00.000Z");
    const endless = await call("PATCH", `/keys/${id}`, { body: { expiresAt: null } });
    assert.equal(endless.json.expiresAt, undefined);
    assert.equal((await call("GET", "/pets", { key })).status, 200);
  });

  await t.test("revokes a key that is in use with the next request, permanently", async () => {
    const { id, key } = await createUsedKey();
    const revoked = await call("DELETE", `/keys/${id}`);
    assert.equal(revoked.status, 204);
    assert.equal(revoked.text, "");
    assertError(await call("GET", "/pets", { key }), "invalid_api_key");
    assert.equal((await call("GET", `/keys/${id}`)).json.state, "revoked");
    assertError(await call("DELETE", `/keys/${id}`), "key_not_found");
    assertError(await call("PATCH", `/keys/${id}`, { body: { name: "y" } }), "key_not_found");
    assertError(await call("POST", `/keys/${id}/rotate`), "key_not_found");
  });

  await t.test("rotates a key: both secrets work during the grace period, the id stays", async () => {
    const { id, key } = await createKey();
    const rotated = await call("POST", `/keys/${id}/rotate`);
    assert.equal(rotated.status, 200);
    assert.equal(rotated.json.id, id);
    assert.notEqual(rotated.json.key, key);
    assert.match(rotated.json.oldEndsAt, /^\d{4}-\d\d-\d\dT/);
    for (const each of [key, rotated.json.key])
      assert.equal((await call("GET", "/pets", { key: each })).status, 200);
    const { minute } = (await call("GET", "/usage", { key })).json;
    assert.equal(minute.remaining, 58, "both secrets share one budget");
  });

  await t.test("rotates a key that is in use without grace: the old secret ends at once", async () => {
    const { id, key } = await createUsedKey();
    const rotated = await call("POST", `/keys/${id}/rotate`, { body: { graceSeconds: 0 } });
    assertError(await call("GET", "/pets", { key }), "invalid_api_key");
    assert.equal((await call("GET", "/pets", { key: rotated.json.key })).status, 200);
    const bad = { body: { graceSeconds: -1 } };
    assertError(
      await call("POST", `/keys/${id}/rotate`, bad),
      "invalid_body",
      /^graceSeconds must be an integer from 0 to/,
    );
  });

  await t.test("ignores a body that an operation does not need", async () => {
    const { id } = await createKey();
    for (const body of ["", "not json", "{}"]) {
      assert.equal((await call("POST", `/keys/${id}/unban`, { body })).status, 200, body);
    }
    assert.equal((await call("POST", `/keys/${id}/rotate`, { body: "" })).status, 200);
    assertError(await call("POST", `/keys/${id}/rotate`, { body: "not json" }), "invalid_json");
    assert.equal((await call("DELETE", `/keys/${id}`, { body: "" })).status, 204);
  });

  await t.test("responds to an unknown or malformed id with 404", async () => {
    for (const id of ["9999", "0", "abc", "%zz"]) {
      assertError(await call("GET", `/keys/${id}`), "key_not_found");
      assertError(await call("POST", `/keys/${id}/unban`), "key_not_found");
    }
  });

  await t.test("lists keys in pages", async () => {
    const all = (await call("GET", "/keys?limit=100")).json;
    const first = await call("GET", "/keys?limit=2");
    assert.ok(all.length >= 4, "there are two pages");
    assert.deepEqual(first.json, all.slice(0, 2));
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? "")?.[1] ?? "";
    assert.deepEqual((await call("GET", `/keys${new URL(next).search}`)).json, all.slice(2, 4));
  });
});

test("The life of a key over time", async (t) => {
  const { call, clock, createKey } = await startApp(t);

  await t.test("ends at its expiry, to the millisecond", async () => {
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

  await t.test(
    "keeps the old secret for 24 hours by default; another rotation does not extend it",
    async () => {
      const { id, key } = await createKey({});
      const second = (await call("POST", `/keys/${id}/rotate`)).json.key;
      clock.advance(3_600_000);
      const third = (await call("POST", `/keys/${id}/rotate`)).json.key;
      clock.advance(82_800_000 - 1);
      for (const each of [key, second, third])
        assert.equal((await call("GET", "/usage", { key: each })).status, 200);
      clock.advance(1);
      assertError(await call("GET", "/usage", { key }), "invalid_api_key");
      clock.advance(3_600_000);
      assertError(await call("GET", "/usage", { key: second }), "invalid_api_key");
      assert.equal((await call("GET", "/usage", { key: third })).status, 200);
    },
  );

  await t.test("shows an admin its remaining requests and its ban", async () => {
    const { id, key } = await createKey({ plan: "enterprise", perMinute: 2, perDay: 5 });
    const usage = async () => (await call("GET", `/keys/${id}`)).json.usage;
    await call("GET", "/pets", { key });
    const { minute, day, ban } = await usage();
    assert.deepEqual([minute.limit, minute.remaining, day.limit, day.remaining], [2, 1, 5, 4]);
    assert.equal(ban, undefined);
    for (let i = 0; i < 2; i++) await call("GET", "/pets", { key });
    clock.advance(1_000);
    for (let i = 0; i < 51; i++) await call("GET", "/pets", { key });
    const banned = await usage();
    assert.equal(banned.ban.reset, Math.ceil(clock.nowMs() / 1000) + 60);
    assert.equal((await call("GET", `/keys/${id}`)).json.usage.minute.remaining, 0);
    await call("POST", `/keys/${id}/unban`);
    assert.equal((await usage()).ban, undefined);
  });

  await t.test("stores its last use, accurate to a minute", async () => {
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

  await t.test("accepts ADMIN_API_KEY without storing it", async () => {
    const listed = await call("GET", "/keys?limit=100");
    const names = new Set(listed.json.map(({ name }: { name: string }) => name));
    assert.deepEqual([...names], ["test"]);
    const usage = await call("GET", "/usage");
    assert.deepEqual(
      [usage.json.plan, usage.json.access, usage.json.minute.limit],
      ["enterprise", "admin", 10_000],
    );
    assertError(await call("GET", "/pets", { key: `${ADMIN_KEY}x` }), "invalid_api_key");
  });
});

const environments = { production: "staging", staging: "production" };
for (const [own, other] of Object.entries(environments)) {
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
}
