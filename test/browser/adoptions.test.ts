// The list of adoptions: found by animal and reference, in the order in which holds end, and compact on a phone.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import {
  type ConsoleApp,
  keepScreenshot,
  rowOf,
  testConsole,
  untilShown,
} from "../harness/clients/console.ts";
import { assertAccessible, COUNT_SHIFTS, findRowFaults, SIZES } from "../harness/clients/looks.ts";

const HOSTILE = ["<img src=x onerror=alert(1)>", "Max \u202Edrawkcab", "W".repeat(255)];

const names = (page: Page) => page.getByRole("rowheader").getByRole("link").allInnerTexts();

testConsole("The list of adoptions", async (t, { app, visit }) => {
  const { call } = app;
  await placeOrders(app, ["Rex", "Luna", "Momo", ...HOSTILE]);
  await call("PATCH", "/store/orders/2", { body: { status: "approved" } });

  await t.test("is searched by animal and by reference, in open and in all adoptions", async (t) => {
    const page = await visit(t, { at: "orders" });
    const search = page.getByRole("searchbox");
    await page.getByRole("button", { name: "Open 6" }).waitFor();
    await search.fill("om");
    await untilShown(() => names(page), ["Momo"]);
    // The counts are of all adoptions, and would contradict the list.
    await page.getByRole("button", { name: "Open", exact: true }).waitFor();
    await search.fill("FAMILY 2");
    await untilShown(() => names(page), ["Luna"]);
    await call("PATCH", "/store/orders/2", { body: { status: "cancelled" } });
    await page.getByText("No adoption found for “FAMILY 2”.").waitFor();
    await page.getByRole("button", { name: "Search in all adoptions" }).click();
    await untilShown(() => names(page), ["Luna"]);
    await page.reload();
    await untilShown(() => names(page), ["Luna"]);
    await search.fill("one two three four five six");
    await page.getByText("Only the first five words are searched.").waitFor();
    await search.fill("");
    await page.getByRole("button", { name: "Cancelled 1" }).waitFor();
  });

  await t.test("a click anywhere on a row leads to the animal with its adoption", async (t) => {
    const page = await visit(t, { at: "orders" });
    await rowOf(page, "Momo").getByText("family 3").click();
    await page.getByRole("heading", { level: 1, name: "Momo" }).waitFor();
    await page.getByText("Adoption 3 · family 3").waitFor();
  });

  await t.test("offers one next step; what ends an adoption is in its menu", async (t) => {
    const page = await visit(t, { at: "orders" });
    const row = rowOf(page, "Rex");
    await row.waitFor();
    assert.deepEqual(await row.locator("button.primary").allInnerTexts(), ["Approve"]);
    await row.getByRole("button", { name: "Actions for Adoption 1" }).click();
    assert.deepEqual(await page.getByRole("menuitem").allInnerTexts(), ["Cancel…"]);
    const colours = await page.evaluate(() =>
      ["placed", "approved"].map((status) => {
        const badge = document.body.appendChild(document.createElement("span"));
        badge.className = `status ${status}`;
        return getComputedStyle(badge).backgroundColor;
      }),
    );
    assert.notEqual(colours[0], colours[1]);
  });

  await t.test(
    "leads from a row on a phone to the next step, and has its filters behind a button",
    async (t) => {
      const page = await visit(t, { at: "orders", ownContext: { viewport: SIZES.phone } });
      await page.getByRole("button", { name: "Filters" }).click();
      const sheet = page.getByRole("dialog", { name: "Filters" });
      await sheet.getByRole("button", { name: "Cancelled 1" }).click();
      await sheet.getByRole("button", { name: "Show results" }).click();
      await untilShown(() => names(page), ["Luna"]);
      await page.getByRole("button", { name: "Filters, 1 set" }).click();
      await sheet.getByRole("button", { name: "Clear filters" }).click();
      await sheet.getByRole("button", { name: "Show results" }).click();
      await rowOf(page, "Momo").getByText("family 3").click({ force: true });
      await page.getByRole("button", { name: "Approve adoption 3" }).waitFor();
    },
  );

  await t.test("is compact on a phone, a row is one target, and nothing moves", async (t) => {
    const page = await visit(t, { ownContext: {} });
    await page.addInitScript(COUNT_SHIFTS);
    for (const language of ["English", "Deutsch"])
      for (const [device, size] of Object.entries(SIZES)) {
        await page.setViewportSize(size);
        await page.goto(`${app.url}/#orders`);
        if (device === "desktop") await page.getByRole("button", { name: language }).click();
        await page.reload();
        await rowOf(page, "Rex").waitFor();
        await untilShown(() => page.getByText(/Loading…|Lädt…/).count(), 0);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await keepScreenshot(page, `adoptions-${device}-${colorScheme}-${language}`);
        }
        assert.ok(Number(await page.evaluate("window.shift")) < 0.02, device);
        assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
        await assertAccessible(page, `adoptions ${device} ${language}`);
        const overflows = await page.locator(".orders td").evaluateAll((all) =>
          all
            .filter((each) => each.scrollWidth > each.clientWidth)
            .filter((each) => getComputedStyle(each).textOverflow !== "ellipsis")
            .map(({ className }) => className),
        );
        assert.deepEqual(overflows, []);
        if (device !== "phone") continue;
        assert.deepEqual(await findRowFaults(page), []);
      }
    assert.equal(await page.locator("main img[src=x]").count(), 0);
  });
});

async function placeOrders({ addPet, call, clock }: ConsoleApp, pets: string[]): Promise<void> {
  for (const [index, name] of pets.entries()) {
    const { id } = await addPet({ name });
    const reference = index < 3 ? `family ${index + 1}` : (HOSTILE[index - 3] ?? "");
    await call("POST", "/store/orders", { body: { petId: id, reference } });
    clock.advance(1_000);
  }
}
