// listShelters, createShelter, getShelter, updateShelter, deleteShelter.

import assert from "node:assert/strict";
import { test } from "node:test";
import { column, nextPath, walkAll } from "../harness/clients/pages.ts";
import { assertCommon, assertError } from "./assertions.ts";
import { startNetwork, UNKNOWN } from "./network.ts";

test("Shelters", async (t) => {
  const { call, clock, addShelter } = await startNetwork(t);
  const patch = (id: number | string, body: object, headers = {}) =>
    call("PATCH", `/shelters/${id}`, { body, headers });

  await t.test("a new store has one shelter, to which every animal belongs", async () => {
    const { json } = await call("GET", "/shelters");
    assert.deepEqual(column(json, "id"), [1]);
    assert.equal(json[0].name, "Our shelter");
  });

  await t.test("POST creates a shelter with 201 and its location", async () => {
    const body = {
      openingHours: "Mon\nTue",
      location: { longitude: -0, latitude: 52.5 },
      address: { country: "DE", city: " Berlin " },
      adoptUrl: "https://riverside.example/adopt",
      email: "hello@riverside.example",
      phone: " 123 ",
      about: "",
      name: " Riverside ",
      id: 7,
      unknown: true,
    };
    const created = await call("POST", "/shelters", { body });
    assertCommon(created);
    assert.equal(created.status, 201);
    assert.match(created.headers.location ?? "", /\/v1\/shelters\/2$/);
    const at = new Date(clock.nowMs()).toISOString();
    const text = `{"id":2,"name":"Riverside","createdAt":"${at}","updatedAt":"${at}","about":"","email":"hello@riverside.example","phone":"123","adoptUrl":"https://riverside.example/adopt","address":{"city":"Berlin","country":"DE"},"location":{"latitude":52.5,"longitude":0},"openingHours":"Mon\\nTue"}`;
    assert.equal(created.text, text);
    assert.equal((await call("GET", "/shelters/2")).text, text);
  });

  await t.test("PATCH merges, removes members with null, and replaces address and location", async () => {
    const before = (await call("GET", "/shelters/2")).json;
    clock.advance(1_000);
    const changed = await patch(2, { phone: null, address: { street: "Uferweg 1" }, name: "River" });
    const { phone, ...kept } = before;
    const updatedAt = new Date(clock.nowMs()).toISOString();
    const expected = { ...kept, name: "River", address: { street: "Uferweg 1" }, updatedAt };
    assert.deepEqual(changed.json, expected);
    assert.equal(changed.headers.etag, (await call("GET", "/shelters/2")).headers.etag);
    clock.advance(1_000);
    assert.deepEqual((await patch(2, { name: "River " })).json, expected, "nothing has changed");
  });

  await t.test("If-Match restricts PATCH and DELETE to the state that the client has seen", async () => {
    const id = await addShelter();
    const { etag = "" } = (await call("GET", `/shelters/${id}`)).headers;
    assert.equal((await patch(id, { about: "one" }, { "if-match": etag })).status, 200);
    assertError(await patch(id, { about: "two" }, { "if-match": etag }), "precondition_failed");
    const remove = (ifMatch: string) =>
      call("DELETE", `/shelters/${id}`, { headers: { "if-match": ifMatch } });
    assertError(await remove(etag), "precondition_failed");
    const { headers, json } = await call("GET", `/shelters/${id}`);
    assert.equal(json.about, "one");
    assert.equal((await remove(headers.etag ?? "")).status, 204);
    assertError(await call("GET", `/shelters/${id}`), "shelter_not_found");
  });

  await t.test("GET lists shelters by id, in pages, conditionally", async () => {
    for (let each = 0; each < 4; each++) await addShelter();
    const first = await call("GET", "/shelters?limit=3");
    const second = await call("GET", nextPath(first));
    const ids = column([...first.json, ...second.json], "id");
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => one - other),
    );
    assert.equal(new Set(ids).size, 6);
    assert.equal(nextPath(second), "");
    const headers = { "if-none-match": first.headers.etag ?? "" };
    assert.equal((await call("GET", "/shelters?limit=3", { headers })).status, 304);
    assertError(await call("GET", "/shelters?cursor=x"), "invalid_cursor");
  });

  await t.test("the same POST with an Idempotency-Key creates one shelter", async () => {
    const send = () =>
      call("POST", "/shelters", { body: { name: "Once" }, headers: { "idempotency-key": "once" } });
    const [first, again] = [await send(), await send()];
    assert.equal(again.text, first.text);
    assert.equal(again.headers["idempotent-replayed"], "true");
    const names = column(await walkAll((path) => call("GET", path), "/shelters"), "name");
    assert.equal(names.filter((name) => name === "Once").length, 1);
  });

  for (const id of [UNKNOWN, "abc", "1.5", "9223372036854775808"])
    await t.test(`responds to /shelters/${id} with 404`, async () => {
      assertError(await call("GET", `/shelters/${id}`), "shelter_not_found");
      assertError(await patch(id, { name: "Riverside" }), "shelter_not_found");
      assertError(await call("DELETE", `/shelters/${id}`), "shelter_not_found");
    });

  await t.test("DELETE refuses the first shelter", async () => {
    assertError(await call("DELETE", "/shelters/1"), "shelter_in_use");
  });
});

test("Members of a shelter", async (t) => {
  const { call } = await startNetwork(t);
  const patch = (id: number, body: object) => call("PATCH", `/shelters/${id}`, { body });

  const long = "x".repeat(255);
  const rejected: Record<string, unknown[]> = {
    name: ["", " ", "x".repeat(101), "a\nb", 5, null],
    about: ["x".repeat(2_001), "a\u0000"],
    email: ["a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n", "a\u0000@b", `${long.slice(4)}@b.c`],
    phone: ["", "x".repeat(41)],
    website: ["http://a.example", "https://", "ftp://a", "https://a.example/<script>", "javascript:alert(1)"],
    adoptUrl: ["http://a.example"],
    address: [[], "Berlin", { city: "" }, { street: "x".repeat(101) }, { country: "de" }, { city: null }],
    location: [
      {},
      { latitude: 1 },
      { latitude: "52.5", longitude: 13 },
      { latitude: 90.0001, longitude: 0 },
      { latitude: 0, longitude: -180.5 },
      { latitude: null, longitude: 0 },
      { latitude: [1], longitude: 0 },
    ],
    openingHours: ["x".repeat(501)],
  };
  for (const [member, values] of Object.entries(rejected))
    await t.test(`rejects a wrong ${member} with 400`, async () => {
      for (const value of values) {
        const body = { name: "Riverside", [member]: value };
        assertError(await call("POST", "/shelters", { body }), "invalid_body", new RegExp(`^${member} `));
        if (value !== null || member === "name")
          assertError(await patch(1, { [member]: value }), "invalid_body");
      }
    });

  await t.test("rejects numbers that JSON does not have, and a place beyond every number", async () => {
    const send = (latitude: string) =>
      call("POST", "/shelters", { body: `{"name":"x","location":{"latitude":${latitude},"longitude":0}}` });
    for (const latitude of ["NaN", "Infinity", "+1", "0x10"])
      assertError(await send(latitude), "invalid_json");
    for (const latitude of ["1e999", "-1e999", "123456789012345678901234567890"])
      assertError(await send(latitude), "invalid_body", /^location /);
  });

  await t.test("accepts the ends of the scale, and both ends of the longitude", async () => {
    for (const location of [
      { latitude: 90, longitude: 180 },
      { latitude: -90, longitude: -180 },
      { latitude: 1.5e1, longitude: 0.1 },
    ]) {
      const { json } = await patch(1, { location });
      assert.deepEqual(json.location, location);
    }
    assert.equal("location" in (await patch(1, { location: null })).json, false);
    await patch(1, { address: { city: "Köln" } });
    assert.equal("address" in (await patch(1, { address: {} })).json, false);
    const email = `${"é".repeat(250)}@b.c`;
    assert.equal((await patch(1, { email })).json.email, email);
    assertError(await patch(1, {}), "invalid_body", /^at least one of name, about/);
  });
});

test("A shelter is deleted only without animals and without keys", async (t) => {
  const { call, addPet, addShelter, createKey, move } = await startNetwork(t);
  const id = await addShelter();
  const pet = await addPet();
  await move(pet.id, id);
  assertError(await call("DELETE", `/shelters/${id}`), "shelter_in_use");
  await move(pet.id, 1);
  await createKey({ shelterId: id });
  assertError(await call("DELETE", `/shelters/${id}`), "shelter_in_use");
  const [key] = (await call("GET", "/keys")).json;
  assert.equal(key.shelterId, id);
  assert.equal((await call("DELETE", `/keys/${key.id}`)).status, 204);
  assert.equal((await call("DELETE", `/shelters/${id}`)).status, 204);
  assertError(await call("DELETE", `/shelters/${id}`), "shelter_not_found");
  const revoked = (await call("GET", `/keys/${key.id}`)).json;
  assert.deepEqual([revoked.state, revoked.shelterId], ["revoked", id], "as it was");
});
