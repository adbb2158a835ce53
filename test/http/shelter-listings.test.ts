// The shelter of an animal: listings by shelter and by distance, and moving to another one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { column, nextPath } from "../harness/clients/pages.ts";
import { assertError } from "./assertions.ts";
import { BERLIN, POTSDAM, startNetwork, UNKNOWN } from "./network.ts";

test("Listings of shelters", async (t) => {
  const { call, addPet, addShelter, move } = await startNetwork(t);
  const berlin = await addShelter({ name: "Berlin", location: BERLIN, address: { city: "Berlin" } });
  const potsdam = await addShelter({ name: "Potsdam", location: POTSDAM });
  const rex = (await addPet({ name: "Rex" })).id;
  const luna = (await addPet({ name: "Luna" })).id;
  const minka = (await addPet({ name: "Minka" })).id;
  await move(luna, berlin);
  await move(minka, potsdam);
  const find = async (query: string) => {
    const answer = await call("GET", `/listings?sort=oldest&${query}`);
    assert.equal(answer.status, 200, answer.text);
    const counted = await call("GET", `/listings/count?${query}`);
    assert.equal(counted.json.count, answer.json.length);
    return column(answer.json, "id");
  };

  await t.test("a listing names its shelter and its city, if it is known", async () => {
    const shelterOf = async (id: number) => (await call("GET", `/listings/${id}`)).json.shelter;
    assert.deepEqual(await shelterOf(rex), { id: 1, name: "Our shelter" });
    assert.deepEqual(await shelterOf(luna), { id: berlin, name: "Berlin", city: "Berlin" });
    const before = await call("GET", "/listings?sort=oldest");
    assert.deepEqual(before.json[1].shelter, await shelterOf(luna));
    await call("PATCH", `/shelters/${berlin}`, { body: { name: "Berlin Mitte" } });
    const renamed = (await call("GET", "/listings?sort=oldest")).json[1];
    assert.equal(renamed.shelter.name, "Berlin Mitte");
    assert.equal(renamed.updatedAt, before.json[1].updatedAt, "the animal itself has not changed");
  });

  await t.test("shelterId, near and within filter lists and counts", async () => {
    assert.deepEqual(await find(`shelterId=${berlin}`), [luna]);
    assert.deepEqual(await find(`shelterId=1,${potsdam},${potsdam}`), [rex, minka]);
    assert.deepEqual(await find(`shelterId=${UNKNOWN}`), []);
    const near = `near=${BERLIN.latitude},${BERLIN.longitude}`;
    assert.deepEqual(await find(near), [luna, minka]);
    assert.deepEqual(await find(`${near}&within=20`), [luna]);
    assert.deepEqual(await find(`${near}&within=27`), [luna]);
    assert.deepEqual(await find(`${near}&within=27.5`), [luna, minka]);
    assert.deepEqual(await find(`${near}&shelterId=${potsdam}`), [minka]);
    assert.deepEqual(await find(`${near}&within=20&shelterId=${potsdam}`), []);
    assert.deepEqual(await find("near=-52,0"), []);
    assert.deepEqual(column((await call("GET", `/shelters?${near}`)).json, "id"), [berlin, potsdam]);
    assert.deepEqual(column((await call("GET", `/shelters?${near}&within=5`)).json, "id"), [berlin]);
  });

  await t.test("a cached page follows the place of its shelter", async () => {
    const query = "near=0,180&within=10";
    assert.deepEqual(await find(query), []);
    await call("PATCH", `/shelters/${potsdam}`, { body: { location: { latitude: 0, longitude: -180 } } });
    assert.deepEqual(await find(query), [minka]);
    await call("PATCH", `/shelters/${potsdam}`, { body: { location: POTSDAM } });
    assert.deepEqual(await find(query), []);
  });

  await t.test("a cursor belongs to its filters, and links repeat them in one form", async () => {
    const first = await call("GET", "/listings?near=52.50,13.4&within=50&limit=1");
    const next = nextPath(first);
    assert.match(next, /[?&]near=52\.5,13\.4&within=50&/);
    assert.equal((await call("GET", next)).json.length, 1);
    assert.equal((await call("GET", next.replace("&within=50", ""))).status, 200, "50 km is the default");
    for (const other of [
      "near=52.5,13.4&within=51",
      "near=52.5,13.5&within=50",
      `shelterId=${berlin}&near=52.5,13.4`,
    ])
      assertError(await call("GET", next.replace("near=52.5,13.4&within=50", other)), "invalid_cursor");
    const shelters = nextPath(await call("GET", "/shelters?near=52.5,13.4&limit=1"));
    assert.deepEqual(column((await call("GET", shelters)).json, "id"), [potsdam]);
    assertError(await call("GET", shelters.replace("within=50", "within=51")), "invalid_cursor");
  });

  await t.test("links with tiny coordinates can be followed", async () => {
    const nearZero = { location: { latitude: 0, longitude: 0 } };
    for (const id of [berlin, potsdam]) await call("PATCH", `/shelters/${id}`, { body: nearZero });
    const tiny = ["0.0000001,-0.0000001", `-0.${"0".repeat(19)}1,0.${"0".repeat(17)}123`];
    for (const near of tiny)
      for (const list of ["/listings", "/shelters"]) {
        const next = nextPath(await call("GET", `${list}?near=${near}&limit=1`));
        assert.equal((await call("GET", next)).json.length, 1, next);
      }
    await call("PATCH", `/shelters/${berlin}`, { body: { location: BERLIN } });
    await call("PATCH", `/shelters/${potsdam}`, { body: { location: POTSDAM } });
  });

  await t.test("accepts 20 shelters, and the ends of every scale", async () => {
    const many = Array.from({ length: 20 }, (_, each) => each + 1).join(",");
    assert.deepEqual(await find(`shelterId=${many}`), [rex, luna, minka]);
    for (const near of ["90,180", "-90,-180", "0,-0", "-0.0,180.0"])
      assert.deepEqual(await find(`near=${near}&within=1000`), []);
  });
});

test("Filters by shelter and distance that are malformed", async (t) => {
  const { call } = await startNetwork(t);

  const places = ["", "52", "52,13,1", "52;13", "a,b", "52,%2013", "%2B1,1", "90.1,0", "0,-180.1", "1e1,1"];
  const malformed = ["NaN,0", "01,1", "1.,1", ".5,1", "1,1&near=2,2"];
  const distances = ["0", "0.9", "1001", "", "1e2", "NaN", "5&within=5"];
  const rejected = [
    ...places.concat(malformed).map((near) => `near=${near}`),
    ...distances.map((within) => `near=1,1&within=${within}`),
    "within=50",
  ];
  for (const query of rejected)
    await t.test(`rejects ${query} with 400`, async () => {
      for (const path of ["/listings", "/listings/count", "/shelters"])
        assertError(await call("GET", `${path}?${query}`), "invalid_parameter", /near|within/);
    });

  for (const ids of [`${"1,".repeat(20)}1`, "a", "", "1,,2", "9223372036854775808", "1&shelterId=2"])
    await t.test(`rejects shelterId=${ids} with 400`, async () => {
      for (const path of ["/listings", "/listings/count"])
        assertError(await call("GET", `${path}?shelterId=${ids}`), "invalid_parameter", /^shelterId /);
    });
});

test("Moving an animal", async (t) => {
  const { call, addPet, addShelter, createKey, move } = await startNetwork(t);
  const one = await addShelter({ name: "One" });
  const two = await addShelter({ name: "Two" });
  const keys = { one: await createKey({ shelterId: one }), two: await createKey({ shelterId: two }) };
  const { id } = await addPet();
  await move(id, one);
  const order = (await call("POST", "/store/orders", { body: { petId: id } })).json;

  await t.test("its orders move along, and history and event say from where to where", async () => {
    const moved = await move(id, two);
    assert.deepEqual(moved.json.shelter, { id: two, name: "Two" });
    assert.equal((await call("GET", `/store/orders/${order.id}`, { key: keys.two })).status, 200);
    assertError(await call("GET", `/store/orders/${order.id}`, { key: keys.one }), "order_not_found");
    const history = (await call("GET", `/pets/${id}/history`)).json;
    const { what, from, to } = history.at(-1);
    assert.deepEqual([what, from.shelterId, to.shelterId], ["listing.updated", one, two]);
    const showing = history.filter(({ to }: { to: object }) => "shelterId" in to);
    assert.deepEqual(column(showing, "what"), ["listing.updated", "listing.updated"], "the two moves");
    const [event] = (await call("GET", `/events?type=listing.updated&petId=${id}`)).json.slice(-1);
    assert.deepEqual(event.data.listing.shelter, { id: two, name: "Two" });
  });

  await t.test("the same shelter again changes nothing", async () => {
    const before = (await call("GET", "/events?after=now")).headers.link;
    assert.equal((await move(id, two)).status, 200);
    assert.equal((await call("GET", "/events?after=now")).headers.link, before);
  });

  await t.test("rejects an unknown shelter and null with 400, and an unknown animal with 404", async () => {
    assertError(await move(id, 9_999), "invalid_body", /^shelterId: no shelter has the identifier 9999$/);
    assertError(await move(id, null), "invalid_body", /^shelterId/);
    assertError(await move(id, "2"), "invalid_body", /^shelterId/);
    assertError(await move(9_999, two), "pet_not_found");
    assertError(await move(id, two, keys.two), "other_shelter");
  });
});
