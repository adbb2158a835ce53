// What the signed-in key may not do is not offered.

import assert from "node:assert/strict";
import { openConsole, testConsole, untilShown } from "../harness/console.ts";

const OFFERED = {
  browse: { places: ["Animals", "Categories", "Usage"], onRex: [], canAdd: false },
  adopt: { places: ["Animals", "Orders", "Categories", "Usage"], onRex: ["Order"], canAdd: false },
  manage: {
    places: ["Animals", "Orders", "Categories", "Usage"],
    onRex: ["Order", "Edit", "Delete"],
    canAdd: true,
  },
  admin: {
    places: ["Animals", "Orders", "Categories", "Keys", "Usage"],
    onRex: ["Order", "Edit", "Delete"],
    canAdd: true,
  },
};

testConsole("Access in the console", async (t, { service, browser }) => {
  const { url, call, createKey } = service;
  await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  await call("PUT", "/categories/1", { body: { name: "Dogs" } });

  for (const [access, { places, onRex, canAdd }] of Object.entries(OFFERED)) {
    await t.test(`a key that may ${access} is offered that and no more`, async (t) => {
      const { key } = await createKey("--plan", "pro", "--access", access);
      const page = await openConsole(t, browser, { url, key });
      const row = page.getByRole("row").filter({ hasText: "Rex" });
      await row.waitFor();
      const nav = page.getByRole("navigation", { name: "Places" });
      await untilShown(() => nav.getByRole("link").allTextContents(), places);
      await untilShown(() => row.getByRole("button").allTextContents(), onRex);
      await untilShown(async () => (await row.getByRole("combobox").count()) === 1, canAdd);
      await untilShown(() => page.getByRole("button", { name: "Add an animal" }).isVisible(), canAdd);
      // Every place that is offered works: openConsole fails on any 403.
      for (const place of places) {
        await nav.getByRole("link", { name: place }).click();
        await page.getByRole("heading", { level: 1, name: place }).waitFor();
        await page.waitForLoadState("networkidle");
      }
      await page.goto(`${url}/#keys`);
      await page.getByRole("heading", { level: 1, name: access === "admin" ? "Keys" : "Animals" }).waitFor();
    });
  }

  await t.test(
    "a key that may adopt sees and cancels its own orders, and moves them no further",
    async (t) => {
      const { key } = await createKey("--plan", "pro", "--access", "adopt");
      await call("POST", "/store/orders", { key, body: { petId: 1, reference: "its own" } });
      await call("POST", "/pets", { body: { name: "Luna", categoryId: 1 } });
      await call("POST", "/store/orders", { body: { petId: 2, reference: "of another" } });
      const page = await openConsole(t, browser, { url, key });
      await page.getByRole("link", { name: "Orders" }).click();
      await page.getByRole("row").filter({ hasText: "its own" }).waitFor();
      await untilShown(() => page.getByRole("row").count(), 2);
      await page.getByRole("button", { name: "Cancel order 1" }).click();
      assert.equal(await page.getByRole("button", { name: "Approve order 1" }).count(), 0);
      await page.getByRole("button", { name: "Cancel the order" }).click();
      await page.getByRole("row").filter({ hasText: "Cancelled" }).waitFor();
    },
  );

  await t.test("an empty store tells a key that may only browse who can add animals", async (t) => {
    await call("PATCH", "/store/orders/2", { body: { status: "cancelled" } });
    for (const id of [1, 2]) await call("DELETE", `/pets/${id}`);
    const { key } = await createKey("--plan", "pro", "--access", "browse");
    const page = await openConsole(t, browser, { url, key });
    await page.getByText("A key with access “manage” can add some.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Load sample animals" }).count(), 0);
  });
});
