// Orders and categories in the console.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openConsole, testConsole, turnDown, untilShown } from "../harness/console.ts";

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const notice = (page: Page, text: string | RegExp) => page.getByRole("status").filter({ hasText: text });

testConsole("Orders and categories in the console", async (t, { service, browser }) => {
  const { url, adminKey: key, call } = service;
  const statusOf = async (id: number) => (await call("GET", `/store/orders/${id}`)).json.status;
  for (const name of ["Rex", "Luna", "Momo"]) await call("POST", "/pets", { body: { name, categoryId: 1 } });

  await t.test("an order is placed from an empty list and goes all its way", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Place the first order" }).click();
    await page.getByLabel("Animal", { exact: true }).selectOption("Luna (2)");
    await page.getByLabel("Reference").fill("case 4711");
    await page.getByRole("button", { name: "Place the order" }).click();
    await rowOf(page, "Luna").filter({ hasText: "case 4711" }).filter({ hasText: "in 3 days" }).waitFor();
    await page.getByRole("button", { name: "Approve order 1" }).click();
    await rowOf(page, "Approved").waitFor();
    await page.getByRole("button", { name: "Deliver order 1" }).click();
    await rowOf(page, "Delivered").waitFor();
    assert.equal(await statusOf(1), "delivered");
    await page.getByRole("button", { name: "Return order 1" }).click();
    await page.getByRole("dialog").getByText("Luna comes back").waitFor();
    await page.getByRole("button", { name: "Return the order" }).click();
    await rowOf(page, "Returned").waitFor();
    await untilShown(() => page.getByRole("button", { name: /order 1$/ }).count(), 0);
  });

  await t.test("an order is placed from the animal, and cancelled after a question", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await page.getByRole("button", { name: "Order Rex" }).click();
    await page.getByRole("button", { name: "Place the order" }).click();
    await notice(page, "Order 2 is placed").waitFor();
    await rowOf(page, "Rex")
      .filter({ has: page.locator("select.pending") })
      .waitFor();
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Cancel order 2" }).click();
    await turnDown(page, "Cancel the order");
    assert.equal(await statusOf(2), "placed");
    await page.getByRole("button", { name: "Cancel order 2" }).click();
    await page.getByRole("button", { name: "Cancel the order" }).click();
    await rowOf(page, "Cancelled").waitFor();
    await page.getByLabel("Status").selectOption("Placed");
    await page.getByText("No order is placed. Choose another status.").waitFor();
  });

  await t.test("two people at once: the second one is told and sees how it is", async (t) => {
    const page = await openConsole(t, browser, { url, key, expected: [409] });
    await page.getByRole("button", { name: "Order Momo" }).click();
    await call("POST", "/store/orders", { body: { petId: 3 } });
    await page.getByRole("button", { name: "Place the order" }).click();
    await page.getByRole("dialog").getByText("not available any more").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Approve order 3" }).waitFor();
    await call("PATCH", "/store/orders/3", { body: { status: "cancelled" } });
    await page.getByRole("button", { name: "Approve order 3" }).click();
    await notice(page, "cancelled").waitFor();
    await page.getByRole("button", { name: "Approve order 3" }).waitFor({ state: "detached" });
  });

  await t.test("categories are named, renamed and deleted with undo", async (t) => {
    const page = await openConsole(t, browser, { url, key });
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
    await page.getByText("Number 1 has a name already").waitFor();
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
    // Signing out leaves nothing behind that was announced.
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal((await deleted).status(), 204);
    assert.deepEqual((await call("GET", "/categories")).json, []);
  });
});
