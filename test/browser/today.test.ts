// Today, the first page of the console: what waits, what is missing, and the way to where it is done.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { testConsole, untilShown } from "../harness/clients/console.ts";
import { assertAccessible, COUNT_SHIFTS, SIZES } from "../harness/clients/looks.ts";

const STORY = { description: "She likes people." };

const card = (page: Page, title: string) => page.getByRole("region", { name: title });
const names = (page: Page, title: string) => card(page, title).getByRole("link", { name: /^(?!Show all)/ });

testConsole("Today in the console", async (t, { app, visit }) => {
  const { call, addPet, createKey, clock } = app;

  await t.test("is the first page, and says in words where nothing waits", async (t) => {
    const page = await visit(t, { at: "" });
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    await page.getByText("No request waits for approval.").waitFor();
    await page.getByText("No animal is waiting for a home.").waitFor();
    await untilShown(() => page.locator(".top .badge-count").count(), 0);
  });

  for (const [name, arrivedOn] of [
    ["Rex", "2026-03-01"],
    ["Luna", "2025-01-01"],
    ["Momo", "2026-02-01"],
    ["Bruno", undefined],
  ] as const) {
    const { id } = await addPet({ name });
    await call("PATCH", `/pets/${id}/profile`, { body: { arrivedOn, ...(name === "Luna" && STORY) } });
  }

  await t.test(
    "shows what ends first, what waits, what is missing and who is here the longest",
    async (t) => {
      for (const petId of [3, 1, 2]) {
        await call("POST", "/store/orders", { body: { petId, reference: `case ${petId}` } });
        clock.advance(1_000);
      }
      await call("PATCH", "/store/orders/3", { body: { status: "approved" } });
      const page = await visit(t, { at: "", ownContext: {} });
      await untilShown(() => names(page, "Waiting for approval").allInnerTexts(), ["Momo", "Rex"]);
      await untilShown(() => names(page, "Ready to hand over").allInnerTexts(), ["Luna"]);
      await untilShown(
        () => names(page, "Without photo or story").allInnerTexts(),
        ["Bruno", "Momo", "Luna", "Rex"],
      );
      await card(page, "Without photo or story").getByText("no photo, no story").first().waitFor();
      const [first] = await names(page, "Here the longest").allInnerTexts();
      assert.equal(first, "Luna");
      await untilShown(() => page.locator(".top .badge-count").innerText(), "3");
      await page.addInitScript(COUNT_SHIFTS);
      for (const size of [SIZES.phone, SIZES.desktop]) {
        await page.setViewportSize(size);
        await page.reload();
        await names(page, "Changed last").first().waitFor();
        assert.ok(Number(await page.evaluate("window.shift")) < 0.02);
        assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
        await assertAccessible(page, `Today ${size.width}`);
      }
      await names(page, "Waiting for approval").filter({ hasText: "Momo" }).click();
      await page.getByRole("button", { name: "Approve adoption 1" }).click();
      await page.getByRole("link", { name: "Today", exact: true }).click();
      await untilShown(() => names(page, "Waiting for approval").allInnerTexts(), ["Rex"]);
      // Without a click: events of others.
      await call("PATCH", "/store/orders/2", { body: { status: "approved" } });
      await page.getByText("No request waits for approval.").waitFor();
    },
  );

  await t.test("shows each access level only what it may see and do", async (t) => {
    const { key } = await createKey({ plan: "pro", access: "browse" });
    const page = await visit(t, { at: "", key });
    await names(page, "Here the longest").first().waitFor();
    await untilShown(
      () => page.getByRole("main").getByRole("heading", { level: 2 }).allInnerTexts(),
      ["Here the longest", "Changed last"],
    );
  });
});
