// "Back" shows a list where it was left, also after a reload; another place starts at its top.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { hold, rowOf, testConsole, untilShown } from "../../harness/clients/console.ts";
import { SIZES } from "../../harness/clients/looks.ts";

const rows = (page: Page) => page.locator("tbody tr");
const top = (page: Page) => page.evaluate<number>("Math.round(scrollY)");

testConsole("Back in the console", async (t, { app, visit }) => {
  const { addPet } = app;
  for (let number = 1; number <= 60; number++) await addPet({ name: `Guppy ${number}.` });

  for (const viewport of [SIZES.phone, SIZES.desktop])
    await t.test(`shows a list where it was left, at ${viewport.width} px`, async (t) => {
      const page = await visit(t, { at: "animals?size=50", ownContext: { viewport } });
      await untilShown(() => rows(page).count(), 50);
      await rowOf(page, "Guppy 31.").scrollIntoViewIfNeeded();
      const left = await top(page);
      assert.ok(left > viewport.height);
      await rowOf(page, "Guppy 31.").getByRole("link").click();
      await page.getByRole("heading", { level: 1, name: "Guppy 31." }).waitFor();
      await untilShown(() => top(page), 0);
      // Only empty rows at first: the page is not long enough.
      const release = await hold(page, "**/v1/listings?*");
      await page.goBack();
      await page.locator(".skeleton").waitFor();
      release();
      await untilShown(() => rows(page).count(), 50);
      await untilShown(() => top(page), left);
      await page.reload();
      await untilShown(() => rows(page).count(), 50);
      await untilShown(() => top(page), left);
      await page.goForward();
      await page.getByRole("heading", { level: 1, name: "Guppy 31." }).waitFor();
      await untilShown(() => top(page), 0);
      await page.goBack();
      await untilShown(() => top(page), left);
    });

  await t.test("starts another place, and a place that is opened again, at the top", async (t) => {
    const page = await visit(t, { ownContext: { viewport: SIZES.phone } });
    const places = page.getByRole("navigation", { name: "Places" });
    await untilShown(() => rows(page).count(), 20);
    await page.evaluate("scrollTo(0, 500)");
    await places.getByRole("link", { name: "Adoptions" }).click();
    await page.getByRole("heading", { level: 1, name: "Adoptions" }).waitFor();
    await untilShown(() => top(page), 0);
    await places.getByRole("link", { name: "Animals" }).click();
    await untilShown(() => rows(page).count(), 20);
    assert.equal(await top(page), 0);
  });

  await t.test("leaves whoever scrolls meanwhile where they are", async (t) => {
    const page = await visit(t, { ownContext: { viewport: SIZES.desktop } });
    await untilShown(() => rows(page).count(), 20);
    await page.evaluate("scrollTo(0, 600)");
    await untilShown(() => top(page), 600);
    await rows(page).nth(15).getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Guppy" }).waitFor();
    const release = await hold(page, "**/v1/listings?*");
    await page.goBack();
    await page.locator(".skeleton").waitFor();
    await page.keyboard.press("ArrowDown");
    release();
    await untilShown(() => rows(page).count(), 20);
    assert.ok((await top(page)) < 600);
  });
});
