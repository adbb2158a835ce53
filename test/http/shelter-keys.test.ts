// Keys of a shelter: the animals, orders, events and streams that they may change and see.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openEventStream } from "../harness/clients/event-stream.ts";
import { column, nextPath } from "../harness/clients/pages.ts";
import { assertError } from "./assertions.ts";
import { BERLIN, startNetwork, UNKNOWN } from "./network.ts";

test("Keys of a shelter", async (t) => {
  const { call, createKey, addPet, addShelter } = await startNetwork(t);
  const shelterId = await addShelter();
  const key = await createKey({ shelterId });
  const as = (method: string, path: string, body?: unknown) => call(method, path, { key, body });

  await t.test("create animals in their shelter, on both paths, and read everything", async () => {
    const body = { name: "Rex", categoryId: 3 };
    const { id } = (await as("POST", "/pets", body)).json;
    const again = await call("POST", "/pets", { key, body, headers: { "idempotency-key": "rex" } });
    for (const petId of [id, again.json.id])
      assert.equal((await as("GET", `/listings/${petId}`)).json.shelter.id, shelterId);
    const foreign = await addPet();
    assert.equal((await as("GET", `/pets/${foreign.id}`)).status, 200);
    assert.equal((await as("GET", "/listings")).json.length, 3);
  });

  await t.test("see only the orders for animals of their shelter, in full pages and counts", async () => {
    const orders: Record<string, number[]> = { own: [], foreign: [] };
    for (let each = 0; each < 4; each++) {
      const own = (await as("POST", "/pets", { name: "Own", categoryId: 3 })).json.id;
      const foreign = (await addPet()).id;
      orders.own?.push((await as("POST", "/store/orders", { petId: own })).json.id);
      orders.foreign?.push((await call("POST", "/store/orders", { body: { petId: foreign } })).json.id);
    }
    const first = await as("GET", "/store/orders?limit=3");
    assert.equal(first.json.length, 3, "foreign orders do not shorten a page");
    const second = await as("GET", nextPath(first));
    assert.deepEqual(column([...first.json, ...second.json], "id"), orders.own);
    assert.equal((await as("GET", "/store/order-counts")).json.placed, 4);
    assert.deepEqual((await as("GET", "/store/orders?shelterId=1")).json, []);
    const ofFirst = await call("GET", "/store/orders?shelterId=1");
    assert.deepEqual(column(ofFirst.json, "id"), orders.foreign);
    const [foreign] = orders.foreign ?? [];
    assertError(await as("GET", `/store/orders/${foreign}`), "order_not_found");
    assertError(await as("PATCH", `/store/orders/${foreign}`, { status: "approved" }), "order_not_found");
    assertError(await call("GET", "/store/orders?shelterId=1.5"), "invalid_parameter");
    const { petId } = ofFirst.json[0];
    const kinds = async (key?: string) =>
      column((await call("GET", `/pets/${petId}/history`, key === undefined ? {} : { key })).json, "what");
    assert.deepEqual(await kinds(), ["pet.created", "pet.updated", "order.created"]);
    assert.deepEqual(await kinds(key), ["pet.created", "pet.updated"]);
  });

  await t.test("get the events of all animals and shelters, and of the orders they see", async () => {
    const visible = (await as("GET", "/events?type=order.*&limit=100")).json;
    const { json: orders } = await as("GET", "/store/orders?limit=100");
    const ids = (events: Array<{ data: { order: { id: number } } }>) =>
      events.map(({ data }) => data.order.id);
    assert.deepEqual(ids(visible), column(orders, "id"));
    assert.equal((await call("GET", "/events?type=order.*&limit=100")).json.length, 8);
    assert.equal((await as("GET", "/events?type=pet.*&limit=100")).json.length, 19);
    const [created] = (await as("GET", "/events?type=shelter.*")).json;
    assert.deepEqual([created.type, created.data.shelter.id], ["shelter.created", shelterId]);
    assert.deepEqual((await as("GET", "/events?type=shelter.*&petId=1")).json, [], "of no animal");
  });
});

test("The shelter of a key", async (t) => {
  const { call, createKey, addShelter, clock, move } = await startNetwork(t);
  const shelterId = await addShelter();
  const key = await createKey({ shelterId });
  const as = (method: string, path: string, body?: unknown) => call(method, path, { key, body });

  await t.test("`shelterId` is an existing shelter, and not for admin keys", async () => {
    const create = (settings: object) =>
      call("POST", "/keys", { body: { name: "x", plan: "free", ...settings } });
    assertError(await create({ shelterId: 9_999 }), "invalid_body", /^shelterId/);
    assertError(await create({ shelterId: "2" }), "invalid_body", /^shelterId/);
    assertError(await create({ shelterId, access: "admin" }), "invalid_body", /^shelterId/);
    for (const none of [{ shelterId: null }, { shelterId: null, access: "admin" }])
      assert.equal("shelterId" in (await create(none)).json, false);
    const { id, ...created } = (await create({ shelterId })).json;
    assert.equal(created.shelterId, shelterId);
    const update = (body: object) => call("PATCH", `/keys/${id}`, { body });
    assertError(await update({ access: "admin" }), "invalid_body", /^shelterId .* set it to null/);
    assert.equal((await update({ access: "admin", shelterId: null })).status, 200);
    await update({ access: "manage", shelterId });
    assertError(await update({ shelterId: 9_999 }), "invalid_body", /^shelterId/);
    assert.equal((await update({ shelterId: 1 })).json.shelterId, 1);
    assert.equal("shelterId" in (await update({ shelterId: null })).json, false);
    assert.equal((await update({ access: "admin" })).status, 200);
  });

  await t.test("a key that moves to another shelter has its rights with the next request", async () => {
    const { id } = (await as("POST", "/pets", { name: "Rex", categoryId: 3 })).json;
    const [{ id: keyId }] = (await call("GET", "/keys")).json;
    assert.equal((await as("PATCH", `/pets/${id}`, { name: "Luna" })).status, 200);
    await call("PATCH", `/keys/${keyId}`, { body: { shelterId: 1 } });
    assertError(await as("PATCH", `/pets/${id}`, { name: "Minka" }), "other_shelter");
    await move(id, 1);
    assert.equal((await as("PATCH", `/pets/${id}`, { name: "Minka" })).status, 200);
    await call("PATCH", `/keys/${keyId}`, { body: { shelterId } });
  });

  await t.test("change their shelter with `manage`; without a shelter, `admin` is needed", async () => {
    const path = `/shelters/${shelterId}`;
    assert.equal((await as("PATCH", path, { phone: "1" })).json.phone, "1");
    assertError(await as("PATCH", "/shelters/1", { phone: "1" }), "other_shelter");
    assertError(await as("PATCH", `/shelters/${UNKNOWN}`, { phone: "1" }), "shelter_not_found");
    const network = await createKey({});
    const refused = await call("PATCH", path, { key: network, body: { phone: "2" } });
    assertError(refused, "insufficient_access", /"manage"; this operation needs "admin"/);
    assert.match(refused.headers["www-authenticate"] ?? "", /scope="admin"$/);
    for (const access of ["browse", "adopt"]) {
      const low = await createKey({ shelterId, access });
      assertError(await call("PATCH", path, { key: low, body: { phone: "2" } }), "insufficient_access");
    }
  });

  await t.test("changes of a shelter are in the events and in the audit log", async () => {
    clock.advance(1_000);
    const id = await addShelter({ name: "Short", location: BERLIN });
    await call("PATCH", `/shelters/${id}`, { body: { name: "Brief", location: null, about: "new" } });
    await call("DELETE", `/shelters/${id}`);
    const events = (await call("GET", "/events?type=shelter.*&limit=100")).json.slice(-3);
    assert.deepEqual(column(events, "type"), ["shelter.created", "shelter.updated", "shelter.deleted"]);
    const [created, updated, deleted] = column(events, "data");
    assert.deepEqual([created.shelter.name, created.shelter.location], ["Short", BERLIN]);
    assert.equal("previous" in created, false);
    assert.deepEqual(updated.previous, { name: "Short", location: BERLIN });
    assert.equal(updated.shelter.about, "new");
    assert.deepEqual(deleted.shelter, updated.shelter);
    const records = (await call("GET", "/audit?limit=3")).json;
    assert.deepEqual(column(records, "action"), ["shelter.deleted", "shelter.updated", "shelter.created"]);
    assert.deepEqual(column(records, "target"), [{ shelterId: id }, { shelterId: id }, { shelterId: id }]);
    assert.deepEqual(records[1].from, { name: "Short", about: null, location: BERLIN });
    assert.deepEqual(records[1].to, { name: "Brief", about: "new", location: null });
    assert.deepEqual(records[2].to, { name: "Short", location: BERLIN });
  });
});

test("Streams of keys of two shelters", { timeout: 120_000 }, async (t) => {
  const { call, url, addShelter, createKey } = await startNetwork(t);
  const shelters = [await addShelter(), await addShelter()];
  const keys: string[] = [];
  for (const shelterId of shelters) keys.push(await createKey({ shelterId }));
  const open = async (key: string) => {
    const stream = await openEventStream(`${url}/v1/events/stream?after=now&type=order.*`, { key });
    t.after(stream.close);
    await stream.next();
    return stream;
  };
  const streams = [await open(keys[0] as string), await open(keys[1] as string)];
  const order = async (key: string): Promise<number> => {
    const pet = await call("POST", "/pets", { key, body: { name: "Rex", categoryId: 3 } });
    return (await call("POST", "/store/orders", { key, body: { petId: pet.json.id } })).json.id;
  };

  await t.test("each gets the orders of its shelter only", async () => {
    for (const [index, key] of keys.entries()) {
      const id = await order(key);
      const { data = "" } = (await streams[index]?.next(true)) ?? {};
      assert.equal(JSON.parse(data).data.order.id, id);
    }
  });

  await t.test("a stream ends when its key gets another shelter", async () => {
    const [{ id }] = (await call("GET", "/keys")).json;
    const another = await createKey({ shelterId: shelters[0] });
    await call("PATCH", `/keys/${id}`, { body: { shelterId: shelters[1] } });
    await order(another);
    await assert.rejects(async () => streams[0]?.next(true), "no order after the move");
    await order(keys[1] as string);
    assert.equal((await streams[1]?.next(true))?.event, "order.created");
  });
});
