// updatePet, deletePet and the allowed transitions of an animal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const STATUSES = ["available", "pending", "sold"] as const;
const ALLOWED = new Set([
  "available pending",
  "available sold",
  "pending available",
  "pending sold",
  "sold available",
]);

test("PATCH /pets/{petId}", async (t) => {
  const { call } = await startApp(t);
  const create = async (status = "available") =>
    (await call("POST", "/pets", { body: { name: "Rex", categoryId: 3, status } })).json;

  await t.test("changes the given members and keeps the others", async () => {
    const { id } = await create();
    const renamed = await call("PATCH", `/pets/${id}`, { body: { name: "  Luna  " } });
    assertCommon(renamed);
    assert.equal(renamed.status, 200);
    assert.equal(renamed.text, `{"id":${id},"name":"Luna","categoryId":3,"status":"available"}`);
    const moved = await call("PATCH", `/pets/${id}`, { body: '{"categoryId": 9007199254740993}' });
    const expected = `{"id":${id},"name":"Luna","categoryId":9007199254740993,"status":"available"}`;
    assert.equal(moved.text, expected);
    assert.equal((await call("GET", `/pets/${id}`)).text, expected);
  });

  await t.test("shows the change in the next list", async () => {
    const { id } = await create();
    await call("GET", "/pets?status=sold");
    await call("PATCH", `/pets/${id}`, { body: { status: "sold" } });
    const listed = await call("GET", "/pets?status=sold&limit=100");
    assert.ok(listed.json.some((pet: { id: number }) => pet.id === id));
  });

  for (const from of STATUSES) {
    for (const to of STATUSES) {
      const isAllowed = from === to || ALLOWED.has(`${from} ${to}`);
      await t.test(`${isAllowed ? "allows" : "rejects"} ${from} → ${to}`, async () => {
        const { id } = await create(from);
        const answer = await call("PATCH", `/pets/${id}`, { body: { status: to } });
        if (isAllowed) assert.equal(answer.json.status, to, answer.text);
        else {
          const message = `The animal is ${from} and cannot become ${to}: it can become only available.`;
          assertError(answer, "invalid_transition", message);
          assert.equal((await call("GET", `/pets/${id}`)).json.status, from);
        }
      });
    }
  }

  await t.test("changes nothing when one of the changes is rejected", async () => {
    const pet = await create("sold");
    const answer = await call("PATCH", `/pets/${pet.id}`, { body: { name: "Luna", status: "pending" } });
    assertError(answer, "invalid_transition");
    assert.deepEqual((await call("GET", `/pets/${pet.id}`)).json, pet);
  });

  const rejected: Record<string, [unknown, RegExp]> = {
    "no member": [{}, /^at least one of name, categoryId, status is required$/],
    "only unknown members": [
      { nmae: "Rex", "a\u202eb": 1 },
      /^at least one of name, categoryId, status is required, but the body has only "nmae", "a\\u202eb"$/,
    ],
    "many long unknown members": [
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}${"x".repeat(100)}`, 1])),
      /^at least one of name, categoryId, status is required, but the body has only "0x{59}…", .* and 2 more$/,
    ],
    "unknown members only": [{ id: 9, colour: "red" }, /at least one of/],
    "null for a name": [{ name: null }, /^name must be 1 to 255 characters/],
    "an empty name": [{ name: "  " }, /^name must be/],
    "an unknown status": [{ status: "Sold" }, /^status must be one of available, pending, sold$/],
    "several errors": [
      { name: 1, categoryId: "3", status: "x" },
      /name must .*; categoryId must .*; status must /,
    ],
    "a list": [[], /^The body must be an object$/],
  };
  for (const [what, [body, message]] of Object.entries(rejected)) {
    await t.test(`rejects ${what} with 400`, async () => {
      const { id } = await create();
      assertError(await call("PATCH", `/pets/${id}`, { body }), "invalid_body", message);
    });
  }

  for (const id of ["999999", "0", "-1", "abc", "1.5", "9223372036854775808"]) {
    await t.test(`responds to /pets/${id} with 404`, async () => {
      assertError(await call("PATCH", `/pets/${id}`, { body: { name: "Luna" } }), "pet_not_found");
      assertError(await call("DELETE", `/pets/${id}`), "pet_not_found");
    });
  }

  await t.test("rejects a change of status with 409 while an order is open", async () => {
    const { id } = await create();
    const order = (await call("POST", "/store/orders", { body: { petId: id } })).json;
    const message = `The animal has an open order: deliver or cancel order ${order.id} first.`;
    for (const status of ["available", "sold"])
      assertError(await call("PATCH", `/pets/${id}`, { body: { status } }), "pet_has_open_order", message);
    assert.equal((await call("PATCH", `/pets/${id}`, { body: { status: "pending" } })).status, 200);
    assert.equal((await call("PATCH", `/pets/${id}`, { body: { name: "Luna" } })).json.status, "pending");
    await call("PATCH", `/store/orders/${order.id}`, { body: { status: "cancelled" } });
    assert.equal((await call("PATCH", `/pets/${id}`, { body: { status: "sold" } })).json.status, "sold");
  });
});

test("DELETE /pets/{petId}", async (t) => {
  const { call } = await startApp(t);
  const create = async () => (await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } })).json.id;

  await t.test("responds with 204 without a body, then with 404", async () => {
    const id = await create();
    const gone = await call("DELETE", `/pets/${id}`);
    assertCommon(gone);
    assert.deepEqual([gone.status, gone.text], [204, ""]);
    assertError(await call("DELETE", `/pets/${id}`), "pet_not_found");
    assertError(await call("GET", `/pets/${id}`), "pet_not_found");
    assert.deepEqual((await call("GET", "/pets")).json, []);
  });

  await t.test("never assigns the id again", async () => {
    const id = await create();
    await call("DELETE", `/pets/${id}`);
    assert.ok((await create()) > id);
  });

  await t.test("rejects with 409 while an order is open, and keeps closed orders", async () => {
    const petId = await create();
    const { id } = (await call("POST", "/store/orders", { body: { petId } })).json;
    const message = `The animal has an open order: deliver or cancel order ${id} first.`;
    assertError(await call("DELETE", `/pets/${petId}`), "pet_has_open_order", message);
    await call("PATCH", `/store/orders/${id}`, { body: { status: "approved" } });
    assertError(await call("DELETE", `/pets/${petId}`), "pet_has_open_order", message);
    await call("PATCH", `/store/orders/${id}`, { body: { status: "delivered" } });
    assert.equal((await call("DELETE", `/pets/${petId}`)).status, 204);
    assert.equal((await call("GET", `/store/orders/${id}`)).json.petId, petId);
    const returned = await call("PATCH", `/store/orders/${id}`, { body: { status: "returned" } });
    assert.equal(returned.json.status, "returned", "an order can be returned after its animal was deleted");
  });

  await t.test("accepts one of two concurrent requests", async () => {
    const id = await create();
    const answers = await Promise.all([call("DELETE", `/pets/${id}`), call("DELETE", `/pets/${id}`)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
  });
});

test("Changes of animals and their history require access manage", async (t) => {
  const { call, createKey } = await startApp(t);
  const { id } = (await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } })).json;
  for (const access of ["browse", "adopt"]) {
    const { key } = await createKey({ access });
    for (const [method, path] of [
      ["PATCH", `/pets/${id}`],
      ["DELETE", `/pets/${id}`],
      ["GET", `/pets/${id}/history`],
    ] as const) {
      const answer = await call(method, path, { key, body: method === "PATCH" ? { name: "x" } : undefined });
      assertError(answer, "insufficient_access");
      assert.match(answer.headers["www-authenticate"] ?? "", /scope="manage"$/);
    }
  }
});
