// The frame of the console: the name and the colour of the store in the header and in the tab.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { contrast, DEFAULT_ACCENT, parse } from "../../src/look/accent.ts";
import { type ConsoleScene, testConsole, untilShown } from "../harness/clients/console.ts";
import { assertAccessible, SIZES } from "../harness/clients/looks.ts";

testConsole("The frame of the console", async (t, scene) => {
  await testBrand(t, scene);
});

async function testBrand(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call } = app;
  const brand = (page: Page) => page.getByRole("banner").getByRole("link").first().innerText();

  await t.test(
    "names the product until the store has a name, then the shelter, then its title",
    async (t) => {
      const page = await visit(t, { at: "categories" });
      await untilShown(() => brand(page), "Animal Store");
      await untilShown(() => page.title(), "Categories – Animal Store");
      await call("PATCH", "/shelters/1", { body: { name: "Riverside" } });
      await page.reload();
      await untilShown(() => brand(page), "Riverside");
      await call("PATCH", "/site", { body: { title: "Riverside \u202E Friends" } });
      await page.reload();
      await untilShown(() => brand(page), "Riverside \u202E Friends");
      // A tab cannot isolate text: what turns the direction of text is left out.
      await untilShown(() => page.title(), "Categories – Riverside Friends");
      const { id } = await app.addPet({ name: "Max \u202Edrawkcab" });
      await page.goto(`${app.url}/#animals/${id}`);
      await untilShown(() => page.title(), "Max drawkcab – Riverside Friends");
    },
  );

  await t.test("shows the colour of the store in the header alone, readable in light and dark", async (t) => {
    const page = await visit(t, { at: "categories", ownContext: {} });
    await page.getByRole("main").locator("button.primary").first().waitFor();
    assert.deepEqual(await coloursOf(page), { header: hexOf(DEFAULT_ACCENT), page: hexOf(DEFAULT_ACCENT) });
    for (const accent of ["#f5e663", "#08306b", "#777777"]) {
      await call("PATCH", "/site", { body: { accent } });
      await page.reload();
      await page.getByRole("main").locator("button.primary").first().waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await untilShown(() => coloursOf(page), { header: hexOf(accent), page: hexOf(DEFAULT_ACCENT) });
        const [text, ground] = await page
          .getByRole("navigation", { name: "Places" })
          .locator("[aria-current]")
          .evaluate((link) => [
            getComputedStyle(link).color,
            getComputedStyle(link.closest("header") as Element).backgroundColor,
          ]);
        const found = contrast(channels(text), channels(ground));
        assert.ok(found >= 4.5, `${accent} ${colorScheme}: ${found}`);
      }
      await page.setViewportSize(SIZES.phone);
      await assertAccessible(page, accent);
      await page.setViewportSize(SIZES.desktop);
    }
    await call("PATCH", "/site", { body: { accent: null, title: null } });
  });

  await t.test("its text grows with the text size of the browser", async (t) => {
    const page = await visit(t, { at: "categories" });
    const sizes = "[...document.querySelectorAll('body, h1')].map((each) => getComputedStyle(each).fontSize)";
    const before = await page.evaluate<string[]>(sizes);
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    assert.deepEqual(
      await page.evaluate(sizes),
      before.map((size) => `${2 * Number.parseFloat(size)}px`),
    );
  });

  await t.test("a name without an end leaves the header on its lines", async (t) => {
    await call("PATCH", "/site", { body: { title: "W".repeat(100) } });
    const page = await visit(t, { at: "categories", ownContext: {} });
    for (const size of [SIZES.desktop, SIZES.phone]) {
      await page.setViewportSize(size);
      await untilShown(
        () =>
          page.evaluate(
            "document.querySelector('.top-row').offsetHeight <= 72 && document.documentElement.scrollWidth <= innerWidth",
          ),
        true,
      );
      const last = size === SIZES.phone ? "Search everything" : "Sign out";
      await page.getByRole("button", { name: last }).click({ trial: true });
    }
    await call("PATCH", "/site", { body: { title: null } });
  });
}

/** The fill of the mark, and of the first button of the page. */
function coloursOf(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => {
    const filled = (selector: string, property: "fill" | "backgroundColor") =>
      getComputedStyle(document.querySelector(selector) as Element)[property];
    return { header: filled("header .mark", "fill"), page: filled("main button.primary", "backgroundColor") };
  });
}

function hexOf(colour: string): string {
  return `rgb(${parse(colour).join(", ")})`;
}

function channels(colour: string | undefined): [number, number, number] {
  return (colour?.match(/\d+/g) ?? []).slice(0, 3).map(Number) as [number, number, number];
}
