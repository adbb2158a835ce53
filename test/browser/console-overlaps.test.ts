// Things that overlap in the console: deletions, pages, filters and views that change while an answer is on its way.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openConsole, testConsole, untilShown } from "../harness/console.ts";

const rowOf = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

testConsole("Overlaps in the console", async (t, { service, browser }) => {
  const { url, adminKey: key, call } = service;
  for (let i = 1; i <= 66; i++) {
    const status = i <= 45 ? "available" : "sold";
    await call("POST", "/pets", { body: { name: `Guppy ${i}`, categoryId: 1, status } });
  }

  await t.test("a deleted animal stays away also from a view that was opened meanwhile", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await button(page, "Delete Guppy 1").click();
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("link", { name: "Animals" }).click();
    await rowOf(page, "Guppy 2").waitFor();
    await button(page, "Delete now").click();
    await button(page, "All 65").waitFor();
    assert.equal(await rowOf(page, "Guppy 1").count(), 0);
  });

  await t.test("a deletion that ends on another page leaves that page as it is", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await button(page, "Delete Guppy 2").click();
    await button(page, "Next →").click();
    await rowOf(page, "Guppy 30").waitFor();
    await button(page, "Delete now").click();
    await button(page, "All 64").waitFor();
    await page.getByText("Page 2").waitFor();
    await rowOf(page, "Guppy 30").waitFor();
    assert.equal(await rowOf(page, "Guppy 3").count(), 0);
  });

  await t.test("a deletion that ends under another filter reads that one", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await button(page, "Next →").click();
    await button(page, "Delete Guppy 30").click();
    await button(page, "Sold 21").click();
    await rowOf(page, "Guppy 46").waitFor();
    await button(page, "Delete now").click();
    await button(page, "All 63").waitFor();
    await rowOf(page, "Guppy 46").waitFor();
  });

  await t.test(
    "an animal that somebody else has deleted meanwhile is gone without a complaint",
    async (t) => {
      const page = await openConsole(t, browser, { url, key, expected: [404] });
      await button(page, "Delete Guppy 5").click();
      await call("DELETE", "/pets/5");
      const answered = page.waitForResponse((response) => response.request().method() === "DELETE");
      await button(page, "Delete now").click();
      assert.equal((await answered).status(), 404);
      await button(page, "All 62").waitFor();
      assert.equal(await page.getByText("was not deleted").count(), 0);
      assert.equal(await rowOf(page, "Guppy 5").count(), 0);
      await call("POST", "/pets", { body: { name: "Guppy 67", categoryId: 1, status: "available" } });
    },
  );

  await t.test("a double click on Next goes one page on", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await rowOf(page, "Guppy 3").waitFor();
    const release = await holdBack(page, "**/v1/pets?*cursor=*");
    await button(page, "Next →").dblclick();
    release();
    await rowOf(page, "Guppy 29").waitFor();
    await page.getByText("Page 2").waitFor();
  });

  await t.test("Next does nothing until the chosen list is there", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await rowOf(page, "Guppy 3").waitFor();
    const release = await holdBack(page, "**/v1/pets?*status=*");
    await button(page, "Sold 21").click();
    // Not by click, which would wait until it can be pressed.
    await button(page, "Next →").dispatchEvent("click");
    release();
    await rowOf(page, "Guppy 46").waitFor();
    await page.getByText("Page 1").waitFor();
  });

  await t.test("a page whose last animal was deleted leads to the one before", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await button(page, "Sold 21").click();
    await rowOf(page, "Guppy 46").waitFor();
    await button(page, "Next →").click();
    await button(page, "Delete Guppy 66").click();
    await page.getByText("No animal is left on this page.").waitFor();
    await button(page, "Delete now").click();
    await rowOf(page, "Guppy 46").waitFor();
    await untilShown(() => page.getByRole("navigation", { name: "Pages" }).count(), 0);
  });

  await t.test(
    "a form that is closed while its request is on its way says so, until that was seen",
    async (t) => {
      const page = await openConsole(t, browser, { url, key });
      await button(page, "Edit Guppy 3").click();
      await page.route("**/v1/pets/*", () => {});
      await page.clock.install();
      await button(page, "Save").click();
      await page.getByText("One moment…").waitFor();
      await page.keyboard.press("Escape");
      const word = page.getByText("It was on its way already and may have been done");
      await word.waitFor();
      await page.clock.runFor(60_000);
      await word.waitFor();
      await button(page, "Dismiss").click();
      await word.waitFor({ state: "detached" });
    },
  );

  await t.test("what a view has asked for ends with it", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await rowOf(page, "Guppy 3").waitFor();
    const release = await holdBack(page, "**/v1/store/inventory");
    const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/inventory"));
    await button(page, "Sold 20").click();
    await page.getByRole("link", { name: "Categories" }).click();
    await ended;
    release();
  });
});

/** Gives back what lets the requests go on. */
async function holdBack(page: Page, address: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await promise;
    // One that the page has given up meanwhile cannot go on.
    await route.continue().catch(() => {});
  });
  return resolve;
}
