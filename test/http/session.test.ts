// createDeviceLink and endSession, for keys of people only; and what such a key does not allow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, codeOf, joinAs } from "../harness/clients/people.ts";
import { ADMIN_KEY, startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const MINUTE_MS = 60_000;

test("POST /session/link", async (t) => {
  const app = await startApp(t);
  const { call, clock } = app;
  const { key, person } = await joinAs(app, { name: "Maria", access: "browse" });
  const link = async (with_ = key) => (await call("POST", "/session/link", { key: with_ })).json;

  await t.test("answers a link for ten minutes, which signs in the same person once", async () => {
    const answer = await call("POST", "/session/link", { key });
    assertCommon(answer);
    assert.deepEqual([answer.status, Object.keys(answer.json)], [201, ["url", "expiresAt"]]);
    assert.equal(answer.json.expiresAt, new Date(clock.nowMs() + 10 * MINUTE_MS).toISOString());
    const joined = (await accept(call, { code: codeOf(answer.json.url), device: "Tablet" })).json;
    assert.deepEqual([joined.person.id, joined.person.devices], [person.id, 2]);
    assert.notEqual(joined.key, key);
    assertError(await accept(call, { code: codeOf(answer.json.url) }), "invitation_not_found");
  });

  await t.test("the link ends after ten minutes, and with its key", async () => {
    const late = await link();
    clock.advance(10 * MINUTE_MS);
    assertError(await accept(call, { code: codeOf(late.url) }), "invitation_not_found");
    const second = (await accept(call, { code: codeOf((await link()).url) })).json;
    const closed = await link(second.key);
    assert.equal((await call("DELETE", "/session", { key: second.key })).status, 204);
    assertError(await accept(call, { code: codeOf(closed.url) }), "invitation_not_found");
  });

  await t.test("the second of two requests with one Idempotency-Key gets the same link", async () => {
    const send = () => call("POST", "/session/link", { key, headers: { "idempotency-key": "once" } });
    assert.equal((await send()).text, (await send()).text);
  });
});

test("DELETE /session", async (t) => {
  const app = await startApp(t);
  const { call } = app;
  const { key, person } = await joinAs(app, { name: "Maria", access: "manage" });
  const { url } = (await call("POST", "/session/link", { key })).json;
  const other = (await accept(call, { code: codeOf(url) })).json;

  await t.test("ends the device of the request, and no other", async () => {
    const answer = await call("DELETE", "/session", { key });
    assertCommon(answer);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assertError(await call("GET", "/usage", { key }), "invalid_api_key");
    assertError(await call("DELETE", "/session", { key }), "invalid_api_key");
    assert.equal((await call("GET", "/usage", { key: other.key })).status, 200);
    const [listed] = (await call("GET", "/people")).json;
    assert.deepEqual([listed.id, listed.status, listed.devices], [person.id, "active", 1]);
  });
});

test("two requests that sign out the same device at once", async (t) => {
  const app = await startApp(t);
  const { key } = await joinAs(app, { name: "Maria", access: "browse" });
  const signOut = () => app.call("DELETE", "/session", { key });
  const statuses = (await Promise.all([signOut(), signOut(), signOut()])).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [204, 401, 401]);
});

test("/session is for keys of people only", async (t) => {
  const { call, createKey } = await startApp(t);
  const origin = "https://www.example.org";
  const keys: Record<string, { key: string; headers?: Record<string, string> }> = {
    ADMIN_API_KEY: { key: ADMIN_KEY },
    "a publishable key": {
      ...(await createKey({ kind: "publishable", allowedOrigins: [origin] })),
      headers: { origin },
    },
  };
  for (const access of ["browse", "adopt", "manage", "admin"])
    keys[`a secret key with access ${access}`] = await createKey({ plan: "business", access });
  for (const [what, { key, headers = {} }] of Object.entries(keys))
    await t.test(`refuses ${what} with 403`, async () => {
      const answers = [
        await call("POST", "/session/link", { key, headers }),
        await call("DELETE", "/session", { key, headers }),
      ];
      for (const { status, json } of answers)
        assert.deepEqual([status, json.code], [403, "insufficient_access"]);
      if (what !== "a publishable key") assert.equal((await call("GET", "/usage", { key })).status, 200);
    });
});

test("The key of a person", async (t) => {
  const app = await startApp(t);
  const { call } = app;
  const { key, person } = await joinAs(app, { name: "Maria", access: "browse" });
  const { id } = (await call("GET", "/keys")).json.at(-1);

  await t.test("cannot be created by createKey", async () => {
    const body = { kind: "person", name: "x", plan: "business" };
    assertError(await call("POST", "/keys", { body }), "invalid_body", /kind/);
  });

  const refused: Record<string, object> = {
    plan: { plan: "free" },
    access: { access: "admin" },
    "own limits": { perMinute: 1 },
    expiry: { expiresAt: "2099-01-01T00:00:00Z" },
    "the removal of its expiry": { expiresAt: null },
    shelter: { shelterId: 1 },
    origins: { allowedOrigins: ["https://www.example.org"] },
    "name and access": { name: "Phone", access: "admin" },
  };
  for (const [what, body] of Object.entries(refused))
    await t.test(`refuses a change of ${what} with 409`, async () => {
      assertError(await call("PATCH", `/keys/${id}`, { body }), "invalid_transition");
    });

  await t.test("can be renamed, but not rotated", async () => {
    const { json } = await call("PATCH", `/keys/${id}`, { body: { name: "Old phone" } });
    assert.deepEqual([json.name, json.kind, json.access], ["Old phone", "person", "browse"]);
    assert.deepEqual(json.person, { id: person.id, name: "Maria" });
    assertError(await call("POST", `/keys/${id}/rotate`), "invalid_transition");
    assert.equal((await call("GET", "/usage", { key })).status, 200);
  });

  await t.test("ends with its revocation, which leaves the person", async () => {
    assert.equal((await call("DELETE", `/keys/${id}`)).status, 204);
    assertError(await call("GET", "/usage", { key }), "invalid_api_key");
    assert.equal((await call("GET", "/people")).json[0].status, "active");
    assertError(await call("PATCH", `/keys/${id}`, { body: { access: "admin" } }), "key_not_found");
  });
});
