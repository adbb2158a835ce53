// listCategories, putCategory, deleteCategory.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countStatuses } from "../harness/clients/call.ts";
import { nextPath } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

test("Categories", async (t) => {
  const { call, addPet } = await startApp(t);
  const put = (id: string, name: unknown) => call("PUT", `/categories/${id}`, { body: { name } });

  await t.test("PUT creates with 201 and renames with 200", async () => {
    const created = await put("9007199254740993", "  Dogs ");
    assertCommon(created);
    assert.equal(created.status, 201);
    assert.equal(created.text, '{"id":9007199254740993,"name":"Dogs"}');
    const renamed = await put("9007199254740993", "Hounds");
    assert.deepEqual([renamed.status, renamed.text], [200, '{"id":9007199254740993,"name":"Hounds"}']);
  });

  await t.test("GET lists categories by id, in pages", async () => {
    for (const id of ["-5", "0", "7"]) await put(id, `Category ${id}`);
    const first = await call("GET", "/categories?limit=3");
    assert.equal(
      first.text,
      '[{"id":-5,"name":"Category -5"},{"id":0,"name":"Category 0"},{"id":7,"name":"Category 7"}]',
    );
    assert.equal((await call("GET", nextPath(first))).text, '[{"id":9007199254740993,"name":"Hounds"}]');
    const headers = { "if-none-match": first.headers.etag ?? "" };
    assert.equal((await call("GET", "/categories?limit=3", { headers })).status, 304);
    assertError(await call("GET", "/categories?limit=0"), "invalid_parameter");
    assertError(await call("GET", "/categories?cursor=x"), "invalid_cursor");
  });

  await t.test("accepts the lowest and the highest int64 as id", async () => {
    const ends = ["-9223372036854775808", "9223372036854775807"];
    for (const id of ends) assert.equal((await put(id, "End")).status, 201);
    const { text } = await call("GET", "/categories?limit=100");
    assert.ok(text.startsWith(`[{"id":${ends[0]},`) && text.includes(`{"id":${ends[1]},`), text);
    for (const id of ends) assert.equal((await call("DELETE", `/categories/${id}`)).status, 204);
  });

  await t.test("DELETE removes the name and does not change animals", async () => {
    const { id } = await addPet({ categoryId: 7 });
    assert.equal((await call("DELETE", "/categories/7")).status, 204);
    assertError(await call("DELETE", "/categories/7"), "category_not_found");
    assert.equal((await call("GET", `/pets/${id}`)).json.categoryId, 7);
  });

  for (const id of ["abc", "1.5", "9223372036854775808", "%20"])
    await t.test(`responds to /categories/${id} with 404`, async () => {
      assertError(await put(id, "Dogs"), "category_not_found");
      assertError(await call("DELETE", `/categories/${id}`), "category_not_found");
    });

  const rejected: Record<string, unknown> = {
    "no name": undefined,
    "an empty name": " ",
    null: null,
    "101 characters": "x".repeat(101),
    "a control character": "a\nb",
  };
  for (const [what, name] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await put("3", name), "invalid_body", /^name /);
    });

  await t.test("accepts 100 characters outside the Basic Multilingual Plane", async () => {
    assert.equal((await put("3", "🐈".repeat(100))).json.name, "🐈".repeat(100));
  });

  await t.test("creates a category once in twenty concurrent requests", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => put("42", `Name ${i}`)));
    assert.deepEqual(countStatuses(answers), { 200: 19, 201: 1 });
  });
});
