// Animals in the console: samples, filters, adding, editing, moving, deleting with undo, pages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import {
  act,
  type ConsoleApp,
  hold,
  keepScreenshot,
  notice,
  signIn,
  stopTimers,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { assertAccessible } from "../../harness/clients/looks.ts";
import { column } from "../../harness/clients/pages.ts";
import { STEP_MS } from "../../harness/runner/patience.ts";

const rows = (page: Page) => page.getByRole("table", { name: "Animals" }).getByRole("row");
const rowOf = (page: Page, name: string) => rows(page).filter({ hasText: name });

const SAMPLES: Array<{ name: string; status: string; category: string; profile: object }> = JSON.parse(
  readFileSync(new URL("../../../sample/animals.json", import.meta.url), "utf8"),
);

/** As "Load sample animals" adds them, without their photos. */
async function addSamples({ call, addPet }: ConsoleApp): Promise<void> {
  const categories = [...new Set(column(SAMPLES, "category"))];
  for (const [index, name] of categories.entries())
    await call("PUT", `/categories/${index + 1}`, { body: { name } });
  for (const { name, status, category, profile } of SAMPLES) {
    const { id } = await addPet({ name, status, categoryId: categories.indexOf(category) + 1 });
    await call("PATCH", `/pets/${id}/profile`, { body: profile });
  }
}

const listNames = async ({ call }: ConsoleApp): Promise<string[]> =>
  column((await call("GET", "/pets?limit=100")).json, "name");

testConsole("Sample animals in an empty console", async (t, { app, visit }) => {
  const { call } = app;

  await t.test("an empty store offers sample animals", async (t) => {
    const page = await visit(t);
    await page.getByText("There are no animals yet.").waitFor();
    await keepScreenshot(page, "console-empty-store");
    await page.getByRole("button", { name: "Load sample animals" }).click();
    // The pictures are drawn and sent one after the other, and converted at a low priority.
    await notice(page, "12 sample animals were added").waitFor({ timeout: 6 * STEP_MS });
    await rowOf(page, "Krümel").waitFor();
    assert.equal((await listNames(app)).length, 12);
    assert.equal((await call("GET", "/categories")).json.length, 8);
    const listings = (await call("GET", "/listings?status=any&limit=100")).json;
    for (const { name, profile, photos } of listings) {
      assert.ok(profile.description.includes(name) && profile.bornOn < profile.arrivedOn, name);
      assert.equal(photos.length, 1, name);
    }
  });
});

testConsole("Animals are found in the console", async (t, { app, visit }) => {
  const { adminKey: key } = app;
  await addSamples(app);

  await t.test("finds animals in the whole store, with filters that are in the address", async (t) => {
    const page = await visit(t, { key: undefined });
    const followed = page.waitForResponse("**/v1/events/stream?*");
    await signIn(page, key);
    await followed;
    // A list that was read before the stream was open is read again. The next one is not.
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Adoptions" }).waitFor();
    await page.getByRole("link", { name: "Animals", exact: true }).click();
    const requested: string[] = [];
    await rowOf(page, "Rex").filter({ hasText: "Labrador" }).waitFor();
    // A category that says no more than the species is not repeated.
    assert.doesNotMatch(await rowOf(page, "Rex").locator("th").innerText(), /Dogs/);
    assert.match(await rowOf(page, "Bella").locator("th").innerText(), /No\. \d+ · Chickens$/);
    await page.getByLabel("Filter by category").waitFor();
    page.on("request", (request) => requested.push(request.url()));
    const chosen = (name: string) => page.getByRole("button", { name, exact: true, pressed: true });
    const found = (text: string) => page.getByRole("status").filter({ hasText: text });

    await t.test("finds animals by status, category and species", async () => {
      await page.getByRole("button", { name: "Adopted 2" }).click();
      await rowOf(page, "Rex").waitFor({ state: "detached" });
      await untilShown(() => rows(page).count(), 3);
      await page.getByRole("button", { name: "All 12" }).click();
      await page.getByLabel("Filter by category").selectOption("Cats");
      await found("3 animals found").waitFor();
      // The counts are of all animals, and would contradict the list.
      await page.getByRole("button", { name: "All", exact: true }).waitFor();
      assert.equal(await page.locator(".filter .count").count(), 0);
      await page.getByLabel("Filter by category").selectOption("All categories");
      await page.getByLabel("Filter by species").selectOption("Rabbit");
      await found("1 animal found").waitFor();
      await rowOf(page, "Flocke").filter({ hasText: "Rabbit" }).waitFor();
      assert.deepEqual(
        requested.filter((each) => /categories|inventory/.test(each)),
        [],
        "names and numbers are read once",
      );
    });

    await t.test("finds animals by words, and Escape clears them", async () => {
      await page.getByLabel("Filter by species").selectOption("All species");
      await page.getByRole("main").getByRole("searchbox").focus();
      requested.length = 0;
      // All at once: between two keys, a busy machine may take as long as a pause of the user.
      await page.locator(":focus").evaluate((field: HTMLInputElement) => {
        for (const letter of "shorthair") {
          field.value += letter;
          field.dispatchEvent(new InputEvent("input", { bubbles: true, data: letter }));
        }
      });
      await found("2 animals found").waitFor();
      assert.equal(requested.filter((each) => each.includes("q=")).length, 1, "one search for all keys");
      await page.waitForURL(/#animals\?q=shorthair$/);
      await page.keyboard.press("Control+A");
      await page.keyboard.type("zebra");
      await page.keyboard.press("Enter");
      await page.getByText("Nothing found for “zebra”.").waitFor();
      await page.keyboard.press("Escape");
      await rowOf(page, "Rex").waitFor();
      assert.equal(await page.getByRole("searchbox").inputValue(), "");
    });

    await t.test("finds an animal by its number", async () => {
      await page.getByRole("searchbox").fill("4");
      await untilShown(() => rows(page).count(), 2);
      await rowOf(page, "Bella").filter({ hasText: "No. 4" }).waitFor();
      await page.getByRole("searchbox").fill("999999999999999999999");
      await page.getByText("Nothing found").waitFor();
    });

    await t.test("the address keeps the search for a reload, for back, and for others", async (t) => {
      await page.getByRole("searchbox").fill("shorthair");
      await found("2 animals found").waitFor();
      await page.getByRole("button", { name: "Pending" }).click();
      await chosen("Pending").waitFor();
      await page.reload();
      await chosen("Pending").waitFor();
      assert.equal(await page.getByRole("searchbox").inputValue(), "shorthair");
      const shared = page.url();
      await page.goBack();
      await chosen("All").waitFor();
      await found("2 animals found").waitFor();
      const other = await visit(t);
      await other.goto(shared);
      await untilShown(() => other.getByRole("searchbox").inputValue(), "shorthair");
      await other.getByRole("button", { name: "Pending", pressed: true }).waitFor();
    });
  });
});

testConsole("Rows of animals in the console", async (t, { app, visit }) => {
  await addSamples(app);
  const rex = (page: Page) => rowOf(page, "Rex");
  const isOpen = (page: Page) => page.getByRole("heading", { level: 1, name: "Rex" }).waitFor();

  await t.test("a click anywhere on a row opens the animal, and back leads to the list", async (t) => {
    const page = await visit(t, { at: "animals" });
    for (const cell of [".photo", ".kind", ".age", "th"]) {
      await rex(page).locator(cell).click();
      await isOpen(page);
      await page.goBack();
      await rex(page).waitFor();
    }
    await page.getByLabel("Select Rex").click();
    await page.getByText("1 selected").waitFor();
    await page.getByLabel("Status of Rex").click();
    assert.equal(page.url(), `${app.url}/#animals`, "what has an action of its own opens nothing");
  });

  await t.test(
    "with Ctrl or the middle button it opens in another tab, and marked text stays marked",
    async (t) => {
      const page = await visit(t, { at: "animals", ownContext: {} });
      const openings: Page[] = [];
      page.context().on("page", (opened) => openings.push(opened));
      await rex(page)
        .locator(".age")
        .click({ modifiers: ["ControlOrMeta"] });
      await untilShown(async () => openings.length, 1);
      await rex(page).locator(".age").click({ button: "middle" });
      await untilShown(async () => openings.length, 2);
      for (const opened of openings) await untilShown(async () => opened.url(), `${app.url}/#animals/3`);
      const [from, to] = await Promise.all(
        [rex(page).locator(".kind"), rex(page).locator(".age")].map((cell) => cell.boundingBox()),
      );
      await page.mouse.move((from?.x ?? 0) + 12, (from?.y ?? 0) + 25);
      await page.mouse.down();
      await page.mouse.move((to?.x ?? 0) + 40, (to?.y ?? 0) + 25);
      await page.mouse.up();
      assert.match(String(await page.evaluate("String(getSelection())")), /Labrador/);
      assert.equal(page.url(), `${app.url}/#animals`);
    },
  );

  await t.test("the menu of a row works by keyboard, and returns the focus", async (t) => {
    const page = await visit(t, { at: "animals" });
    const button = page.getByRole("button", { name: "Actions for Rex" });
    const focused = () => page.evaluate("document.activeElement.textContent");
    await button.focus();
    await page.keyboard.press("Enter");
    await untilShown(focused, "Start an adoption");
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowUp");
    await untilShown(focused, "Delete");
    await page.keyboard.press("ArrowDown");
    await untilShown(focused, "Start an adoption");
    await page.keyboard.press("d");
    await untilShown(focused, "Delete");
    await page.keyboard.press("Home");
    await untilShown(focused, "Start an adoption");
    await page.keyboard.press("End");
    await untilShown(focused, "Delete");
    await assertAccessible(page, "an open menu");
    await page.keyboard.press("Escape");
    await untilShown(() => button.evaluate((each) => each === document.activeElement), true);
    await untilShown(() => button.getAttribute("aria-expanded"), "false");
    await page.keyboard.press("ArrowDown");
    await untilShown(focused, "Start an adoption");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await untilShown(() => button.evaluate((each) => each === document.activeElement), true);
    // A click elsewhere closes it, and opens no row.
    await button.click();
    await page.getByRole("menu").waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await page.getByRole("menu").waitFor({ state: "detached" });
    assert.equal(page.url(), `${app.url}/#animals`);
  });
});

testConsole("Animals are added and changed in the console", async (t, { app, visit }) => {
  const { adminKey: key, call } = app;
  await addSamples(app);

  await t.test("adds an animal by keyboard alone, and shows errors next to their field", async (t) => {
    const page = await visit(t);
    await page.getByRole("button", { name: "Add an animal" }).focus();
    await page.keyboard.press("Enter");
    await untilShown(() => page.evaluate("document.activeElement.name"), "name");
    await page.keyboard.type("   ");
    await page.keyboard.press("Enter");
    const name = page.getByRole("textbox", { name: "Name", description: "Enter a name" });
    await name.waitFor();
    await untilShown(() => name.evaluate((field) => field.matches(":focus")), true);
    await page.getByLabel("Name").fill("Nala");
    await page.keyboard.press("Enter");
    // Among several, none is assumed: a dog does not become a cat unnoticed.
    const category = page.getByRole("combobox", { name: "Category", description: "Choose a category" });
    await untilShown(() => category.evaluate((field) => field.matches(":focus")), true);
    await category.selectOption("Another number…");
    await page.getByLabel("Category number").fill("9007199254740993");
    await page.keyboard.press("Enter");
    await notice(page, "Nala was added as no. 13").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // Its page follows.
    await page.getByRole("heading", { level: 1, name: "Nala" }).waitFor();
    await untilShown(() => page.evaluate("document.activeElement.localName"), "main");
    assert.match(
      (await call("GET", "/pets?limit=100")).text,
      /"name":"Nala","categoryId":9007199254740993,"status":"available"/,
    );
  });

  await t.test("keeps the typed number of a category when the names arrive late", async (t) => {
    const page = await visit(t, { key: undefined });
    let reads = 0;
    page.on("request", (request) => {
      if (request.url().includes("/v1/categories?")) reads += 1;
    });
    const release = await hold(page, "**/v1/categories*");
    await signIn(page, key);
    await page.getByRole("button", { name: "Add an animal" }).click();
    const number = page.getByLabel("Category number");
    await untilShown(() => number.inputValue(), "1");
    await number.fill("3");
    release();
    await page.getByLabel("Category", { exact: true }).waitFor();
    assert.equal(await number.inputValue(), "3");
    assert.equal(reads, 1, "the list and the form share them");
  });

  await t.test("offers allowed status changes, and takes back one that the service refuses", async (t) => {
    const page = await visit(t, { expected: [409] });
    const status = page.getByLabel("Status of Bella");
    await untilShown(() => status.locator("option").allTextContents(), ["Available", "Adopted"]);
    const available = page.getByRole("button", { name: /^Available/ });
    const before = await available.innerText();
    await status.selectOption("Available");
    await notice(page, "Bella is available").waitFor();
    // The list is read again after the change.
    await untilShown(async () => (await available.innerText()) === before, false);
    // The list stays as it is while the field has the focus.
    await status.focus();
    await call("POST", "/store/orders", { body: { petId: 4 } });
    await status.selectOption("Adopted");
    // The order made the animal pending.
    await page.getByRole("button", { name: "Keep mine: Adopted" }).click();
    await notice(page, "Bella stays pending. It has an open adoption").waitFor();
    await untilShown(() => status.inputValue(), "pending");
  });

  await t.test("a changed status can be undone from its notice, and keeps its row", async (t) => {
    const page = await visit(t);
    await page.getByRole("button", { name: /^Pending/ }).click();
    const status = page.getByLabel("Status of Bella");
    await status.waitFor();
    // The earlier rows stay until the filtered ones arrive.
    await rowOf(page, "Rex").waitFor({ state: "detached" });
    const before = await rows(page).allInnerTexts();
    const statusOf = async () => (await call("GET", "/listings/4")).json.status;
    await call("PATCH", "/store/orders/1", { body: { status: "cancelled" } });
    await status.waitFor({ state: "detached" });
    await call("PATCH", "/pets/4", { body: { status: "pending" } });
    await status.selectOption("Adopted");
    await notice(page, "Bella is adopted.").waitFor();
    // The list is read again after a change by others.
    await call("PATCH", "/pets/3", { body: { status: "pending" } });
    await rowOf(page, "Rex").waitFor();
    assert.equal((await rows(page).allInnerTexts()).length, before.length + 1);
    assert.equal(await status.inputValue(), "sold");
    assert.equal(
      await notice(page, "Bella").getByRole("link").getAttribute("href"),
      "#animals/4",
      "the notice links to the animal",
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await notice(page, "Bella is pending again.").waitFor();
    assert.equal(await statusOf(), "pending");
  });
});

testConsole("Animals are deleted in the console", async (t, { app, visit }) => {
  const { call } = app;
  const namesOf = () => listNames(app);
  await addSamples(app);

  await t.test("a double click on Delete deletes one animal", async (t) => {
    const page = await visit(t);
    await page.getByRole("button", { name: "Actions for Luna" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).dblclick();
    await rowOf(page, "Luna").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf(page, "Luna").waitFor();
    assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0);
  });

  await t.test("deletes with undo: sends nothing until the notice goes", async (t) => {
    const page = await visit(t);
    const deletions: string[] = [];
    page.on("request", (request) => request.method() === "DELETE" && deletions.push(request.url()));
    await act(page, "Luna", "Delete");
    await rowOf(page, "Luna").waitFor({ state: "detached" });
    await untilShown(() => page.evaluate("document.activeElement.localName"), "main");
    await keepScreenshot(page, "console-undo");
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf(page, "Luna").waitFor();
    await act(page, "Luna", "Delete");
    assert.ok((await namesOf()).includes("Luna"));
    assert.deepEqual(deletions, []);
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.getByRole("button", { name: "Delete now" }).click();
    assert.equal((await deleted).status(), 204);
    assert.ok(!(await namesOf()).includes("Luna"));
  });

  await t.test("deletes after 8 seconds without undo", async (t) => {
    const page = await visit(t, { ownContext: {} });
    await rowOf(page, "Pip").waitFor();
    await stopTimers(page);
    await act(page, "Pip", "Delete");
    await page.mouse.move(0, 0);
    await page.clock.runFor(7_000);
    assert.ok((await namesOf()).includes("Pip"));
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.clock.runFor(2_000);
    assert.equal((await deleted).status(), 204);
  });

  await t.test("shows the animal again, with the reason, when it cannot be deleted", async (t) => {
    await call("PATCH", "/pets/4", { body: { status: "available" } });
    await call("POST", "/store/orders", { body: { petId: 4 } });
    const page = await visit(t, { expected: [409] });
    await act(page, "Bella", "Delete");
    await page.getByRole("button", { name: "Delete now" }).click();
    await notice(page, "Bella was not deleted. It has an open adoption").waitFor();
    await rowOf(page, "Bella").waitFor();
  });

  await t.test("deletes when the tab is closed within the 8 seconds", async (t) => {
    const page = await visit(t);
    await act(page, "Momo", "Delete");
    await rowOf(page, "Momo").waitFor({ state: "detached" });
    await page.close({ runBeforeUnload: true });
    await untilShown(async () => (await namesOf()).includes("Momo"), false);
  });
});

testConsole("Pages of animals in the console", async (t, { app, visit }) => {
  const { call } = app;
  await addSamples(app);

  await t.test("goes through the pages, newest first, forwards and back", async (t) => {
    for (let i = 1; i <= 35; i++)
      await call("POST", "/pets", { body: { name: `4 Guppy ${i}`, categoryId: 3 } });
    const page = await visit(t, { expected: [500] });
    await rowOf(page, "Guppy 35").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2").waitFor();
    await rowOf(page, "Guppy 15").waitFor();
    // The pager is below the rows, but a page is read from its start.
    const top = async () => (await page.getByRole("table").boundingBox())?.y ?? -1;
    await untilShown(async () => (await top()) >= 0, true);
    await page.getByRole("button", { name: "Next" }).click();
    await rowOf(page, "Rex").waitFor();
    await untilShown(() => page.getByRole("button", { name: "Next" }).isDisabled(), true);
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByRole("button", { name: "Previous" }).click();
    await rowOf(page, "Guppy 35").waitFor();
    await page.getByLabel("Order", { exact: true }).selectOption("Oldest first");
    await untilShown(() => rows(page).nth(1).getByRole("rowheader").innerText(), "Minka\nNo. 1");
    await page.getByLabel("Animals per page").selectOption("50");
    await rowOf(page, "Guppy 35").waitFor();

    await t.test("shows how many animals a filter or search finds on all pages", async () => {
      const counts: string[] = [];
      page.on("request", (request) => request.url().includes("/count?") && counts.push(request.url()));
      const found = (text: string) => notice(page, new RegExp(`^${text.replace("+", "\\+")} animals found$`));
      const search = (q: string) => page.getByRole("searchbox").fill(q);
      const firstTop = () =>
        rows(page)
          .nth(1)
          .evaluate((row) => row.getBoundingClientRect().top);

      await search("guppy");
      await found("35").waitFor();
      assert.deepEqual(counts, [], "a single page needs no count");
      await page.route("**/v1/listings/count?*", (route) => route.fulfill({ status: 500 }));
      const failed = page.waitForResponse("**/v1/listings/count?*");
      await page.getByLabel("Animals per page").selectOption("20");
      await failed;
      await found("20+").waitFor();
      await page.unroute("**/v1/listings/count?*");

      const held = Promise.withResolvers<void>();
      await page.route("**/v1/listings/count?*", async (route) => {
        await held.promise;
        await route.fulfill({ json: { count: 10_000, exact: false } });
      });
      await page.getByRole("button", { name: /^Available/ }).click();
      await found("20+").waitFor();
      await untilShown(() => rows(page).count(), 21);
      const before = await firstTop();
      held.resolve();
      await found("10,000+").waitFor();
      assert.equal(await firstTop(), before, "nothing moves");
      await page.unroute("**/v1/listings/count?*");

      await call("POST", "/pets", { body: { name: "4 Guppy 36", categoryId: 3 } });
      await found("36").waitFor();
      const asked = counts.length;
      await page.getByRole("button", { name: "Next" }).click();
      await rowOf(page, "Guppy 36").waitFor();
      await found("36").waitFor();
      await page.getByRole("button", { name: "Previous" }).click();
      await rowOf(page, "Guppy 36").waitFor({ state: "detached" });
      await found("36").waitFor();
      assert.equal(counts.length, asked, "pages of the same filter share the number");

      // Bella is found by her number, and then by her name too.
      await page.getByRole("button", { name: /^All/ }).click();
      for (const name of ["Bella", "4 Bella"]) {
        await call("PATCH", "/pets/4", { body: { name } });
        await search("4");
        await rowOf(page, name).filter({ hasText: "No. 4" }).waitFor();
        await found("37").waitFor();
        await search("");
        await found("37").waitFor({ state: "detached" });
      }
    });
  });
});
