// Sample animals on a store without animals that has named categories.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Listing, Profile } from "../../../client/src/client.ts";
import { hold, notice, testConsole } from "../../harness/clients/console.ts";

const SAMPLES: Array<{ name: string; category: string; alt: string; profile: Profile }> = JSON.parse(
  readFileSync(new URL("../../../sample/animals.json", import.meta.url), "utf8"),
);
/** Of English sentences and colours. */
const ENGLISH = /\b(?:a|and|the|with|white|brown|cats|dogs|calm)\b/i;

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

testConsole("Sample animals in the German console", async (t, { app, visit }) => {
  const { call } = app;

  await t.test("adds the samples in German, every text of each of them", async (t) => {
    const page = await visit(t, { ownContext: {} });
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.route("**/v1/pets/*/photos*", (route) => route.fulfill({ status: 201, json: {} }));
    const alts: string[] = [];
    page.on("request", (request) => {
      const alt = new URL(request.url()).searchParams.get("alt");
      if (alt !== null) alts.push(alt);
    });
    await page.getByRole("button", { name: "Beispieltiere laden" }).click();
    await notice(page, "12 Beispieltiere").waitFor();
    const listings: Listing[] = (await call("GET", "/listings?status=any&limit=100")).json;
    assert.deepEqual([listings.length, alts.length], [SAMPLES.length, SAMPLES.length]);
    for (const { name, category, alt, profile } of SAMPLES) {
      const found = listings.find((listing) => listing.name === name) ?? assert.fail(name);
      const { breeds = [], colors, tags, description } = found.profile;
      assert.notEqual(found.categoryName, category, name);
      assert.ok(!alts.includes(alt), name);
      assert.deepEqual(
        [breeds.length, colors?.length, tags?.length, found.profile.fee],
        [profile.breeds?.length, profile.colors?.length, profile.tags?.length, profile.fee],
        name,
      );
      assert.doesNotMatch(`${description} ${colors} ${tags} ${found.categoryName}`, ENGLISH, name);
      assert.ok(description?.includes(name), name);
    }
  });
});
