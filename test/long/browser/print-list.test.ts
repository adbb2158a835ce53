// A printed list: a row for each animal or adoption, below headings, without what only works on a screen.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { keepScreenshot, testConsole, untilShown } from "../../harness/clients/console.ts";

const NAMES = ["Rex", "W".repeat(255), "Max \u202Edrawkcab", "Luna"];
/** A4 without the margins of the page, in CSS pixels. */
const PAPER = { width: 703, height: 1032 };
const CONTROLS =
  "header.top, footer.bottom, .bottom-bar, .filters, .tools, .actions, .select, .pager, main button, .skip";

const isShown = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((all) => all.some((each) => each.getClientRects().length > 0));

testConsole("A list on paper", async (t, { app, visit }) => {
  for (const name of NAMES) {
    const { id } = await app.addPet({ name });
    await app.call("POST", "/store/orders", {
      body: { petId: id, reference: `family ${name.slice(0, 40)}` },
    });
  }

  for (const [place, headings] of [
    ["animals", /Name.*Status/s],
    ["orders", /Animal.*Status.*Reference/s],
  ] as const)
    for (const size of [
      { width: 390, height: 844 },
      { width: 1280, height: 800 },
    ])
      await t.test(`prints ${place} as a list, from a window of ${size.width} px`, async (t) => {
        const page = await visit(t, { at: place, ownContext: { viewport: size } });
        await untilShown(() => page.locator("tbody tr").count(), NAMES.length);
        await page.emulateMedia({ media: "print" });
        await page.setViewportSize(PAPER);
        await untilShown(() => isShown(page, CONTROLS), false);
        await keepScreenshot(page, `print-${place}-${size.width}`);
        assert.match(await page.locator("thead").innerText(), headings);
        assert.ok(await isShown(page, "thead th"));
        const displays = await page
          .locator("tbody tr")
          .evaluateAll((all) => all.map((row) => getComputedStyle(row).display));
        assert.deepEqual([...new Set(displays)], ["table-row"]);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PAPER.width);
        assert.match(await page.locator("tbody").innerText(), /Luna/);
        const broken = await page
          .locator("thead th")
          .evaluateAll((all) => all.filter((cell) => cell.clientHeight > 64).map((cell) => cell.textContent));
        assert.deepEqual(broken, [], "no heading has more than two lines");
      });
});
