// The list of animals on a phone: compact rows that are one target each, filters behind one button, and a selection by touch.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { button, type ConsoleApp, rowOf, testConsole, untilShown } from "../harness/clients/console.ts";
import {
  assertAccessible,
  assertFits,
  COUNT_SHIFTS,
  findRowFaults,
  PHONE,
  SIZES,
} from "../harness/clients/looks.ts";

/** The smallest side of a target, in CSS pixels. */
const TARGET_MIN = 44;
const HOSTILE = ["W".repeat(255), "龍".repeat(60), "قطة صغيرة جدا", "Max \u202Edrawkcab", "<img src=x>"];

const rows = (page: Page) => page.locator("tbody tr");

async function addAnimals({ addPet, call }: ConsoleApp): Promise<void> {
  await call("PUT", "/categories/1", { body: { name: "Dogs" } });
  await call("PUT", "/categories/2", { body: { name: `Puppies ${"x".repeat(90)}` } });
  for (const [index, name] of [...HOSTILE, "Rex", "Luna", "Momo"].entries()) {
    const { id } = await addPet({
      name,
      categoryId: (index % 2) + 1,
      status: index < 6 ? "available" : "sold",
    });
    const body = {
      species: name === "Momo" ? "cat" : "dog",
      breeds: [name === "Rex" ? "B".repeat(100) : "Beagle"],
    };
    await call("PATCH", `/pets/${id}/profile`, { body });
  }
}

testConsole("The list of animals on a phone", async (t, { app, visit }) => {
  await addAnimals(app);

  for (const locale of ["en", "de"])
    await t.test(
      `has rows that are one target each, and the first ones without scrolling (${locale})`,
      async (t) => {
        const page = await visit(t, { ownContext: { ...PHONE, locale } });
        await page.addInitScript(COUNT_SHIFTS);
        await page.reload();
        await untilShown(() => rows(page).count(), HOSTILE.length + 3);
        await page.locator(".total").waitFor();
        const shown = await page.evaluate(() => {
          const end = document.querySelector(".bottom-bar")?.getBoundingClientRect().top ?? 0;
          return [...document.querySelectorAll("tbody tr")].filter(
            (row) => row.getBoundingClientRect().bottom <= end,
          ).length;
        });
        assert.ok(shown >= 6, `${shown} animals are shown`);
        assert.ok(Number(await page.evaluate("window.shift")) < 0.02);
        assert.deepEqual(await findRowFaults(page), []);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await assertFits(page, "animals");
          await assertAccessible(page, `animals, ${colorScheme}`);
        }
        const small = await page
          .locator("main :is(button, input, select), header :is(a, button)")
          .evaluateAll(
            (all, least) =>
              all
                .filter((each) => {
                  const { width, height } = each.getBoundingClientRect();
                  return !each.closest("a.brand") && height > 0 && Math.min(width, height) < least;
                })
                .map((each) => each.outerHTML),
            TARGET_MIN,
          );
        assert.deepEqual(small, []);
      },
    );

  await t.test("opens an animal by a touch anywhere on its row", async (t) => {
    const page = await visit(t, { ownContext: PHONE });
    await rowOf(page, "Luna").locator(".status").tap({ force: true });
    await page.getByRole("heading", { level: 1, name: "Luna" }).waitFor();
  });

  await t.test("names the category only where it says more than the kind", async (t) => {
    const page = await visit(t, { ownContext: PHONE });
    const factsOf = (name: string) => rowOf(page, name).locator(".also").innerText();
    await rowOf(page, "Luna").waitFor();
    assert.equal(await factsOf("Luna"), "No. 7", "dogs are dogs");
    assert.match(await factsOf("Rex"), /^No\. 6 · Puppies x/);
    assert.match(await factsOf("Momo"), /^No\. 8 · Puppies x/);
  });
});

testConsole("The tools of the list of animals on a phone", async (t, { app, visit }) => {
  await addAnimals(app);

  await t.test("has its filters behind one button, which says how many are set", async (t) => {
    const page = await visit(t, { ownContext: PHONE });
    await rows(page).first().waitFor();
    assert.equal(await page.locator("main :is(select, .filter)").count(), 0);
    await button(page, "Filters").click();
    const sheet = page.getByRole("dialog", { name: "Filters" });
    await sheet.getByRole("button", { name: "Available 6" }).click();
    await sheet.getByLabel("Filter by species").selectOption("Dog");
    await sheet.getByLabel("Filter by category").selectOption("Dogs");
    await assertFits(page, "filters");
    await assertAccessible(page, "filters");
    const box = await sheet.boundingBox();
    assert.equal((box?.y ?? 0) + (box?.height ?? 0), SIZES.phone.height, "it rises from the lower edge");
    await button(page, "Show results").click();
    await untilShown(() => rows(page).count(), 3);
    await page.getByText("3 animals found").waitFor();
    await page.reload();
    await button(page, "Filters, 3 set").click();
    await button(page, "Clear filters").click();
    await untilShown(() => rows(page).count(), HOSTILE.length + 3);
    await button(page, "Show results").click();
    await button(page, "Filters").waitFor();
  });

  await t.test("selects animals by touching their rows, and ends the selection", async (t) => {
    const page = await visit(t, { ownContext: PHONE });
    await button(page, "More for this list").click();
    await page.getByRole("menuitem", { name: "Select animals" }).click();
    await page.getByText("Touch the animals to select.").waitFor();
    for (const name of ["Luna", "Momo"]) await rowOf(page, name).locator(".kind").tap({ force: true });
    await page.getByText("2 selected").waitFor();
    await assertFits(page, "selection");
    await assertAccessible(page, "selection");
    await button(page, "Change status").click();
    await page.getByRole("dialog").getByLabel("Status").selectOption("Pending");
    await page.keyboard.press("Escape");
    await button(page, "Clear selection").click();
    await rowOf(page, "Momo").getByRole("link").waitFor();
    assert.equal(await page.getByRole("checkbox").count(), 0);
  });

  await t.test("offers no selection and no import to a key that only reads", async (t) => {
    const { key } = await app.createKey({ plan: "pro", access: "browse" });
    const page = await visit(t, { key, ownContext: PHONE });
    await button(page, "More for this list").click();
    await untilShown(() => page.getByRole("menuitem").allTextContents(), ["Export"]);
  });

  await t.test("has its filters and buttons side by side where there is room", async (t) => {
    const page = await visit(t, { ownContext: { viewport: SIZES.desktop } });
    await rows(page).first().waitFor();
    assert.equal(await button(page, "Filters").count(), 0);
    await page.getByLabel("Filter by species").waitFor();
    for (const name of ["Import", "Export", "Add an animal", "All 8"]) await button(page, name).waitFor();
  });
});
