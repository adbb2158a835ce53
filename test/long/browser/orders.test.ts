// Orders and categories in the console.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import {
  act,
  type ConsoleScene,
  cancelConfirmation,
  notice,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";

/** More words than a search may have, and more characters. */
const LONG = `${"Wolfgang-Amadeus-Maximilian-von-und-zu-Hohenfels ".repeat(5)}II`;

const statusOf = async ({ call }: ConsoleScene["app"], id: number) =>
  (await call("GET", `/store/orders/${id}`)).json.status;

testConsole("Orders and categories in the console", { ORDER_HOLD_HOURS: "71" }, async (t, scene) => {
  await testOrderForm(t, scene);
  await testAnimalPicker(t, scene);
  await testWorklist(t, scene);
  await testMoves(t, scene);
  await testPages(t, scene);
});

async function testOrderForm(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call } = app;

  await t.test("without an available animal, the form says so and places nothing", async (t) => {
    const page = await visit(t, { at: "orders" });
    await page.getByText("No adoption is open.").waitFor();
    await page.getByRole("button", { name: "Start an adoption" }).first().click();
    await page.getByText("No available animal matches.").waitFor();
    await page.getByText("must be approved within 71 hours").waitFor();
    await page.getByRole("button", { name: "Start the adoption" }).click();
    // The field that is wrong has the focus, and a space typed there does not close the dialog.
    await untilShown(() => page.evaluate("document.activeElement.role"), "combobox");
    await page.keyboard.type("a b");
    await page.getByText("Choose an animal from the list").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 1);
  });

  for (const name of ["Rex", "Luna", "Momo"]) await call("POST", "/pets", { body: { name, categoryId: 1 } });
  await call("PATCH", "/pets/2/profile", { body: { breeds: ["Poodle"] } });

  await t.test("finds an animal by its breed, and moves the order until the animal is back", async (t) => {
    const page = await visit(t, { at: "orders" });
    await page.getByRole("button", { name: "Start an adoption" }).first().click();
    const picker = page.getByRole("combobox", { name: "Animal" });
    await picker.click();
    await page.getByRole("option").filter({ hasText: "Momo" }).waitFor();
    await picker.fill("pood");
    // Before the suggestions for it have arrived.
    await picker.press("Enter");
    assert.notEqual(await picker.inputValue(), "Momo");
    await picker.fill("");
    await page.getByRole("option").filter({ hasText: "Momo" }).waitFor();
    await picker.fill("pood");
    await untilShown(() => page.getByRole("option").allInnerTexts(), ["Luna\nPoodle, No. 2"]);
    // The same text once more.
    await picker.fill("pood");
    await page.keyboard.press("Enter");
    assert.equal(await picker.inputValue(), "Luna");
    await page.getByLabel("Reference", { exact: true }).fill("case 4711");
    await page.getByRole("button", { name: "Start the adoption" }).click();
    await notice(page, "Adoption 1 has started. It holds Luna until")
      .getByRole("link", { name: "Luna" })
      .waitFor();
    await rowOf(page, "Luna").filter({ hasText: "case 4711" }).filter({ hasText: "in 3 days" }).waitFor();
    await rowOf(page, "Luna").getByRole("link", { name: "Luna" }).waitFor();
    await page.getByRole("button", { name: "Approve adoption 1" }).click();
    await notice(page, "Luna can be handed over").getByRole("link", { name: "Luna" }).nth(1).waitFor();
    await page.getByRole("button", { name: "Hand over adoption 1" }).click();
    await page.getByRole("dialog").getByText("Luna goes to its new home").waitFor();
    await page.getByRole("button", { name: "Not yet" }).waitFor();
    await page.locator("dialog .primary").getByText("Hand over the animal").click();
    await page.getByText("No adoption is open.").waitFor();
    assert.equal(await statusOf(app, 1), "delivered");
    await page.getByRole("button", { name: "Delivered 1" }).click();
    await act(page, "Adoption 1", "Take back");
    await page.getByRole("dialog").getByText("Luna comes back").waitFor();
    await page.getByRole("button", { name: "Take back the animal" }).click();
    await page.getByText("No adoption has the status “Delivered”.").waitFor();
    await page.getByRole("button", { name: "Returned 1" }).waitFor();
    assert.equal(await statusOf(app, 1), "returned");
  });
}

async function testAnimalPicker(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call } = app;

  await t.test("the order form finds an available animal by its number, as the list does", async (t) => {
    const others = [
      { name: "2 Socks", status: "available" },
      { name: "Box 204", status: "available" },
      { name: "Box 205", status: "pending" },
      { name: LONG, status: "available" },
    ];
    const ids: number[] = [];
    for (const each of others)
      ids.push((await call("POST", "/pets", { body: { ...each, categoryId: 1 } })).json.id);
    const [socks, box, held, long] = ids;
    const luna = "Luna\nPoodle, No. 2";
    const found: Record<string, string[]> = {
      "2": [luna, `Box 204\nNo. ${box}`, `2 Socks\nNo. ${socks}`],
      "No. 2": [luna],
      "#2": [luna],
      "204": [`Box 204\nNo. ${box}`],
      "205": [],
      [`${held}`]: [],
      "99999999999999999999": [],
    };
    const page = await visit(t, { at: "orders", ownContext: {} });
    await page.getByRole("button", { name: "Start an adoption" }).first().click();
    const picker = page.getByRole("combobox", { name: "Animal" });
    const options = () => page.getByRole("option").allInnerTexts();
    await picker.click();
    for (const [typed, expected] of Object.entries(found)) {
      await picker.fill(typed);
      await untilShown(options, expected);
    }
    await picker.fill(String(long));
    await page.getByRole("option").filter({ hasText: LONG }).waitFor();
    // The name of the chosen animal is the next search.
    const searched = page.waitForResponse((response) => response.url().includes("q=Wolfgang"));
    await picker.press("Enter");
    assert.equal(await picker.inputValue(), LONG);
    assert.equal((await searched).status(), 200);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: "Vermittlung anlegen" }).first().click();
    await page.getByPlaceholder("Name, Rasse oder Nummer").fill("Nr. 2");
    await untilShown(options, ["Luna\nPoodle, Nr. 2"]);
    for (const id of ids) await call("DELETE", `/pets/${id}`);
  });
}

async function testWorklist(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { url, call } = app;

  await t.test("shows open orders first, those that wait for approval before the others", async (t) => {
    for (const petId of [1, 2, 3]) await call("POST", "/store/orders", { body: { petId } });
    await call("PATCH", "/store/orders/4", { body: { status: "approved" } });
    const page = await visit(t, { at: "orders" });
    const names = () => page.getByRole("rowheader").getByRole("link").allInnerTexts();
    await untilShown(names, ["Rex", "Luna", "Momo"]);
    await page.getByRole("button", { name: "Open 3" }).waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await untilShown(names, ["Momo", "Luna", "Rex", "Luna"]);
    // The filter is in the address: reload and back keep it.
    await page.reload();
    await untilShown(names, ["Momo", "Luna", "Rex", "Luna"]);
    await page.goBack();
    await untilShown(names, ["Rex", "Luna", "Momo"]);
    await page.goto(`${url}/#orders?petId=2`);
    await untilShown(names, ["Luna", "Luna"]);
    await page.getByRole("button", { name: "Only animal 2 ✕" }).click();
    await untilShown(names, ["Rex", "Luna", "Momo"]);
  });

  await t.test("cancels only after a confirmation that names both choices", async (t) => {
    const page = await visit(t, { at: "orders" });
    await act(page, "Adoption 2", "Cancel");
    await page.getByRole("button", { name: "Keep the adoption" }).click();
    assert.equal(await statusOf(app, 2), "placed");
    await act(page, "Adoption 2", "Cancel");
    await cancelConfirmation(page, "Cancel the adoption");
    assert.equal(await statusOf(app, 2), "placed");
    await act(page, "Adoption 2", "Cancel");
    await page.getByRole("button", { name: "Cancel the adoption" }).click();
    await notice(page, "Adoption 2 is cancelled, and Rex is available again.").waitFor();
    assert.equal(await statusOf(app, 2), "cancelled");
  });

  await t.test("marks the holds that end within a day with a badge", async (t) => {
    const page = await visit(t, { ownContext: {} });
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
    const badge = page.locator(".status.ending");
    await page.clock.install({ time: hours(50) });
    await page.goto(`${url}/#orders`);
    await rowOf(page, "Luna")
      .filter({ has: badge })
      .filter({ hasText: /in \d+ hours/ })
      .waitFor();
    await page.clock.setSystemTime(hours(0));
    await page.reload();
    await rowOf(page, "Luna").waitFor();
    await untilShown(() => badge.count(), 0);
  });
}

/** Moves that come twice, or too late. */
async function testMoves(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { url, call } = app;

  await t.test("the second of two people sees why the order failed, and the current state", async (t) => {
    const page = await visit(t, { at: "animals/1", expected: [409] });
    await page.getByRole("button", { name: "Start an adoption" }).click();
    await call("POST", "/store/orders", { body: { petId: 1 } });
    await page.getByRole("button", { name: "Start the adoption" }).click();
    await page.getByRole("dialog").getByText("not available any more").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    // The list does not change while the pointer is down, so the button is still there when it is released.
    await page.getByRole("button", { name: "Approve adoption 5" }).hover();
    await page.mouse.down();
    await call("PATCH", "/store/orders/5", { body: { status: "cancelled" } });
    await page.mouse.up();
    await notice(page, "cancelled").waitFor();
    await page.getByRole("button", { name: "Approve adoption 5" }).waitFor({ state: "detached" });
  });

  await t.test("after a refused move, the list under the dialog shows the current state", async (t) => {
    const page = await visit(t, { at: "orders?status=all", expected: [409] });
    await act(page, "Adoption 4", "Cancel");
    await call("PATCH", "/store/orders/4", { body: { status: "delivered" } });
    await page.getByRole("button", { name: "Cancel the adoption" }).click();
    await page.getByRole("dialog").getByRole("alert").filter({ hasText: "delivered" }).waitFor();
    await rowOf(page, "Momo").filter({ hasText: "Delivered" }).waitFor();
    await call("PATCH", "/store/orders/4", { body: { status: "returned" } });
  });

  await t.test("a double-click moves an order once", async (t) => {
    const page = await visit(t);
    let moves = 0;
    await page.route("**/v1/store/orders/3", async (route) => {
      moves += 1;
      await route.continue();
    });
    await page.goto(`${url}/#orders`);
    await page.getByRole("button", { name: "Approve adoption 3" }).dblclick({ delay: 100 });
    await page.getByRole("button", { name: "Hand over adoption 3" }).dblclick();
    await cancelConfirmation(page, "Hand over the animal");
    assert.deepEqual([moves, await statusOf(app, 3)], [1, "approved"]);
  });

  await t.test("a move is not sent again while its request runs", async (t) => {
    await call("POST", "/store/orders", { body: { petId: 3 } });
    const page = await visit(t);
    const held = Promise.withResolvers<void>();
    let moves = 0;
    await page.route("**/v1/store/orders/6", async (route) => {
      moves += 1;
      await held.promise;
      await route.continue();
    });
    await page.goto(`${url}/#orders`);
    const approve = page.getByRole("button", { name: "Approve adoption 6" });
    await approve.focus();
    for (let i = 0; i < 2; i++) await page.keyboard.press("Enter");
    await untilShown(() => approve.getAttribute("aria-disabled"), "true");
    held.resolve();
    await page.getByRole("button", { name: "Hand over adoption 6" }).waitFor();
    assert.equal(moves, 1);
  });
}

async function testPages(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { url, call } = app;

  await t.test("keeps the orders of a deleted animal, with its number", async (t) => {
    const { id } = (await call("POST", "/pets", { body: { name: "Ghost", categoryId: 1 } })).json;
    await call("POST", "/store/orders", { body: { petId: id } });
    await call("PATCH", "/store/orders/7", { body: { status: "cancelled" } });
    await call("DELETE", `/pets/${id}`);
    const page = await visit(t, { at: "orders?status=cancelled" });
    await rowOf(page, `Animal ${id}, deleted`).waitFor();
  });

  await t.test(
    "goes through the pages, what expires first before the others, and leaves a page whose last order has moved",
    async (t) => {
      const animals = Array.from({ length: 21 }, (_, i) => `Guppy ${i + 1}`);
      for (const [index, name] of animals.entries()) {
        const { id } = (await call("POST", "/pets", { body: { name, categoryId: 3 } })).json;
        await call("POST", "/store/orders", { body: { petId: id, reference: `tank ${index + 1}.` } });
      }
      const page = await visit(t, { at: "orders?status=placed" });
      await rowOf(page, "tank 1.").waitFor();
      await page.getByRole("button", { name: "Next" }).click();
      await rowOf(page, "tank 21.").waitFor();
      await page.reload();
      await rowOf(page, "tank 21.").waitFor();
      await page.getByText("Page 2").waitFor();
      await page.getByRole("button", { name: "Previous" }).click();
      await rowOf(page, "tank 1.").waitFor();
      // A link to the second page: the page before it is unknown.
      await page.goBack();
      await rowOf(page, "tank 21.").waitFor();
      const other = await visit(t);
      await other.goto(page.url());
      await rowOf(other, "tank 21.").waitFor();
      await other.getByRole("button", { name: "Previous" }).click();
      await rowOf(other, "tank 1.").waitFor();
      await page.getByRole("button", { name: /^Approve adoption/ }).click();
      await rowOf(page, "tank 1.").waitFor();
    },
  );

  await t.test("names, renames and deletes categories, with undo", async (t) => {
    const page = await visit(t, { at: "categories" });
    await page.getByRole("button", { name: "Name the first category" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Dogs");
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Category 1 is called Dogs").waitFor();
    await page.getByRole("button", { name: "Name a category" }).click();
    await untilShown(() => page.getByLabel("Number").inputValue(), "2");
    await page.getByLabel("Number").fill("1");
    await page.getByLabel("Name", { exact: true }).fill("Wolves");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Number 1 already has a name").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Rename Dogs" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Hounds");
    await page.getByRole("button", { name: "Save" }).click();
    await rowOf(page, "Hounds").waitFor();
    await page.goto(`${url}/#animals?q=Rex`);
    await rowOf(page, "Rex").filter({ hasText: "Hounds" }).waitFor();
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("button", { name: "Delete Hounds" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Delete Hounds" }).click();
    // Signing out sends the deletions that still wait.
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal((await deleted).status(), 204);
    assert.deepEqual((await call("GET", "/categories")).json, []);
  });
}
