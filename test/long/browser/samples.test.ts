// Sample animals on a store without animals that has named categories.

import assert from "node:assert/strict";
import { hold, testConsole } from "../../harness/clients/console.ts";

testConsole("Sample animals in the console", async (t, { app, visit }) => {
  const { call } = app;

  await t.test("keeps the existing categories, and adds the samples once", async (t) => {
    for (const id of [1, 4]) await call("PUT", `/categories/${id}`, { body: { name: "Hamsters" } });
    await call("PUT", "/categories/5", { body: { name: "Cats" } });
    const page = await visit(t);
    const release = await hold(page, "**/v1/categories/*");
    // The pictures, which take seconds, are the subject of another file.
    await page.route("**/v1/pets/*/photos*", (route) => route.fulfill({ status: 201, json: {} }));
    const load = page.getByRole("button", { name: "Load sample animals" });
    await load.click();
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("link", { name: "Animals", exact: true }).click();
    await load.click();
    release();
    await page.getByRole("row").filter({ hasText: "Krümel" }).waitFor();
    assert.deepEqual((await call("GET", "/categories")).json, [
      { id: 1, name: "Hamsters" },
      { id: 2, name: "Rabbits" },
      { id: 3, name: "Dogs" },
      { id: 4, name: "Hamsters" },
      { id: 5, name: "Cats" },
      { id: 6, name: "Chickens" },
      { id: 7, name: "Birds" },
      { id: 8, name: "Tortoises" },
      { id: 9, name: "Horses" },
      { id: 10, name: "Guinea pigs" },
    ]);
    const pets: Array<{ name: string; categoryId: number }> = (await call("GET", "/pets?limit=100")).json;
    assert.equal(pets.length, 12);
    assert.equal(pets.find(({ name }) => name === "Minka")?.categoryId, 5);
  });
});
