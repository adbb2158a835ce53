// listPeople, updatePerson, endPerson: a person's rights hold for all their devices.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, codeOf, joinAs } from "../harness/clients/people.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const PET = { name: "Rex", categoryId: 3 };

test("GET /people", async (t) => {
  const app = await startApp(t);
  const { call, clock } = app;

  await t.test("lists everybody who has accepted, in pages, with what their devices say", async () => {
    assert.equal((await call("GET", "/people")).text, "[]");
    const maria = await joinAs(app, { name: "Maria", access: "manage" });
    const jo = await joinAs(app, { name: "Jo", access: "browse" });
    const first = await call("GET", "/people?limit=1");
    assertCommon(first);
    assert.deepEqual(first.json, [maria.person]);
    const next = /<[^>]*\/v1([^>]*)>; rel="next"/.exec(first.headers.link ?? "")?.[1] ?? "";
    assert.deepEqual((await call("GET", next)).json, [jo.person]);
  });

  await t.test("says when a person was last seen", async () => {
    const { key, person } = await joinAs(app, { name: "Ada", access: "browse" });
    assert.equal(person.lastUsedAt, undefined);
    clock.advance(61_000);
    await call("GET", "/usage", { key });
    const readAda = async () => (await call("GET", "/people")).json.at(-1);
    // A use is stored without waiting.
    while ((await readAda()).lastUsedAt === undefined);
    assert.deepEqual(await readAda(), { ...person, lastUsedAt: new Date(clock.nowMs()).toISOString() });
  });
});

test("PATCH /people/{personId}", async (t) => {
  const app = await startApp(t);
  const { call } = app;
  const { key, person } = await joinAs(app, { name: "Maria", access: "browse" });
  const path = `/people/${person.id}`;
  const addPet = () => call("POST", "/pets", { key, body: PET });

  await t.test("changes the rights of every device with its next request", async () => {
    assertError(await addPet(), "insufficient_access");
    const changed = await call("PATCH", path, { body: { access: "manage", name: " Mia " } });
    // A use is stored without waiting, perhaps after this answer.
    const { lastUsedAt: _, ...mia } = changed.json;
    assert.deepEqual(mia, { ...person, access: "manage", name: "Mia" });
    assert.equal((await addPet()).status, 201);
    assert.deepEqual((await call("GET", "/usage", { key })).json.person, { id: person.id, name: "Mia" });
    await call("PATCH", path, { body: { access: "adopt" } });
    assertError(await addPet(), "insufficient_access");
  });

  await t.test("moves the person to a shelter, and back to the whole network", async () => {
    const { id } = (await call("POST", "/shelters", { body: { name: "Riverside" } })).json;
    const { json } = await call("PATCH", path, { body: { access: "manage", shelterId: id } });
    assert.equal(json.shelterId, id);
    assertError(await call("PATCH", "/pets/1", { key, body: { name: "Rexi" } }), "other_shelter");
    assert.equal((await addPet()).status, 201);
    assert.equal((await call("PATCH", path, { body: { shelterId: null } })).json.shelterId, undefined);
    assert.equal((await call("PATCH", "/pets/1", { key, body: { name: "Rexi" } })).status, 200);
  });

  const rejected = {
    "no member": {},
    "an empty name": { name: " " },
    "a name with a control character": { name: "Ma\u0007ria" },
    "an unknown access": { access: "owner" },
    "an admin of one shelter": { access: "admin", shelterId: 1 },
    "an unknown shelter": { shelterId: 99 },
    "a name of 101 characters": { name: "x".repeat(101) },
  };
  for (const [what, body] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await call("PATCH", path, { body }), "invalid_body");
    });

  await t.test("answers 404 for a person that does not exist", async () => {
    for (const id of ["99", "abc", "9223372036854775808"])
      assertError(await call("PATCH", `/people/${id}`, { body: { name: "x" } }), "person_not_found");
  });
});

test("DELETE /people/{personId}", async (t) => {
  const app = await startApp(t);
  const { call } = app;
  const { key, person } = await joinAs(app, { name: "Maria", access: "manage" });
  const path = `/people/${person.id}`;

  await t.test("ends every device, link and invitation of the person", async () => {
    const { url: link } = (await call("POST", "/session/link", { key })).json;
    const { url } = (await call("POST", "/invitations", { body: { personId: person.id } })).json;
    const second = (
      await accept(call, { code: codeOf((await call("POST", "/session/link", { key })).json.url) })
    ).json;
    const answer = await call("DELETE", path);
    assertCommon(answer);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    for (const each of [key, second.key])
      assertError(await call("GET", "/pets", { key: each }), "invalid_api_key");
    for (const each of [link, url])
      assertError(await accept(call, { code: codeOf(each) }), "invitation_not_found");
    const [listed] = (await call("GET", "/people")).json;
    assert.deepEqual([listed.status, listed.devices], ["ended", 0]);
  });

  await t.test("answers 404 for a person who has ended, and for all further changes", async () => {
    assertError(await call("DELETE", path), "person_not_found");
    assertError(await call("PATCH", path, { body: { name: "x" } }), "person_not_found");
    assertError(await call("POST", "/invitations", { body: { personId: person.id } }), "person_not_found");
    assertError(await call("DELETE", "/people/99"), "person_not_found");
  });
});
