// Today, the first page of the console: what waits, what is missing, and the way to where it is done.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type ConsoleApp, testConsole, untilShown } from "../harness/clients/console.ts";
import { join } from "../harness/clients/invitation.ts";
import { assertAccessible, COUNT_SHIFTS, SIZES } from "../harness/clients/looks.ts";

const STORY = { description: "She likes people." };

const card = (page: Page, title: string) => page.getByRole("region", { name: title });
const names = (page: Page, title: string) => card(page, title).getByRole("link", { name: /^(?!Show all)/ });

testConsole("Today in the console", async (t, { app, visit }) => {
  const { call, createKey, clock } = app;

  await t.test("is the first page, and says in words where nothing waits", async (t) => {
    const page = await visit(t, { at: "" });
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    await page.getByText("Nothing waits for approval").waitFor();
    await page.getByText("No animal is waiting for a home").waitFor();
    await card(page, "Without photo or story").getByText("appear here").waitFor();
    await untilShown(() => page.locator(".top .badge-count").count(), 0);
    // A reserved height would push the next card out of a phone's view.
    await page.setViewportSize(SIZES.phone);
    const { height } = { ...(await card(page, "Waiting for approval").boundingBox()) };
    assert.ok(Number(height) < 150, `an empty card has ${height} px`);
  });

  await addAnimals(app);

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
        await page.getByText("None of the last 100 changes").waitFor();
        assert.ok(Number(await page.evaluate("window.shift")) < 0.02);
        assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
        await assertAccessible(page, `Today ${size.width}`);
      }
      for (const width of [1280, 1920]) {
        await page.setViewportSize({ width, height: 1080 });
        const edges = await page
          .locator(".today > section")
          .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right));
        assert.equal(edges[4], Math.max(...edges), "the last card leaves no free space beside it");
      }
      await names(page, "Waiting for approval").filter({ hasText: "Momo" }).click();
      await page.getByRole("button", { name: "Approve adoption 1" }).click();
      await page.getByRole("link", { name: "Today", exact: true }).click();
      await untilShown(() => names(page, "Waiting for approval").allInnerTexts(), ["Rex"]);
      // Without a click: events of others.
      await call("PATCH", "/store/orders/2", { body: { status: "approved" } });
      await page.getByText("Nothing waits for approval").waitFor();
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
    assert.equal(await page.getByRole("button", { name: "Add an animal" }).count(), 0);
  });

  await t.test("adds an animal", async (t) => {
    const page = await visit(t, { at: "" });
    await page.getByRole("button", { name: "Add an animal" }).click();
    const dialog = page.getByRole("dialog", { name: "Add an animal" });
    await dialog.getByLabel("Name").fill("Nora");
    await dialog.getByRole("button", { name: "Add another" }).click();
    await dialog.getByText("Nora was added").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await names(page, "Without photo or story").filter({ hasText: "Nora" }).waitFor();
    await page.getByRole("button", { name: "Add an animal" }).click();
    await dialog.getByLabel("Name").fill("Paul");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Paul" }).waitFor();
  });
});

testConsole("What colleagues did, on Today", async (t, { app, visit }) => {
  const { call } = app;
  await addAnimals(app);

  await t.test(
    "names the colleagues who did something, but not oneself, and leads to where it was done",
    async (t) => {
      const [kai, mia] = [
        (await join(call, { name: "Kai <b>Colleague</b>" })).key,
        (await join(call, { name: "Mia Berger" })).key,
      ];
      const page = await visit(t, { at: "", key: mia });
      const lines = () => card(page, "What colleagues did").getByRole("listitem").allInnerTexts();
      await page.getByText("None of the last 100 changes is a colleague’s.").waitFor();
      await call("PATCH", "/pets/4", { key: kai, body: { name: "Brutus" } });
      await call("PATCH", "/pets/2", { key: mia, body: { name: "Luna II" } });
      // By a live event. Her own change, and those of keys, are left out.
      await untilShown(
        async () => (await lines()).map((line) => line.split("\n").slice(0, 2)),
        [["Brutus", "Kai <b>Colleague</b> changed the name from Bruno to Brutus."]],
      );
      const { id } = (await call("POST", "/store/orders", { key: kai, body: { petId: 4 } })).json;
      await call("PATCH", "/pets/1/profile", { key: kai, body: { description: "A calm dog." } });
      await untilShown(
        async () => (await lines()).map((line) => line.split("\n")[1]),
        [
          "Kai <b>Colleague</b> changed the profile: Description.",
          `Kai <b>Colleague</b> started adoption ${id}.`,
        ],
      );
      await page.reload();
      await names(page, "What colleagues did").filter({ hasText: "Brutus" }).click();
      await page.waitForURL(/#orders\?petId=4$/);
      await page.getByRole("button", { name: `Approve adoption ${id}` }).waitFor();
    },
  );
});

async function addAnimals({ addPet, call }: ConsoleApp): Promise<void> {
  for (const [name, arrivedOn] of [
    ["Rex", "2026-03-01"],
    ["Luna", "2025-01-01"],
    ["Momo", "2026-02-01"],
    ["Bruno", undefined],
  ] as const) {
    const { id } = await addPet({ name });
    await call("PATCH", `/pets/${id}/profile`, { body: { arrivedOn, ...(name === "Luna" && STORY) } });
  }
}
