// The console offers only what the access level of the signed-in key allows.

import assert from "node:assert/strict";
import { act, testConsole, untilShown } from "../../harness/clients/console.ts";

const OFFERED = {
  browse: { places: ["Today", "Animals", "Categories", "Usage"], actions: [], canAdd: false },
  adopt: {
    places: ["Today", "Animals", "Adoptions", "Categories", "Usage"],
    actions: ["Start an adoption"],
    canAdd: false,
  },
  manage: {
    places: ["Today", "Animals", "Adoptions", "Categories", "Webhooks", "Usage"],
    actions: ["Start an adoption", "Delete"],
    canAdd: true,
  },
  admin: {
    places: [
      "Today",
      "Animals",
      "Adoptions",
      "Categories",
      "Webhooks",
      "People",
      "Keys",
      "Audit log",
      "Usage",
    ],
    actions: ["Start an adoption", "Delete"],
    canAdd: true,
  },
};

testConsole("Access in the console", async (t, { app, visit }) => {
  const { url, call, createKey } = app;
  await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  await call("PUT", "/categories/1", { body: { name: "Dogs" } });

  for (const [access, { places, actions, canAdd }] of Object.entries(OFFERED)) {
    await t.test(`a key with access "${access}" sees only the places and buttons of its level`, async (t) => {
      const { key } = await createKey({ plan: "pro", access });
      const page = await visit(t, { key });
      const row = page.getByRole("row").filter({ hasText: "Rex" });
      await row.waitFor();
      const nav = page.getByRole("navigation", { name: "Places" });
      await untilShown(() => nav.getByRole("link").allTextContents(), places);
      const menu = row.getByRole("button", { name: "Actions for Rex" });
      await untilShown(() => menu.count(), actions.length > 0 ? 1 : 0);
      if (actions.length > 0) await menu.click();
      await untilShown(() => page.getByRole("menuitem").allTextContents(), actions);
      await page.keyboard.press("Escape");
      await untilShown(async () => (await row.getByRole("combobox").count()) === 1, canAdd);
      await untilShown(() => page.getByRole("button", { name: "Add an animal" }).isVisible(), canAdd);
      await page.getByRole("link", { name: "Rex" }).click();
      await page.getByRole("heading", { level: 1, name: "Rex" }).waitFor();
      // Sections, photos and the animal itself.
      const changes = page.getByRole("button", { name: /^(Edit |Choose photos|More actions)/ });
      await untilShown(() => changes.count(), canAdd ? 6 : 0);
      const adoption = page.getByRole("region", { name: "Adoption" });
      await untilShown(() => adoption.getByRole("button").allTextContents(), actions.slice(0, 1) as string[]);
      // Every place in the navigation works: openConsole fails on any 403.
      for (const place of places) {
        await nav.getByRole("link", { name: place }).click();
        await page.getByRole("heading", { level: 1, name: place }).waitFor();
        await page.getByRole("main").locator("table, .empty, .bar, .today").first().waitFor();
        await untilShown(() => page.getByRole("main").getByText("Loading…").count(), 0);
      }
      await page.goto(`${url}/#keys`);
      await page.getByRole("heading", { level: 1, name: access === "admin" ? "Keys" : "Animals" }).waitFor();
    });
  }

  await t.test('a key with access "adopt" sees its own orders, and can only cancel them', async (t) => {
    const { key } = await createKey({ plan: "pro", access: "adopt" });
    await call("POST", "/store/orders", { key, body: { petId: 1, reference: "its own" } });
    await call("POST", "/pets", { body: { name: "Luna", categoryId: 1 } });
    await call("POST", "/store/orders", { body: { petId: 2, reference: "of another" } });
    const page = await visit(t, { at: "orders", key });
    await page.getByRole("row").filter({ hasText: "its own" }).waitFor();
    await untilShown(() => page.getByRole("row").count(), 2);
    assert.equal(await page.getByRole("button", { name: "Approve adoption 1" }).count(), 0);
    await act(page, "Adoption 1", "Cancel");
    await page.getByRole("button", { name: "Cancel the adoption" }).click();
    await page.getByRole("button", { name: "Cancelled 1" }).click();
    await page.getByRole("row").filter({ hasText: "Cancelled" }).waitFor();
  });

  await t.test('with access "browse", an empty store says which access can add animals', async (t) => {
    await call("PATCH", "/store/orders/2", { body: { status: "cancelled" } });
    for (const id of [1, 2]) await call("DELETE", `/pets/${id}`);
    const { key } = await createKey({ plan: "pro", access: "browse" });
    const page = await visit(t, { key });
    await page.getByText("A key with access “Manage” can add some.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Load sample animals" }).count(), 0);
  });
});
