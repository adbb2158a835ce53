// Animals in the console: samples, filters, adding, editing, moving, deleting with undo, pages.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { keepScreenshot, openConsole, signIn, testConsole, untilShown } from "../harness/console.ts";

const rows = (page: Page) => page.getByRole("table", { name: "Animals" }).getByRole("row");
const rowOf = (page: Page, name: string) => rows(page).filter({ hasText: name });
const notice = (page: Page, text: string | RegExp) => page.getByRole("status").filter({ hasText: text });

testConsole("Animals in the console", async (t, { app, context }) => {
  const { url, adminKey: key, call } = app;
  const namesOf = async () =>
    (await call("GET", "/pets?limit=100")).json.map(({ name }: { name: string }) => name);

  await t.test("an empty store offers sample animals", async (t) => {
    const page = await openConsole(t, context, { url, key });
    await page.getByText("There are no animals yet.").waitFor();
    await keepScreenshot(page, "console-empty-store");
    await page.getByRole("button", { name: "Load sample animals" }).click();
    // A busy machine takes its time for the pictures.
    await notice(page, "12 sample animals were added").waitFor({ timeout: 120_000 });
    await rowOf(page, "Krümel").waitFor();
    assert.equal((await namesOf()).length, 12);
    assert.equal((await call("GET", "/categories")).json.length, 8);
    const listings = (await call("GET", "/listings?status=any&limit=100")).json;
    for (const { name, profile, photos } of listings) {
      assert.ok(profile.description.includes(name) && profile.bornOn < profile.arrivedOn, name);
      assert.equal(photos.length, 1, name);
    }
  });

  await t.test("filters by status, and searches the current page", async (t) => {
    const page = await openConsole(t, context, { url, key });
    const categoryReads: string[] = [];
    await rowOf(page, "Rex").filter({ hasText: "Dogs" }).waitFor();
    page.on(
      "request",
      (request) => request.url().includes("/categories") && categoryReads.push(request.url()),
    );
    await page.getByRole("button", { name: "Sold 2" }).click();
    await rowOf(page, "Rex").waitFor({ state: "detached" });
    await untilShown(() => rows(page).count(), 3);
    await page.getByRole("button", { name: "All 12" }).click();
    await rowOf(page, "Rex").waitFor();
    await page.getByRole("searchbox", { name: "Search on this page" }).fill("cats");
    await untilShown(() => rows(page).count(), 4);
    assert.deepEqual(categoryReads, [], "category names are read once");
    await page.getByRole("searchbox").fill("zebra");
    await page.getByText("Nothing on this page matches “zebra”.", { exact: true }).waitFor();
  });

  await t.test(
    "adds an animal by keyboard alone, and shows the validation errors of the service",
    async (t) => {
      const page = await openConsole(t, context, { url, key, expected: [400] });
      await page.getByRole("button", { name: "Add an animal" }).focus();
      await page.keyboard.press("Enter");
      await untilShown(() => page.evaluate("document.activeElement.name"), "name");
      await page.keyboard.type("   ");
      await page.keyboard.press("Enter");
      await page
        .getByRole("dialog")
        .getByRole("alert")
        .filter({ hasText: "name must be 1 to 255 characters" })
        .waitFor();
      await page.getByLabel("Name").fill("Nala");
      await page.getByLabel("Category", { exact: true }).selectOption("Another number…");
      await page.getByLabel("Category number").fill("9007199254740993");
      await page.keyboard.press("Enter");
      await notice(page, "Nala was added with id 13").waitFor();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await untilShown(() => page.evaluate("document.activeElement.textContent"), "Add an animal");
      assert.match(
        (await call("GET", "/pets?limit=100")).text,
        /"name":"Nala","categoryId":9007199254740993,"status":"available"/,
      );
    },
  );

  await t.test("keeps the category number in the form when category names arrive late", async (t) => {
    const page = await openConsole(t, context, { url });
    const held = Promise.withResolvers<void>();
    await page.route("**/v1/categories*", async (route) => {
      await held.promise;
      await route.continue();
    });
    await signIn(page, key);
    await page.getByRole("button", { name: "Add an animal" }).click();
    const number = page.getByLabel("Category number");
    await untilShown(() => number.inputValue(), "1");
    held.resolve();
    await page.getByLabel("Category", { exact: true }).waitFor();
    assert.equal(await number.inputValue(), "1");
  });

  await t.test("edits an animal, and Escape discards the changes", async (t) => {
    const page = await openConsole(t, context, { url, key });
    await page.getByRole("button", { name: "Edit Rex" }).click();
    await page.getByLabel("Name").fill("Discarded");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Edit Rex" }).click();
    await page.getByLabel("Name").fill("Rexine");
    await page.getByLabel("Category", { exact: true }).selectOption("Cats");
    await page.getByRole("button", { name: "Save" }).click();
    await rowOf(page, "Rexine").filter({ hasText: "Cats" }).waitFor();
    const names = await namesOf();
    assert.ok(names.includes("Rexine") && !names.includes("Discarded"), names.join());
  });

  await t.test(
    "offers the allowed status changes, and takes back one that the service refuses",
    async (t) => {
      const page = await openConsole(t, context, { url, key, expected: [409] });
      const status = page.getByLabel("Status of Bella");
      await untilShown(() => status.locator("option").allTextContents(), ["Available", "Sold"]);
      await status.selectOption("Available");
      await notice(page, "Bella is available").waitFor();
      // The list stays as it is while the field has the focus.
      await status.focus();
      await call("POST", "/store/orders", { body: { petId: 4 } });
      await status.selectOption("Sold");
      await notice(page, "Bella stays available. It has an open order").waitFor();
      // The list was read again: the order made the animal pending.
      await untilShown(() => status.inputValue(), "pending");
    },
  );

  await t.test("deletes with undo: sends nothing until the notice goes", async (t) => {
    const page = await openConsole(t, context, { url, key });
    const deletions: string[] = [];
    page.on("request", (request) => request.method() === "DELETE" && deletions.push(request.url()));
    await page.getByRole("button", { name: "Delete Luna" }).click();
    await rowOf(page, "Luna").waitFor({ state: "detached" });
    await untilShown(() => page.evaluate("document.activeElement.localName"), "main");
    await keepScreenshot(page, "console-undo");
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf(page, "Luna").waitFor();
    await page.getByRole("button", { name: "Delete Luna" }).click();
    assert.ok((await namesOf()).includes("Luna"));
    assert.deepEqual(deletions, []);
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.getByRole("button", { name: "Delete now" }).click();
    assert.equal((await deleted).status(), 204);
    assert.ok(!(await namesOf()).includes("Luna"));
  });

  await t.test("deletes after 8 seconds without undo", async (t) => {
    const page = await openConsole(t, context, { url, key, ownContext: {} });
    await page.clock.install();
    await page.getByRole("button", { name: "Delete Pip" }).click();
    await page.mouse.move(0, 0);
    await page.clock.runFor(7_000);
    assert.ok((await namesOf()).includes("Pip"));
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.clock.runFor(2_000);
    assert.equal((await deleted).status(), 204);
  });

  await t.test("shows the animal again, with the reason, when it cannot be deleted", async (t) => {
    const page = await openConsole(t, context, { url, key, expected: [409] });
    await page.getByRole("button", { name: "Delete Bella" }).click();
    await page.getByRole("button", { name: "Delete now" }).click();
    await notice(page, "Bella was not deleted. It has an open order").waitFor();
    await rowOf(page, "Bella").waitFor();
  });

  await t.test("deletes when the tab is closed within the 8 seconds", async (t) => {
    const page = await openConsole(t, context, { url, key });
    await page.getByRole("button", { name: "Delete Momo" }).click();
    await rowOf(page, "Momo").waitFor({ state: "detached" });
    await page.close({ runBeforeUnload: true });
    await untilShown(async () => (await namesOf()).includes("Momo"), false);
  });

  await t.test("goes through the pages, forwards and back", async (t) => {
    for (let i = 1; i <= 35; i++)
      await call("POST", "/pets", { body: { name: `Guppy ${i}`, categoryId: 3 } });
    const page = await openConsole(t, context, { url, key });
    await rowOf(page, "Rexine").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2").waitFor();
    await rowOf(page, "Guppy 15").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await rowOf(page, "Guppy 35").waitFor();
    await untilShown(() => page.getByRole("button", { name: "Next" }).isDisabled(), true);
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByRole("button", { name: "Previous" }).click();
    await rowOf(page, "Rexine").waitFor();
  });
});
