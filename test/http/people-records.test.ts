// What is recorded about people: histories and the audit log name them, events do not, and nothing holds a code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { column } from "../harness/clients/pages.ts";
import { accept, codeOf, joinAs } from "../harness/clients/people.ts";
import { startApp } from "../harness/servers/app.ts";

interface Recorded {
  action: string;
  actor: { keyId: number; person?: object };
  target: object;
  from?: object;
  to?: object;
}

test("the history of an animal names the person beside the key, with their current name", async (t) => {
  const app = await startApp(t);
  const { call, addPet } = app;
  const { key, person } = await joinAs(app, { name: "Maria", access: "manage" });
  const { id } = await addPet();
  await call("PATCH", `/pets/${id}`, { key, body: { name: "Rexi" } });
  await call("POST", "/store/orders", { key, body: { petId: id } });
  await call("PATCH", `/people/${person.id}`, { body: { name: "Mia" } });
  const { json } = await call("GET", `/pets/${id}/history`);
  const keyId = (await call("GET", "/keys")).json.at(-1).id;
  const byMia = { keyId, person: { id: person.id, name: "Mia" } };
  const authors = json.map(({ keyId, person }: Recorded["actor"]) => ({ keyId, ...(person && { person }) }));
  assert.deepEqual(authors, [{ keyId: 0 }, byMia, byMia, byMia]);
  const events = await call("GET", "/events");
  assert.equal(events.json.length, 4);
  assert.doesNotMatch(events.text, /person|Mia/);
  await call("DELETE", `/people/${person.id}`);
  const after = (await call("GET", `/pets/${id}/history`)).json;
  assert.deepEqual(after.at(-1).person, byMia.person, "also when their access has ended");
});

test("the audit log has every change of people, invitations and sessions", async (t) => {
  const app = await startApp(t);
  const { call, clock } = app;
  const at = (ms: number) => new Date(clock.nowMs() + ms).toISOString();
  const codes: string[] = [];
  const invite = async (body: object) => {
    const { json } = await call("POST", "/invitations", { body });
    codes.push(codeOf(json.url));
    return json;
  };
  const link = async (key: string) => {
    const { json } = await call("POST", "/session/link", { key });
    codes.push(codeOf(json.url));
    return codeOf(json.url);
  };
  const expiresAt = at(7 * 86_400_000);

  const maria = await invite({ name: "Maria", access: "manage" });
  await call("DELETE", `/invitations/${(await invite({ name: "Jo", access: "browse" })).id}`);
  const { key, person } = (await accept(call, { code: codeOf(maria.url), device: "Phone" })).json;
  const second = (await accept(call, { code: await link(key), device: "Tablet" })).json;
  await invite({ personId: person.id });
  await call("PATCH", `/people/${person.id}`, { body: { access: "adopt" } });
  await call("DELETE", "/session", { key: second.key });
  await call("DELETE", `/people/${person.id}`);

  const { json, text } = await call("GET", "/audit?limit=100");
  const [phone, tablet] = [1, 2];
  const named = { id: person.id, name: "Maria" };
  const admin = { keyId: 0 };
  const [byPhone, byTablet] = [
    { keyId: phone, person: named },
    { keyId: tablet, person: named },
  ];
  const device = (name: string, keySecret: string) => ({
    kind: "person",
    name,
    plan: "business",
    access: "manage",
    hint: keySecret.slice(0, 13),
    personId: person.id,
  });
  const records: Array<[string, object, object, object | undefined, object?]> = [
    [
      "invitation.created",
      admin,
      { invitationId: 1 },
      undefined,
      { name: "Maria", access: "manage", expiresAt },
    ],
    [
      "invitation.created",
      admin,
      { invitationId: 2 },
      undefined,
      { name: "Jo", access: "browse", expiresAt },
    ],
    ["invitation.revoked", admin, { invitationId: 2 }, { status: "open" }, { status: "revoked" }],
    ["key.created", byPhone, { keyId: phone }, undefined, device("Phone", key)],
    [
      "invitation.accepted",
      byPhone,
      { invitationId: 1 },
      { status: "open" },
      { status: "accepted", personId: 1 },
    ],
    ["session.linked", byPhone, { keyId: phone }, undefined, { expiresAt: at(600_000) }],
    ["key.created", byPhone, { keyId: tablet }, undefined, device("Tablet", second.key)],
    ["invitation.created", admin, { invitationId: 3 }, undefined, { personId: 1, expiresAt }],
    ["person.updated", admin, { personId: 1 }, { access: "manage" }, { access: "adopt" }],
    ["session.ended", byTablet, { keyId: tablet }, { state: "active" }, { state: "revoked" }],
    ["person.ended", admin, { personId: 1 }, { status: "active" }, { status: "ended" }],
  ];
  const expected = records.map(([action, actor, target, from, to]) => ({
    action,
    actor,
    target,
    ...(from && { from }),
    ...(to && { to }),
  }));
  const found = json
    .toReversed()
    .map(
      ({ number: _, timestamp: __, ...record }: Recorded & { number: number; timestamp: string }) => record,
    );
  assert.deepEqual(found, expected);
  for (const secret of [...codes, key.slice(13), second.key.slice(13)]) assert.ok(!text.includes(secret));
});

test("a refused request of a person leaves no record", async (t) => {
  const app = await startApp(t);
  const { call } = app;
  const { key, person } = await joinAs(app, { name: "Maria", access: "manage" });
  const count = async () => column((await call("GET", "/audit?limit=100")).json, "action").length;
  const before = await count();
  await call("PATCH", `/people/${person.id}`, { body: { name: "Maria" } });
  await call("PATCH", `/people/${person.id}`, { body: { shelterId: 9 } });
  await call("POST", "/invitations", { body: { name: "Jo", access: "admin", shelterId: 1 } });
  await call("POST", "/invitations", { key, body: { name: "Jo", access: "browse" } });
  await accept(call, { code: "wrong" });
  assert.equal(await count(), before);
});

test("people with hostile names are shown byte for byte", async (t) => {
  const app = await startApp(t);
  const { call } = app;
  const names = [
    "<script>alert(1)</script>",
    "\u202eevil",
    '"; DROP TABLE people; --',
    "Zoë 🐕‍🦺",
    "x".repeat(100),
  ];
  for (const name of names) {
    const { key, person } = await joinAs(app, { name, access: "manage" });
    assert.equal(person.name, name);
    assert.equal((await call("GET", "/usage", { key })).json.person.name, name);
    const { id } = (await call("POST", "/pets", { key, body: { name: "Rex", categoryId: 1 } })).json;
    const history = await call("GET", `/pets/${id}/history`);
    assert.equal(history.json[0].person.name, name);
    assert.match(history.headers["content-type"] ?? "", /^application\/json/);
  }
  assert.deepEqual(column((await call("GET", "/people?limit=100")).json, "name"), names);
});
