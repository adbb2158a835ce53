// createInvitation, listInvitations, revokeInvitation, acceptInvitation: a code works once, and reveals nothing to anyone else.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ACCEPTS_PER_MINUTE } from "../../src/domain/people/invitation.ts";
import { type Answer, countStatuses } from "../harness/clients/call.ts";
import { column } from "../harness/clients/pages.ts";
import { accept, codeOf, joinAs } from "../harness/clients/people.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MARIA = { name: "Maria", access: "manage" };

test("POST /invitations", async (t) => {
  const { call, clock, url, createKey } = await startApp(t);
  const at = (ms: number) => new Date(clock.nowMs() + ms).toISOString();
  const invite = (body: object) => call("POST", "/invitations", { body });

  await t.test("answers the invitation with a link to the console", async () => {
    const answer = await invite({ ...MARIA, name: " Maria " });
    assertCommon(answer);
    const { url: link, ...invitation } = answer.json;
    const createdAt = at(0);
    const expected = { id: 1, ...MARIA, status: "open", createdAt, expiresAt: at(7 * DAY_MS) };
    assert.deepEqual([answer.status, invitation], [201, expected]);
    assert.equal(answer.headers.location, `${url}/v1/invitations/1`);
    assert.match(link.replace(url, ""), /^\/#join\/[0-9A-Za-z]{22}$/);
    assert.deepEqual((await call("GET", "/invitations")).json, [expected], "the link is shown once");
  });

  await t.test("ends after 7 days, or 24 hours for access admin, or at the given time", async () => {
    const endOf = async (body: object) => (await invite(body)).json.expiresAt;
    assert.equal(await endOf({ name: "Ada", access: "admin" }), at(DAY_MS));
    assert.equal(await endOf({ name: "Ada", access: "admin", expiresAt: at(HOUR_MS) }), at(HOUR_MS));
    assert.equal(await endOf({ ...MARIA, expiresAt: at(30 * DAY_MS) }), at(30 * DAY_MS));
  });

  await t.test("the second of two requests with one Idempotency-Key gets the same link", async () => {
    const send = () => call("POST", "/invitations", { body: MARIA, headers: { "idempotency-key": "once" } });
    const [one, other] = [await send(), await send()];
    assert.equal(one.text, other.text);
    assert.equal(other.headers["idempotent-replayed"], "true");
  });

  const { person } = await joinAs({ call }, { name: "Ada", access: "admin" });
  await t.test("invites a known person to another device, who is asked for no name", async () => {
    const { json } = await invite({ personId: person.id });
    assert.deepEqual([json.name, json.access, json.personId], ["Ada", "admin", person.id]);
    assert.equal(json.expiresAt, at(DAY_MS), "as long as for access admin");
  });

  const rejected: Record<string, object> = {
    "neither a name nor a person": { expiresAt: at(HOUR_MS) },
    "no access": { name: "Maria" },
    "no name": { access: "browse" },
    "a name beside personId": { personId: 1, name: "Ada" },
    "an access beside personId": { personId: 1, access: "admin" },
    "a shelter beside personId": { personId: 1, shelterId: 1 },
    "an admin of one shelter": { name: "Maria", access: "admin", shelterId: 1 },
    "an unknown shelter": { ...MARIA, shelterId: 99 },
    "a time in the past": { ...MARIA, expiresAt: at(0) },
    "more than 30 days": { ...MARIA, expiresAt: at(30 * DAY_MS + 1) },
    "more than 24 hours for an admin": { name: "Maria", access: "admin", expiresAt: at(DAY_MS + 1) },
    "more than 24 hours for a known admin": { personId: 1, expiresAt: at(DAY_MS + 1) },
    "an empty body": {},
  };
  for (const [what, body] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await invite(body), "invalid_body");
    });

  await t.test("answers 404 for an unknown person, and 403 to keys without access admin", async () => {
    assertError(await invite({ personId: 99 }), "person_not_found");
    const { key } = await createKey({ access: "manage" });
    assertError(await call("POST", "/invitations", { key, body: MARIA }), "insufficient_access");
  });
});

test("GET /invitations and DELETE /invitations/{invitationId}", async (t) => {
  const { call, clock } = await startApp(t);
  const invite = async (body: object = MARIA) => (await call("POST", "/invitations", { body })).json;
  const ids = async (query: string) => column((await call("GET", `/invitations${query}`)).json, "id");

  await t.test("filters by status, in pages", async () => {
    const [accepted, revoked, expired, open] = [
      await invite(),
      await invite(),
      await invite(),
      await invite(),
    ];
    assert.equal((await accept(call, { code: codeOf(accepted.url) })).status, 201);
    assert.equal((await call("DELETE", `/invitations/${revoked.id}`)).status, 204);
    await call("PATCH", "/people/1", { body: { name: "Mia" } });
    clock.advance(7 * DAY_MS);
    const late = await invite();
    assert.deepEqual(await ids("?status=open"), [late.id]);
    assert.deepEqual(await ids("?status=accepted"), [accepted.id]);
    assert.deepEqual(await ids("?status=revoked"), [revoked.id]);
    assert.deepEqual(await ids("?status=expired"), [expired.id, open.id]);
    const page = await call("GET", "/invitations?status=expired&limit=1");
    assert.match(page.headers.link ?? "", /status=expired&limit=1&cursor=[^>]+>; rel="next"/);
    const [shown] = (await call("GET", "/invitations?status=accepted")).json;
    assert.deepEqual([shown.name, shown.personId, shown.acceptedAt], ["Maria", 1, shown.createdAt]);
  });

  await t.test("only an open invitation can be revoked", async () => {
    for (const id of [1, 2, 3, 99, "abc"])
      assertError(await call("DELETE", `/invitations/${id}`), "invitation_not_found");
  });

  await t.test("rejects an unknown status with 400", async () => {
    for (const status of ["closed", "OPEN", ""])
      assertError(await call("GET", `/invitations?status=${status}`), "invalid_parameter", /status/);
  });
});

async function startAccepting(t: TestContext) {
  const app = await startApp(t, { environment: { TRUST_PROXY: "127.0.0.1" } });
  const { call } = app;
  const invite = async (body: object = MARIA): Promise<string> => {
    const { json } = await call("POST", "/invitations", { body });
    return codeOf(json.url);
  };
  return { ...app, invite };
}

test("POST /invitations/accept", async (t) => {
  const { call, clock, createKey, invite } = await startAccepting(t);

  await t.test("signs in with a key that is good at once, and with the whole person", async () => {
    const answer = await accept(call, { code: await invite(), device: " Maria's phone " });
    assertCommon(answer);
    const { key, person } = answer.json;
    assert.deepEqual([answer.status, Object.keys(answer.json)], [201, ["key", "person"]]);
    assert.equal(answer.headers.location, undefined);
    const createdAt = new Date(clock.nowMs()).toISOString();
    assert.deepEqual(person, { id: person.id, ...MARIA, status: "active", devices: 1, createdAt });
    assert.match(key, /^ask_live_[0-9A-Za-z]{36}$/);
    assert.equal((await call("POST", "/pets", { key, body: { name: "Rex", categoryId: 3 } })).status, 201);
    const stored = (await call("GET", "/keys")).json.at(-1);
    const { kind, name, plan, access, expiresAt } = stored;
    assert.deepEqual(
      [kind, name, plan, access, expiresAt],
      ["person", "Maria's phone", "business", "manage", undefined],
    );
    assert.deepEqual(stored.person, { id: person.id, name: "Maria" });
    assert.equal(stored.key, undefined);
  });

  await t.test("every code that opens nothing gets the same answer", async () => {
    const used = await invite();
    await accept(call, { code: used });
    const revoked = await invite();
    await call("DELETE", `/invitations/${(await call("GET", "/invitations?status=open")).json.at(-1).id}`);
    const expired = await invite({ ...MARIA, expiresAt: new Date(clock.nowMs() + 1_000).toISOString() });
    clock.advance(1_000);
    const wrong = `${used.slice(0, -1)}${used.endsWith("x") ? "y" : "x"}`;
    const codes = [used, revoked, expired, wrong, "", "x".repeat(10_000), `${used} `, "Ж", "'; --"];
    const answers: Answer[] = [];
    for (const code of codes) answers.push(await accept(call, { code }));
    for (const answer of answers) assertError(answer, "invitation_not_found");
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const names = ({ headers }: Answer) => Object.keys(headers).sort().join();
    assert.equal(new Set(answers.map(names)).size, 1);
  });

  await t.test("ignores Authorization and Idempotency-Key, whatever they are", async () => {
    const { key: revoked, id } = await createKey();
    await call("DELETE", `/keys/${id}`);
    const values = ["Bearer ask_pub_x", `Bearer ${revoked}`, "Basic eDp5", "nonsense"];
    for (const authorization of values) {
      const headers = { authorization, "idempotency-key": "a b" };
      const answer = await accept(call, { code: await invite() }, { headers });
      assertCommon(answer);
      assert.equal(answer.status, 201, authorization);
    }
    const code = await invite();
    const headers = { "idempotency-key": "once" };
    assert.equal((await accept(call, { code }, { headers })).status, 201);
    assertError(await accept(call, { code }, { headers }), "invitation_not_found");
    const publishable = { kind: "publishable", allowedOrigins: ["https://www.example.org"] };
    const { key } = await createKey(publishable);
    const answer = await call("POST", `/invitations/accept?key=${key}`, {
      key,
      body: { code: await invite() },
    });
    assert.deepEqual([answer.status, answer.headers["cache-control"]], [201, "private, no-cache"]);
  });
});

test("POST /invitations/accept bounds its requests", async (t) => {
  const { call, clock, invite } = await startAccepting(t);

  const rejected = {
    "no code": {},
    "a code that is no text": { code: 7 },
    "an empty device": { code: "x", device: " " },
    "a device of 61 characters": { code: "x", device: "x".repeat(61) },
    "a device with a line feed": { code: "x", device: "a\nb" },
  };
  for (const [what, body] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await accept(call, body), "invalid_body");
    });

  await t.test("accepts a device of 60 characters, and takes a label for none", async () => {
    const device = "🐕".repeat(60);
    await accept(call, { code: await invite(), device });
    await accept(call, { code: await invite() });
    const names = column((await call("GET", "/keys?limit=100")).json, "name");
    assert.deepEqual(names.slice(-2), [device, "Device"]);
  });

  await t.test("refuses a large body and other types as everywhere", async () => {
    const code = await invite();
    const large = { code, filler: "x".repeat(17_000) };
    assertError(await accept(call, large), "body_too_large");
    const headers = { "content-type": "text/plain" };
    assertError(await accept(call, { code }, { headers }), "unsupported_media_type");
    assert.equal((await accept(call, { code })).status, 201);
  });

  await t.test("has a budget of its own for each address, which others cannot use up", async () => {
    clock.advance(60_000);
    const from = (address: string, code = "wrong") =>
      accept(call, { code }, { headers: { "x-forwarded-for": address } });
    const code = await invite();
    const attempts = await Promise.all(
      Array.from({ length: ACCEPTS_PER_MINUTE + 10 }, () => from("192.0.2.1")),
    );
    assert.deepEqual(countStatuses(attempts), { 404: 300, 429: 10 });
    const refused = await from("192.0.2.1", code);
    assertError(refused, "rate_limit_exceeded");
    assert.equal(refused.headers["ratelimit-policy"], '"minute";q=300;w=60');
    assert.equal(Number(refused.headers["retry-after"]), 60);
    const anonymous = await call("GET", "/pets", {
      key: undefined,
      headers: { "x-forwarded-for": "192.0.2.1" },
    });
    assertError(anonymous, "missing_api_key");
    assert.equal((await from("192.0.2.2", code)).status, 201);
    clock.advance(60_000);
    assertError(await from("192.0.2.1"), "invitation_not_found");
  });
});
