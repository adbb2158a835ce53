// Orders and categories in the console.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { cancelConfirmation, openConsole, signIn, testConsole, untilShown } from "../harness/console.ts";

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const notice = (page: Page, text: string | RegExp) => page.getByRole("status").filter({ hasText: text });

testConsole("Orders and categories in the console", async (t, { app, context }) => {
  const { url, adminKey: key, call } = app;
  const statusOf = async (id: number) => (await call("GET", `/store/orders/${id}`)).json.status;

  await t.test("without an available animal, the order form says what to do instead", async (t) => {
    const page = await openConsole(t, context, { url, key });
    const held = Promise.withResolvers<void>();
    await page.route("**/v1/pets?*status=available*", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Place the first order" }).click();
    const submit = page.getByRole("button", { name: "Place the order" });
    await page.getByText("Loading the animals…").waitFor();
    assert.equal(await submit.count(), 0);
    held.resolve();
    await page.getByText("No animal is available.").waitFor();
    assert.equal(await submit.count(), 0);
    await page.getByRole("dialog").getByRole("link", { name: "Animals" }).click();
    await page.getByText("There are no animals yet.").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  for (const name of ["Rex", "Luna", "Momo"]) await call("POST", "/pets", { body: { name, categoryId: 1 } });

  await t.test("places the first order and moves it to approved, delivered and returned", async (t) => {
    const page = await openConsole(t, context, { url, key });
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Place the first order" }).click();
    await page.getByLabel("Animal", { exact: true }).selectOption("Luna (2)");
    await page.getByLabel("Reference").fill("case 4711");
    await page.getByRole("button", { name: "Place the order" }).click();
    await rowOf(page, "Luna").filter({ hasText: "case 4711" }).filter({ hasText: "in 3 days" }).waitFor();
    await page.getByRole("button", { name: "Approve order 1" }).click();
    await rowOf(page, "Approved").waitFor();
    await page.getByRole("button", { name: "Deliver order 1" }).click();
    await page.getByRole("dialog").getByText("Luna goes to its new home").waitFor();
    await page.getByRole("button", { name: "Deliver the order" }).click();
    await rowOf(page, "Delivered").waitFor();
    assert.equal(await statusOf(1), "delivered");
    await page.getByRole("button", { name: "Return order 1" }).click();
    await page.getByRole("dialog").getByText("Luna comes back").waitFor();
    await page.getByRole("button", { name: "Return the order" }).click();
    await rowOf(page, "Returned").waitFor();
    await untilShown(() => page.getByRole("button", { name: /order 1$/ }).count(), 0);
  });

  await t.test("places an order from the list of animals, and cancels it after a confirmation", async (t) => {
    const page = await openConsole(t, context, { url, key });
    await page.getByRole("button", { name: "Order Rex" }).click();
    await page.getByRole("button", { name: "Place the order" }).click();
    await notice(page, "Order 2 is placed").waitFor();
    await rowOf(page, "Rex")
      .filter({ has: page.locator("select.pending") })
      .waitFor();
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Cancel order 2" }).click();
    await cancelConfirmation(page, "Cancel the order");
    assert.equal(await statusOf(2), "placed");
    await page.getByRole("button", { name: "Cancel order 2" }).click();
    await page.getByRole("button", { name: "Cancel the order" }).click();
    await rowOf(page, "Cancelled").waitFor();
    await page.getByLabel("Status").selectOption("Placed");
    await page.getByText("No order is placed. Choose another status.").waitFor();
  });

  await t.test(
    "tells the second of two people why the order failed, and shows the current state",
    async (t) => {
      const page = await openConsole(t, context, { url, key, expected: [409] });
      await page.getByRole("button", { name: "Order Momo" }).click();
      await call("POST", "/store/orders", { body: { petId: 3 } });
      await page.getByRole("button", { name: "Place the order" }).click();
      await page.getByRole("dialog").getByText("not available any more").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Orders" }).click();
      // The list does not change while the pointer is down, so the button is still there when it is released.
      await page.getByRole("button", { name: "Approve order 3" }).hover();
      await page.mouse.down();
      await call("PATCH", "/store/orders/3", { body: { status: "cancelled" } });
      await page.mouse.up();
      await notice(page, "cancelled").waitFor();
      await page.getByRole("button", { name: "Approve order 3" }).waitFor({ state: "detached" });
    },
  );

  await t.test(
    "when a confirmed move is refused, the list behind the dialog shows the current state",
    async (t) => {
      await call("POST", "/store/orders", { body: { petId: 3 } });
      const page = await openConsole(t, context, { url, key, expected: [409] });
      await page.getByRole("link", { name: "Orders" }).click();
      await page.getByRole("button", { name: "Cancel order 4" }).click();
      for (const status of ["approved", "delivered"])
        await call("PATCH", "/store/orders/4", { body: { status } });
      await page.getByRole("button", { name: "Cancel the order" }).click();
      await page.getByRole("dialog").getByRole("alert").filter({ hasText: "delivered" }).waitFor();
      await rowOf(page, "Momo").filter({ hasText: "Delivered" }).waitFor();
      await call("PATCH", "/store/orders/4", { body: { status: "returned" } });
    },
  );

  await t.test("a double-click moves an order once", async (t) => {
    await call("POST", "/store/orders", { body: { petId: 3 } });
    const page = await openConsole(t, context, { url, key });
    let moves = 0;
    await page.route("**/v1/store/orders/5", async (route) => {
      moves += 1;
      await route.continue();
    });
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Approve order 5" }).dblclick({ delay: 100 });
    await page.getByRole("button", { name: "Deliver order 5" }).waitFor();
    await page.getByRole("button", { name: "Deliver order 5" }).dblclick();
    await cancelConfirmation(page, "Deliver the order");
    assert.deepEqual([moves, await statusOf(5)], [1, "approved"]);
  });

  await t.test("a move is not sent again while its request runs", async (t) => {
    await call("PATCH", "/store/orders/5", { body: { status: "cancelled" } });
    await call("POST", "/store/orders", { body: { petId: 3 } });
    const page = await openConsole(t, context, { url, key });
    const held = Promise.withResolvers<void>();
    let moves = 0;
    await page.route("**/v1/store/orders/6", async (route) => {
      moves += 1;
      await held.promise;
      await route.continue();
    });
    await page.getByRole("link", { name: "Orders" }).click();
    const approve = page.getByRole("button", { name: "Approve order 6" });
    await approve.focus();
    for (let i = 0; i < 2; i++) await page.keyboard.press("Enter");
    await untilShown(() => approve.getAttribute("aria-disabled"), "true");
    held.resolve();
    await page.getByRole("button", { name: "Deliver order 6" }).waitFor();
    assert.equal(moves, 1);
  });

  await t.test("shows orders before the names of animals, and looks each name up once", async (t) => {
    const { id } = (await call("POST", "/pets", { body: { name: "Ghost", categoryId: 1 } })).json;
    await call("POST", "/store/orders", { body: { petId: id } });
    await call("PATCH", "/store/orders/7", { body: { status: "cancelled" } });
    await call("DELETE", `/pets/${id}`);
    // Straight to the orders: the list of animals would load their names.
    const page = await openConsole(t, context, { url });
    await page.goto(`${url}/#orders`);
    const held = Promise.withResolvers<void>();
    let reads = 0;
    await page.route("**/v1/pets?*", async (route) => {
      reads += 1;
      await held.promise;
      await route.continue();
    });
    await signIn(page, key);
    await rowOf(page, "Animal #3").first().waitFor();
    held.resolve();
    await rowOf(page, "Momo #3").first().waitFor();
    await rowOf(page, `Animal #${id}`).waitFor();
    await untilShown(async () => reads, 3);
    await page.getByLabel("Status").selectOption("Cancelled");
    await rowOf(page, "Returned").first().waitFor({ state: "detached" });
    await page.getByLabel("Status").selectOption("All");
    await rowOf(page, "Returned").first().waitFor();
    assert.equal(reads, 3);
  });

  await t.test("goes through the pages, and leaves a page whose last order has moved", async (t) => {
    for (let i = 1; i <= 20; i++) {
      const { id } = (await call("POST", "/pets", { body: { name: `Guppy ${i}`, categoryId: 3 } })).json;
      await call("POST", "/store/orders", { body: { petId: id, reference: `tank ${i}.` } });
    }
    await call("POST", "/store/orders", { body: { petId: 1, reference: "the last one" } });
    const page = await openConsole(t, context, { url, key });
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await rowOf(page, "the last one").waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await rowOf(page, "case 4711").waitFor();
    await page.getByLabel("Status").selectOption("Placed");
    await rowOf(page, "case 4711").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2").waitFor();
    await rowOf(page, "tank 1.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Approve order/ }).click();
    await page.getByText("Page 1").or(rowOf(page, "tank 1.")).first().waitFor();
    await rowOf(page, "tank 1.").waitFor();
  });

  await t.test("with more than 100 available animals, asks for the id of the animal", async (t) => {
    const body = { name: "Tetra", categoryId: 3 };
    await Promise.all(Array.from({ length: 101 }, () => call("POST", "/pets", { body })));
    const { id } = (await call("POST", "/pets", { body: { name: "Nemo", categoryId: 3 } })).json;
    const page = await openConsole(t, context, { url, key });
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Place an order" }).click();
    await page.getByText("More than 100 animals are available").waitFor();
    await page.getByLabel("Id of the animal").fill(String(id));
    await page.getByRole("button", { name: "Place the order" }).click();
    await notice(page, /Order \d+ is placed/).waitFor();
  });

  await t.test("names, renames and deletes categories, with undo", async (t) => {
    const page = await openConsole(t, context, { url, key });
    await page.getByRole("link", { name: "Categories" }).click();
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
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Rename Dogs" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Hounds");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Animals" }).click();
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
});
