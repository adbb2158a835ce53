// Work on many animals in the console: selecting, changes and deletions with one undo, and adding one after another.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import {
  button,
  type ConsoleScene,
  keepScreenshot,
  notice,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { SIZES } from "../../harness/clients/looks.ts";
import { column } from "../../harness/clients/pages.ts";

const box = (page: Page, name: string) => page.getByLabel(`Select ${name}`, { exact: true });
const selected = (page: Page, text: string) => page.locator("strong").filter({ hasText: text });

async function openScene({ app, visit }: ConsoleScene) {
  const { call } = app;
  for (const [id, name] of ["Dogs", "Cats"].entries())
    await call("PUT", `/categories/${id + 1}`, { body: { name } });
  // The list starts with the newest: Guppy 1 to Guppy 8.
  for (let i = 8; i >= 1; i--) await call("POST", "/pets", { body: { name: `Guppy ${i}`, categoryId: 1 } });
  const idOf = (number: number) => 9 - number;
  const pets = async (): Promise<Array<Record<string, unknown>>> =>
    (await call("GET", "/listings?status=any&limit=100")).json;
  const statuses = async () => (await pets()).map(({ status }) => status).join(" ");
  return { ...app, visit, idOf, pets, statuses };
}

testConsole("Many animals are selected and get another category in the console", async (t, scene) => {
  const { visit, pets } = await openScene(scene);

  await t.test("selects rows, ranges with shift, and the whole page", async (t) => {
    const page = await visit(t);
    await box(page, "Guppy 2").check();
    await selected(page, "1 selected").waitFor();
    await box(page, "Guppy 5").click({ modifiers: ["Shift"] });
    await selected(page, "4 selected").waitFor();
    await box(page, "Guppy 3").uncheck();
    await selected(page, "3 selected").waitFor();
    await page.getByLabel("Select all animals of this page").check();
    await selected(page, "8 selected").waitFor();
    await keepScreenshot(page, "console-bulk");
    await button(page, "Clear selection").click();
    await untilShown(() => page.evaluate("document.activeElement.localName"), "main");
    await page.getByRole("button", { name: "All 8" }).waitFor();
    await page.keyboard.press("Tab");
    await box(page, "Guppy 1").focus();
    await page.keyboard.press("Space");
    await selected(page, "1 selected").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await button(page, "Select all").click();
    await selected(page, "8 selected").waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel("Filter by category").selectOption("Cats");
    await untilShown(() => page.locator("strong").filter({ hasText: "selected" }).count(), 0);
  });

  await t.test("changes the category for all, with undo, and rows stay under their filter", async (t) => {
    const page = await visit(t);
    await page.getByLabel("Filter by category").selectOption("Dogs");
    await page.getByRole("status").filter({ hasText: "8 animals found" }).waitFor();
    await page.getByLabel("Select all animals of this page").check();
    await button(page, "Change category").click();
    const category = page.getByRole("dialog").getByLabel("Category", { exact: true });
    // As a long name would do: an option gives its width to the field.
    await category.evaluate((field) => field.append(new Option("W".repeat(90))));
    assert.ok(
      await category.evaluate(
        (field) =>
          field.getBoundingClientRect().right <
          Number(field.closest("dialog")?.getBoundingClientRect().right),
      ),
      "the field is inside its dialog",
    );
    await category.selectOption("Cats");
    await button(page, "Change 8 animals").click();
    await notice(page, "8 animals moved to another category.").waitFor();
    assert.ok((await pets()).every(({ categoryName }) => categoryName === "Cats"));
    await untilShown(() => rowOf(page, "· Cats").count(), 8);
    await button(page, "Undo").click();
    await notice(page, "The change of 8 animals was undone.").waitFor();
    assert.ok((await pets()).every(({ categoryName }) => categoryName === "Dogs"));
  });
});

testConsole("The status of many animals is changed at once in the console", async (t, scene) => {
  const { visit, call, idOf, statuses } = await openScene(scene);

  await t.test("changes a status for all, lists what failed, and undoes all at once", async (t) => {
    await call("PATCH", `/pets/${idOf(3)}`, { body: { status: "sold" } });
    await call("POST", "/store/orders", { body: { petId: idOf(4) } });
    const page = await visit(t, { expected: [409] });
    await box(page, "Guppy 1").check();
    await box(page, "Guppy 5").click({ modifiers: ["Shift"] });
    await button(page, "Change status").click();
    await page.getByRole("dialog").getByLabel("Status").selectOption("Pending");
    await button(page, "Change 5 animals").click();
    const failures = page.getByRole("dialog").getByRole("listitem");
    await untilShown(
      () => failures.allInnerTexts(),
      ["Guppy 3: It is adopted and cannot become pending directly."],
    );
    assert.equal(await statuses(), "pending pending sold pending pending available available available");
    await page.getByRole("dialog").locator("footer").getByRole("button", { name: "Close" }).click();
    await button(page, "Change status").click();
    await page.getByRole("dialog").getByLabel("Status").selectOption("Adopted");
    await button(page, "Change 5 animals").click();
    await untilShown(() => failures.count(), 1);
    assert.match(await failures.innerText(), /^Guppy 4: It has an open adoption/);
    await page.keyboard.press("Escape");
    // Pending to adopted and back needs two steps.
    await notice(page, "3 animals changed to adopted.").getByRole("button", { name: "Undo" }).last().click();
    await notice(page, "The change of 3 animals was undone.").waitFor();
    assert.equal(await statuses(), "pending pending sold pending pending available available available");
    await untilShown(() => page.getByLabel("Status of Guppy 1").inputValue(), "pending");
  });

  await t.test("says what happened instead when nothing was changed, inside the dialog", async (t) => {
    const ids: number[] = [];
    for (const name of ["W".repeat(255), "Max \u202Edrawkcab"])
      ids.push((await call("POST", "/pets", { body: { name, categoryId: 1, status: "sold" } })).json.id);
    const page = await visit(t);
    const openStatus = async (to: string) => {
      await button(page, "Change status").click();
      await page.getByRole("dialog").getByLabel("Status").selectOption(to);
      await button(page, "Change 2 animals").click();
    };
    for (const name of [/^Select WWW/, /^Select Max/]) await page.getByLabel(name).check();
    await openStatus("Adopted");
    await notice(page, "Nothing was changed: all of them are like that already.").waitFor();
    await button(page, "Dismiss").click();
    await openStatus("Pending");
    const failures = page.getByRole("dialog").getByRole("listitem");
    await untilShown(() => failures.count(), 2);
    for (const { width, height } of Object.values(SIZES)) {
      await page.setViewportSize({ width, height });
      await keepScreenshot(page, `console-bulk-failed-${width}`);
      const isOver = await page
        .getByRole("dialog")
        .evaluate((dialog) => dialog.scrollWidth > dialog.clientWidth);
      assert.equal(isOver, false, `at ${width} px`);
    }
    assert.equal(await page.locator(".notice").count(), 0, "no notice says that 0 were changed");
    for (const id of ids) await call("DELETE", `/pets/${id}`);
  });
});

testConsole("Many animals are deleted and added in the console", async (t, scene) => {
  const { visit, call, createKey, pets, idOf } = await openScene(scene);

  await t.test("deletes with one undo, and shows what could not be deleted", async (t) => {
    await call("POST", "/store/orders", { body: { petId: idOf(4) } });
    const page = await visit(t, { expected: [409] });
    await box(page, "Guppy 4").check();
    await box(page, "Guppy 8").click({ modifiers: ["Shift"] });
    await button(page, "Delete").click();
    await box(page, "Guppy 4").waitFor({ state: "detached" });
    await notice(page, "Deleting 5 animals.").waitFor();
    await button(page, "Undo").click();
    await box(page, "Guppy 4").waitFor();
    assert.equal((await pets()).length, 8);
    await box(page, "Guppy 4").check();
    await box(page, "Guppy 6").click({ modifiers: ["Shift"] });
    await button(page, "Delete").click();
    await button(page, "Delete now").click();
    await notice(page, "1 animal could not be deleted")
      .getByText("Guppy 4: It has an open adoption")
      .waitFor();
    await box(page, "Guppy 4").waitFor();
    assert.deepEqual(
      column(await pets(), "name"),
      [1, 2, 3, 4, 7, 8].map((number) => `Guppy ${number}`),
    );
    await box(page, "Guppy 7").check();
    await box(page, "Guppy 8").check();
    await button(page, "Delete").click();
    await box(page, "Guppy 8").waitFor({ state: "detached" });
    await page.close({ runBeforeUnload: true });
    await untilShown(async () => (await pets()).length, 4);
  });

  await t.test("waits out a limit with the countdown, and can be stopped", async (t) => {
    for (let i = 20; i >= 1; i--)
      await call("POST", "/pets", { body: { name: `Tetra ${i}`, categoryId: 1 } });
    const { key: small } = await createKey({ plan: "enterprise", perMinute: 14, perDay: 1_000 });
    const page = await visit(t, { key: small, expected: [429] });
    await page.getByLabel("Select all animals of this page").check();
    await button(page, "Change status").click();
    await page.getByRole("dialog").getByLabel("Status").selectOption("Pending");
    await button(page, "Change 20 animals").click();
    await page.getByRole("dialog").getByText("The limit of this key is reached.").waitFor();
    await page.getByRole("dialog").getByRole("progressbar", { name: "Progress" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
    const said = await page.getByText(/^\d+ animals? changed to pending\.$/).innerText();
    const changed = (await pets()).filter(
      ({ name, status }) => /Tetra/.test(`${name}`) && status === "pending",
    );
    assert.ok(changed.length > 0 && changed.length < 20, `${changed.length} of 20`);
    assert.equal(Number.parseInt(said, 10), changed.length);
  });

  await t.test("adds one animal after another", async (t) => {
    const page = await visit(t);
    await button(page, "Add an animal").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Category", { exact: true }).selectOption("Cats");
    await dialog.getByLabel("Status").selectOption("Pending");
    await page.keyboard.press("Tab");
    await dialog.getByLabel("Name").fill("Minka");
    await button(page, "Add another").click();
    await dialog.getByText("Minka was added").waitFor();
    await untilShown(() => page.evaluate("document.activeElement.name"), "name");
    assert.equal(await dialog.getByLabel("Name").inputValue(), "");
    await page.keyboard.type("Mikesch");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    const added = (await pets())
      .slice(0, 2)
      .map(({ name, categoryName, status }) => [name, categoryName, status]);
    assert.deepEqual(added, [
      ["Mikesch", "Cats", "pending"],
      ["Minka", "Cats", "pending"],
    ]);
  });

  await t.test("offers no selection to a key that may change nothing", async (t) => {
    const { key: reader } = await createKey({ plan: "enterprise", access: "browse" });
    const page = await visit(t, { key: reader });
    await page.getByRole("link", { name: "Minka" }).waitFor();
    assert.equal(await page.getByRole("checkbox").count(), 0);
  });
});
