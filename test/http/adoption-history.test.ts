// listPetHistory: what was changed, from what to what, when and by which key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../harness/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

test("GET /pets/{petId}/history", async (t) => {
  const { call, clock, createKey, service } = await startApp(t);
  const { id: keyId, key } = await createKey({ access: "adopt" });
  const rex = { name: "Rex", categoryId: 3 };
  const petId = (await call("POST", "/pets", { body: '{"name":"Rex","categoryId":9007199254740993}' })).json
    .id;
  const atMs = clock.nowMs();
  const at = (ms: number) => `"at":"${new Date(ms).toISOString()}"`;
  const state = (status: string, name = "Rex") =>
    `{"status":"${status}","name":"${name}","categoryId":9007199254740993}`;

  await t.test("tells the creation, to the byte", async () => {
    const answer = await call("GET", `/pets/${petId}/history`);
    assertCommon(answer);
    assert.equal(
      answer.text,
      `[{"number":1,"what":"pet.created","petId":${petId},${at(atMs)},"to":${state("available")},"keyId":0}]`,
    );
  });

  await t.test("tells an order with its animal, and the key that placed it", async () => {
    clock.advance(1_000);
    await call("POST", "/store/orders", { key, body: { petId, reference: "r" } });
    const { text } = await call("GET", `/pets/${petId}/history?limit=100`);
    const moved = `{"number":2,"what":"pet.updated","petId":${petId},${at(atMs + 1_000)},"from":${state("available")},"to":${state("pending")},"keyId":${keyId}}`;
    const placed = `{"number":3,"what":"order.created","petId":${petId},${at(atMs + 1_000)},"orderId":1,"to":{"status":"placed","reference":"r"},"keyId":${keyId}}`;
    assert.ok(text.endsWith(`,${moved},${placed}]`), text);
  });

  await t.test("tells what the service did by itself without a key", async () => {
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

  await t.test("tells nothing of what changed nothing or was refused", async () => {
    const count = async () => (await call("GET", `/pets/${petId}/history?limit=100`)).json.length;
    const before = await count();
    await call("PATCH", `/pets/${petId}`, { body: { name: "Rex", status: "available" } });
    await call("PATCH", `/pets/${petId}`, { body: { name: "" } });
    assert.equal(await count(), before);
  });

  await t.test("outlives the animal", async () => {
    await call("PATCH", `/pets/${petId}`, { body: { name: "Luna" } });
    await call("DELETE", `/pets/${petId}`);
    const { json, text } = await call("GET", `/pets/${petId}/history?limit=100`);
    assert.equal(json.at(-1).what, "pet.deleted");
    assert.ok(text.includes(`"from":${state("available", "Luna")},"keyId"`));
    assert.ok(!("to" in json.at(-1)));
  });

  await t.test("numbers all changes in the store without a gap, and pages by them", async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, async () => (await call("POST", "/pets", { body: rex })).json.id),
    );
    await Promise.all(ids.map((id) => call("PATCH", `/pets/${id}`, { body: { status: "sold" } })));
    const numbers: number[] = [];
    for (const id of [petId, ...ids]) {
      let path = `/pets/${id}/history?limit=2`;
      while (path !== "") {
        const page = await call("GET", path);
        assert.equal(page.status, 200, page.text);
        numbers.push(...page.json.map(({ number }: { number: number }) => number));
        path = /<[^>]*\/v1([^>]+)>; rel="next"/.exec(page.headers.link ?? "")?.[1] ?? "";
      }
    }
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      Array.from({ length: numbers.length }, (_, index) => index + 1),
    );
  });

  await t.test("refuses bad parameters, and the cursor of another animal", async () => {
    assertError(await call("GET", `/pets/${petId}/history?limit=101`), "invalid_parameter");
    const { link = "" } = (await call("GET", `/pets/${petId}/history?limit=1`)).headers;
    const cursor = /cursor=([\w-]+)/.exec(link)?.[1];
    assertError(await call("GET", `/pets/${petId + 1}/history?cursor=${cursor}`), "invalid_cursor");
  });

  await t.test("answers 404 for an animal that never was", async () => {
    for (const id of ["999999", "abc"])
      assertError(await call("GET", `/pets/${id}/history`), "pet_not_found");
  });
});
