// Lists other than animals and adoptions on a phone: low rows that are one target each, and lead to everything that wide rows offer.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import {
  button,
  type ConsoleApp,
  type ConsoleScene,
  keepScreenshot,
  notice,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import {
  assertAccessible,
  assertFits,
  COUNT_SHIFTS,
  findRowFaults,
  PHONE,
} from "../../harness/clients/looks.ts";
import { joinAs } from "../../harness/clients/people.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";

const HOSTILE = ["W".repeat(100), "龍".repeat(60), "Max \u202Edrawkcab"];
/** The table in a place, and the number of its rows. */
const LISTS = [
  ["categories", "Categories", 4],
  ["shelters", "Shelters", 5],
  ["webhooks", "Webhooks", 2],
  ["webhooks/1", "Deliveries", 3],
  ["people", "People", 3],
  ["people", "Invitations", 4],
  ["keys", "Keys", 11],
  ["audit", "Audit log", 20],
  ["usage", "Keys that still use an outdated call", 2],
] as const;

testConsole("Lists on a phone", RECEIVER_SETTINGS, async (t, scene) => {
  await fill(t, scene);
  await testRows(t, scene);
  await testTargets(t, scene);
  await testMenus(t, scene);
});

async function fill(t: TestContext, { app }: ConsoleScene): Promise<void> {
  const { call, createKey, addPet } = app;
  for (const [index, name] of ["Dogs", ...HOSTILE].entries())
    await call("PUT", `/categories/${index + 1}`, { body: { name } });
  for (const name of ["North", ...HOSTILE]) await call("POST", "/shelters", { body: { name } });
  for (const name of ["Mia", ...HOSTILE.slice(0, 2)]) await joinAs(app, { name, access: "manage" });
  for (const name of ["Yuki", ...HOSTILE])
    await call("POST", "/invitations", { body: { name, access: "adopt" } });
  for (const name of ["Website", ...HOSTILE]) await createKey({ name });
  const { id } = await createKey({ name: "Former" });
  await call("DELETE", `/keys/${id}`);
  await useOutdated(app);
  const receiver = await startReceiver(t, 500);
  await call("POST", "/webhooks", {
    body: { url: receiver.url, description: "Feed", types: ["pet.created", "listing.updated"] },
  });
  await call("POST", "/webhooks", { body: { url: `${receiver.url}/${"h".repeat(300)}` } });
  for (const name of ["Rex", "Luna"]) await addPet({ name });
  await call("PATCH", "/pets/2/profile", { body: { species: "dog" } });
  await receiver.until(1);
}

/** Keys that call what is deprecated. */
async function useOutdated({ call, createKey, addPet }: ConsoleApp): Promise<void> {
  const { id } = await addPet({ name: "Momo" });
  for (const name of ["Old app", HOSTILE[0]]) {
    const { key } = await createKey({ name, access: "browse" });
    await call("GET", `/pets/${id}`, { key });
  }
}

async function testRows(t: TestContext, { visit }: ConsoleScene): Promise<void> {
  for (const [at, label, count] of LISTS)
    await t.test(`"${label}" has rows of at most 88 px that are one target each`, async (t) => {
      const rows = `table[aria-label="${label}"] tbody tr`;
      const page = await visit(t, { at, ownContext: PHONE });
      await page.addInitScript(COUNT_SHIFTS);
      await page.reload();
      await untilShown(() => page.locator(rows).count(), count);
      assert.ok(Number(await page.evaluate("window.shift")) < 0.02);
      assert.deepEqual(await findRowFaults(page, rows), []);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await assertFits(page, at);
        await assertAccessible(page, `${at}, ${colorScheme}`);
        await keepScreenshot(page, `phone-rows-${label}-${colorScheme}`.replaceAll(" ", "-").toLowerCase());
      }
    });
}

/** A touch at the end of the row, far from its words. */
async function touch(page: Page, text: string): Promise<void> {
  const row = rowOf(page, text).first();
  await row.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await row.boundingBox()) ?? assert.fail("the row is not shown");
  await page.touchscreen.tap(x + width - 4, y + height - 6);
}

async function testTargets(t: TestContext, { visit }: ConsoleScene): Promise<void> {
  for (const [at, text, heading] of [
    ["keys", "Website", "Website"],
    ["people", "Mia", "Mia"],
    ["webhooks", "Feed", "Feed"],
    ["shelters", "North", "North"],
    ["usage", "Old app", "Old app"],
  ] as const)
    await t.test(`a touch on a row of ${at} opens its page`, async (t) => {
      const page = await visit(t, { at, ownContext: PHONE });
      await rowOf(page, text).first().waitFor();
      await touch(page, text);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    });

  await t.test("a touch on an entry of the audit log shows its details, which lead to the key", async (t) => {
    const page = await visit(t, { at: "audit", ownContext: PHONE });
    await rowOf(page, "Key revoked").waitFor();
    await touch(page, "Key revoked");
    const entry = page.getByRole("dialog", { name: "Key revoked" });
    await entry.getByText("Active → Revoked").waitFor();
    await assertFits(page, "entry");
    await assertAccessible(page, "entry");
    await entry.getByRole("link", { name: /^Former/ }).click();
    await page.getByRole("heading", { level: 1, name: "Former" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
}

async function testMenus(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call } = app;
  const choose = (page: Page, action: string) => page.getByRole("menuitem", { name: action }).click();

  await t.test("a touch on a category opens its menu, which renames and deletes it", async (t) => {
    const page = await visit(t, { at: "categories", ownContext: PHONE });
    await rowOf(page, "Dogs").waitFor();
    await touch(page, "Dogs");
    await choose(page, "Rename");
    await page.getByLabel("Name", { exact: true }).fill("Cats");
    await page.keyboard.press("Enter");
    await rowOf(page, "Cats").waitFor();
    await touch(page, "Cats");
    await choose(page, "Delete");
    await rowOf(page, "Cats").waitFor({ state: "detached" });
    await button(page, "Undo").click();
    await rowOf(page, "Cats").waitFor();
  });

  await t.test("a touch on an invitation opens its menu, and on an accepted one the person", async (t) => {
    const page = await visit(t, { at: "people", ownContext: PHONE });
    await rowOf(page, "Yuki").waitFor();
    await touch(page, "Yuki");
    await choose(page, "Withdraw…");
    await button(page, "Withdraw the invitation").click();
    await notice(page, "The invitation of Yuki is withdrawn.").waitFor();
    await rowOf(page, "Yuki").waitFor({ state: "detached" });
    await button(page, "Withdrawn").click();
    await rowOf(page, "Yuki").waitFor();
    assert.equal(await rowOf(page, "Yuki").getByRole("button").count(), 0, "nothing can be done with it");
    await button(page, "Accepted").click();
    await rowOf(page, "Yuki").waitFor({ state: "detached" });
    await page.locator("section").getByRole("row").getByRole("link", { name: "Mia" }).click();
    await page.getByRole("heading", { level: 1, name: "Mia" }).waitFor();
  });

  await t.test("a touch on a delivery opens its menu, which sends it again", async (t) => {
    const page = await visit(t, { at: "webhooks/1", ownContext: PHONE });
    await rowOf(page, "Animal added").first().waitFor();
    await touch(page, "Animal added");
    await choose(page, "Send again");
    await page.getByRole("dialog").getByRole("button", { name: "Send again", exact: true }).click();
    await notice(page, "It will be sent again shortly.").waitFor();
  });

  await t.test("the page of a shelter deletes it", async (t) => {
    const page = await visit(t, { at: "shelters/2", ownContext: PHONE });
    await button(page, "Delete…").click();
    await button(page, "Delete permanently").click();
    await page.getByRole("heading", { level: 1, name: "Shelters" }).waitFor();
    await untilShown(() => page.locator("tbody tr").count(), 4);
    assert.equal((await call("GET", "/shelters/2")).status, 404);
    await page.goto(`${app.url}/#shelters/1`);
    await page.getByLabel("City").waitFor();
    assert.equal(await button(page, "Delete…").count(), 0, "the first shelter stays");
  });
}
