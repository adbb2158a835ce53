// listPetHistory: each change with the state before and after, its time and its key.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../harness/clients/call.ts";
import { column, nextCursor, readPages } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { range } from "../harness/servers/event-history.ts";
import { assertCommon, assertError } from "./assertions.ts";

test("GET /pets/{petId}/history", async (t) => {
  const { call, clock, createKey, service, addPet } = await startApp(t);
  const { id: keyId, key } = await createKey({ access: "adopt" });
  const petId = (await call("POST", "/pets", { body: '{"name":"Rex","categoryId":9007199254740993}' })).json
    .id;
  const atMs = clock.nowMs();
  const at = (ms: number) => `"at":"${new Date(ms).toISOString()}"`;
  const state = (status: string, name = "Rex") =>
    `{"status":"${status}","name":"${name}","categoryId":9007199254740993}`;

  await t.test("the history has the creation, in exactly these bytes", async () => {
    const answer = await call("GET", `/pets/${petId}/history`);
    assertCommon(answer);
    assert.equal(
      answer.text,
      `[{"number":1,"what":"pet.created","petId":${petId},${at(atMs)},"to":${state("available")},"keyId":0}]`,
    );
  });

  await t.test("the history has the order, the new status, and the key that placed the order", async () => {
    clock.advance(1_000);
    await call("POST", "/store/orders", { key, body: { petId, reference: "r" } });
    const { text } = await call("GET", `/pets/${petId}/history?limit=100`);
    const moved = `{"number":2,"what":"pet.updated","petId":${petId},${at(atMs + 1_000)},"from":${state("available")},"to":${state("pending")},"keyId":${keyId}}`;
    const placed = `{"number":3,"what":"order.created","petId":${petId},${at(atMs + 1_000)},"orderId":1,"to":{"status":"placed","reference":"r"},"keyId":${keyId}}`;
    assert.ok(text.endsWith(`,${moved},${placed}]`), text);
  });

  await t.test("the history has no key for changes that the service makes", async () => {
    clock.advance(72 * 3_600_000);
    await service.runMaintenance();
    const { json } = await call("GET", `/pets/${petId}/history?limit=100`);
    const [order, pet] = json.slice(-2);
    assert.deepEqual(
      [order.what, order.from.status, order.to.status],
      ["order.updated", "placed", "expired"],
    );
    assert.deepEqual([pet.what, pet.from.status, pet.to.status], ["pet.updated", "pending", "available"]);
    assert.ok(!("keyId" in order) && !("keyId" in pet));
  });

  await t.test("the history has no entry for a request that changed nothing or was rejected", async () => {
    const count = async () => (await call("GET", `/pets/${petId}/history?limit=100`)).json.length;
    const before = await count();
    await call("PATCH", `/pets/${petId}`, { body: { name: "Rex", status: "available" } });
    await call("PATCH", `/pets/${petId}`, { body: { name: "" } });
    assert.equal(await count(), before);
  });

  await t.test("the history remains after the animal is deleted", async () => {
    await call("PATCH", `/pets/${petId}`, { body: { name: "Luna" } });
    await call("DELETE", `/pets/${petId}`);
    const { json, text } = await call("GET", `/pets/${petId}/history?limit=100`);
    assert.equal(json.at(-1).what, "pet.deleted");
    assert.ok(text.includes(`"from":${state("available", "Luna")},"keyId"`));
    assert.ok(!("to" in json.at(-1)));
  });

  await t.test("the history numbers all changes of the store without a gap, across pages", async () => {
    const ids = column(await Promise.all(Array.from({ length: 10 }, () => addPet())), "id");
    await Promise.all(ids.map((id) => call("PATCH", `/pets/${id}`, { body: { status: "sold" } })));
    const pages: Answer[] = [];
    for (const id of [petId, ...ids])
      pages.push(...(await readPages((path) => call("GET", path), `/pets/${id}/history?limit=2`)));
    const numbers: number[] = pages.flatMap(({ json }) => column(json, "number"));
    assert.ok(pages.length > 1 + ids.length, "the deleted animal has several pages");
    assert.ok(numbers.length > 2 * ids.length, "each other animal has two changes");
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      range(1, numbers.length),
    );
  });

  await t.test("rejects invalid parameters, and the cursor of another animal", async () => {
    assertError(await call("GET", `/pets/${petId}/history?limit=101`), "invalid_parameter");
    const cursor = nextCursor(await call("GET", `/pets/${petId}/history?limit=1`));
    assert.equal((await call("GET", `/pets/${petId}/history?cursor=${cursor}`)).status, 200);
    assertError(await call("GET", `/pets/${petId + 1}/history?cursor=${cursor}`), "invalid_cursor");
  });

  await t.test("responds to the id of an animal that never existed with 404", async () => {
    for (const id of ["999999", "abc"])
      assertError(await call("GET", `/pets/${id}/history`), "pet_not_found");
  });
});
