// The layout of the list of animals: nothing moves while it loads or is filtered, whatever the names are.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { keepScreenshot, testConsole, untilShown } from "../../harness/clients/console.ts";
import { COUNT_SHIFTS } from "../../harness/clients/looks.ts";
import type { AppHarness } from "../../harness/servers/app.ts";

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
  { width: 1920, height: 1080 },
];
const NAMES = ["Rex", "قطة صغيرة جدا", "龍".repeat(60), "W".repeat(255), "Max \u202Edrawkcab"];
const headings = (page: Page) =>
  page.locator("thead th").evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().x));

/** The header has one line, and no word of a button is broken. */
async function assertPhoneButtons(page: Page): Promise<void> {
  const tops = await page
    .locator(".brand, .find")
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
  assert.ok(Math.abs((tops[0] ?? 0) - (tops[1] ?? 0)) < 20, `${tops}`);
  await page.locator(".bottom-bar .add").click();
  const heights = await page
    .locator("dialog footer button")
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
  assert.equal(heights.length, 3);
  assert.ok(Math.max(...heights) < 45, `${heights}`);
}

/** Names and buttons of the list that are under the notice. */
function coveredBy(page: Page): Promise<unknown[]> {
  return page.locator(".notice").evaluate((notice) => {
    const over = notice.getBoundingClientRect();
    return [...document.querySelectorAll("tbody th, tbody .actions")]
      .filter((cell) => {
        const { left, right } = cell.getBoundingClientRect();
        return left < over.right && over.left < right;
      })
      .map(({ textContent }) => textContent);
  });
}

async function addAnimals(call: AppHarness["call"]): Promise<void> {
  await call("PUT", "/categories/1", { body: { name: `Cats ${"x".repeat(95)}` } });
  for (let i = 0; i < 30; i++) {
    const status = i % 3 === 0 ? "sold" : "available";
    await call("POST", "/pets", { body: { name: NAMES[i % NAMES.length], categoryId: (i % 2) + 1, status } });
  }
}

testConsole("The layout of the list of animals", async (t, { app, visit }) => {
  const { url, adminKey: key, call } = app;
  await addAnimals(call);

  for (const locale of ["en", "de"])
    await t.test(`fits at every width and does not move while it loads (${locale})`, async (t) => {
      for (const viewport of SIZES) {
        const page = await visit(t, { key: undefined, ownContext: { viewport, locale } });
        await page.addInitScript(COUNT_SHIFTS);
        const item = `animal-store-key:${new URL(`${url}/`).pathname}`;
        await page.evaluate(`sessionStorage.setItem(${JSON.stringify(item)}, ${JSON.stringify(key)})`);
        await page.reload();
        await untilShown(() => page.locator("tbody tr").count(), 20);
        await page.locator(".total").waitFor();
        const shift = Number(await page.evaluate("window.shift"));
        assert.ok(shift < 0.02, `${shift} at ${viewport.width}`);
        const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert.equal(await page.evaluate(overflow), 0, `fits ${viewport.width}`);
        const pills = await page
          .locator(".filter button, .status")
          .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().height));
        assert.ok(Math.max(...pills) < 45, "a pill has one line");
        if (viewport.width === 1920) {
          const width = await page.locator("table").evaluate((table) => table.getBoundingClientRect().width);
          assert.ok(width > 1600, `${width} of 1920`);
        }
        await keepScreenshot(page, `console-animals-${locale}-${viewport.width}`);
        if (viewport.width === 390) await assertPhoneButtons(page);
        await page.close();
      }
    });

  await t.test("columns and pills stay where they are while the list is filtered", async (t) => {
    const page = await visit(t);
    await page.setViewportSize({ width: 1280, height: 800 });
    await untilShown(() => page.locator("tbody tr").count(), 20);
    const before = await headings(page);
    const pills = () =>
      page.locator(".filter button").evaluateAll((all) => all.map((pill) => pill.getBoundingClientRect().x));
    const pillsBefore = await pills();
    await page.getByRole("button", { name: "Adopted 10" }).click();
    await untilShown(() => page.locator("tbody tr").count(), 10);
    assert.deepEqual(await pills(), pillsBefore);
    await page.getByRole("searchbox").fill("rex");
    await untilShown(() => page.locator("tbody tr").count(), 2);
    assert.deepEqual(await headings(page), before);
    const rowTop = () =>
      page
        .locator("tbody tr")
        .first()
        .evaluate((row) => row.getBoundingClientRect().y);
    const topBefore = await rowTop();
    await page.getByLabel("Select Rex").first().check();
    await page.getByText("1 selected").waitFor();
    assert.equal(await rowTop(), topBefore, "the bar takes the place of the filter");
  });
});

testConsole("Notices over the list of animals", async (t, { app, visit }) => {
  const { url, call } = app;
  await addAnimals(call);

  await t.test("a notice covers neither the names nor the buttons of a list", async (t) => {
    for (let petId = 2; petId < 12; petId++) await call("POST", "/store/orders", { body: { petId } });
    const page = await visit(t);
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 500 });
      await page.goto(`${url}/#animals`);
      await page
        .getByRole("button", { name: /^Actions for/ })
        .first()
        .click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      assert.deepEqual(await coveredBy(page), [], `animals at ${width}`);
      await page.getByRole("link", { name: "Adoptions", exact: true }).click();
      await page.locator(".orders .actions button").first().waitFor();
      assert.deepEqual(await coveredBy(page), [], `adoptions at ${width}`);
      await page.getByRole("button", { name: "Undo" }).click();
    }
  });

  await t.test("a name that reverses its direction leaves the text around it as it is", async (t) => {
    const page = await visit(t);
    const name = NAMES[4] ?? "";
    await page
      .getByRole("button", { name: `Actions for ${name}` })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const text = page.locator(".notice bdi");
    assert.equal(await text.innerText(), name);
    await page.getByRole("button", { name: "Undo" }).click();
    const outside = await page
      .locator("tbody th")
      .evaluateAll((cells) =>
        cells.filter(
          (cell) =>
            cell.textContent !==
            cell.querySelector("bdi")?.textContent + (cell.querySelector("small")?.textContent ?? ""),
        ),
      );
    assert.deepEqual(outside, [], "every name is isolated");
  });
});
