// updatePet, deletePet and the allowed transitions of an animal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const STATUSES = ["available", "pending", "sold"] as const;
const ALLOWED: Record<string, string[]> = {
  available: ["pending", "sold"],
  pending: ["available", "sold"],
  sold: ["available"],
};

test("PATCH /pets/{petId}", async (t) => {
  const { call, addPet } = await startApp(t);
  const patch = (id: number | string, body: unknown) => call("PATCH", `/pets/${id}`, { body });

  await t.test("changes the given members and keeps the others", async () => {
    const { id } = await addPet();
    const renamed = await patch(id, { name: "  Luna  " });
    assertCommon(renamed);
    assert.equal(renamed.status, 200);
    assert.equal(renamed.text, `{"id":${id},"name":"Luna","categoryId":3,"status":"available"}`);
    const moved = await patch(id, '{"categoryId": 9007199254740993}');
    assert.equal(moved.text, renamed.text.replace(":3,", ":9007199254740993,"));
    assert.equal((await call("GET", `/pets/${id}`)).text, moved.text);
  });

  for (const from of STATUSES)
    for (const to of STATUSES) {
      const isAllowed = from === to || ALLOWED[from]?.includes(to);
      await t.test(`${isAllowed ? "allows" : "rejects"} ${from} → ${to}`, async () => {
        const { id } = await addPet({ status: from });
        const answer = await patch(id, { status: to });
        if (isAllowed) return assert.equal(answer.json.status, to, answer.text);
        const message = `The animal is ${from} and cannot become ${to}: it can become only available.`;
        assertError(answer, "invalid_transition", message);
        assert.equal((await call("GET", `/pets/${id}`)).json.status, from);
      });
    }

  await t.test("changes nothing when one of the changes is rejected", async () => {
    const pet = await addPet({ status: "sold" });
    assertError(await patch(pet.id, { name: "Luna", status: "pending" }), "invalid_transition");
    assert.deepEqual((await call("GET", `/pets/${pet.id}`)).json, pet);
  });

  const oneOf = "at least one of name, categoryId, status is required";
  const longNames = Array.from({ length: 12 }, (_, i) => [`${i}${"x".repeat(100)}`, 1]);
  const rejected: Record<string, [unknown, RegExp | string]> = {
    "no member": [{}, oneOf],
    "only unknown members": [
      { nmae: "Rex", "a\u202eb": 1 },
      `${oneOf}, but the body has only "nmae", "a\\u202eb"`,
    ],
    "many long unknown members": [
      Object.fromEntries(longNames),
      new RegExp(`^${oneOf}, but the body has only "0x{59}…", .* and 2 more$`),
    ],
    "members that a client cannot set": [{ id: 9, colour: "red" }, /at least one of/],
    "null for a name": [{ name: null }, /^name must be 1 to 255 characters/],
    "an empty name": [{ name: "  " }, /^name must be/],
    "an unknown status": [{ status: "Sold" }, "status must be one of available, pending, sold"],
    "several errors": [
      { name: 1, categoryId: "3", status: "x" },
      /name must .*; categoryId must .*; status must /,
    ],
    "a list": [[], "The body must be an object"],
  };
  for (const [what, [body, message]] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await patch((await addPet()).id, body), "invalid_body", message);
    });

  for (const id of ["999999", "0", "-1", "abc", "1.5", "9223372036854775808"])
    await t.test(`responds to /pets/${id} with 404`, async () => {
      assertError(await patch(id, { name: "Luna" }), "pet_not_found");
      assertError(await call("DELETE", `/pets/${id}`), "pet_not_found");
    });

  await t.test("rejects a change of status with 409 while an order is open", async () => {
    const { id } = await addPet();
    const order = (await call("POST", "/store/orders", { body: { petId: id } })).json;
    const message = `The animal has an open order: deliver or cancel order ${order.id} first.`;
    for (const status of ["available", "sold"])
      assertError(await patch(id, { status }), "pet_has_open_order", message);
    assert.equal((await patch(id, { status: "pending" })).status, 200);
    assert.equal((await patch(id, { name: "Luna" })).json.status, "pending");
    await call("PATCH", `/store/orders/${order.id}`, { body: { status: "cancelled" } });
    assert.equal((await patch(id, { status: "sold" })).json.status, "sold");
  });
});

test("DELETE /pets/{petId}", async (t) => {
  const { call, addPet } = await startApp(t);

  await t.test("responds with 204 without a body, then with 404", async () => {
    const { id } = await addPet();
    const gone = await call("DELETE", `/pets/${id}`);
    assertCommon(gone);
    assert.deepEqual([gone.status, gone.text], [204, ""]);
    for (const method of ["DELETE", "GET"]) assertError(await call(method, `/pets/${id}`), "pet_not_found");
    assert.deepEqual((await call("GET", "/pets")).json, []);
  });

  await t.test("never assigns the id again", async () => {
    const { id } = await addPet();
    await call("DELETE", `/pets/${id}`);
    assert.ok((await addPet()).id > id);
  });

  await t.test("rejects with 409 while an order is open, and keeps closed orders", async () => {
    const petId = (await addPet()).id;
    const { id } = (await call("POST", "/store/orders", { body: { petId } })).json;
    const move = (status: string) => call("PATCH", `/store/orders/${id}`, { body: { status } });
    const message = `The animal has an open order: deliver or cancel order ${id} first.`;
    for (const next of ["approved", "delivered"]) {
      assertError(await call("DELETE", `/pets/${petId}`), "pet_has_open_order", message);
      await move(next);
    }
    assert.equal((await call("DELETE", `/pets/${petId}`)).status, 204);
    assert.equal((await call("GET", `/store/orders/${id}`)).json.petId, petId);
    const { json } = await move("returned");
    assert.equal(json.status, "returned", "an order can be returned after its animal was deleted");
  });

  await t.test("accepts one of two concurrent requests", async () => {
    const { id } = await addPet();
    const answers = await Promise.all([call("DELETE", `/pets/${id}`), call("DELETE", `/pets/${id}`)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
  });
});
