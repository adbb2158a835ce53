// The audit log in the console, for admins.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { button, keepScreenshot, refusal, testConsole, untilShown } from "../../harness/clients/console.ts";
import { join } from "../../harness/clients/invitation.ts";
import { assertAccessible, assertFits, SIZES } from "../../harness/clients/looks.ts";

const rowOf = (page: Page, ...texts: string[]) =>
  texts.reduce((rows, hasText) => rows.filter({ hasText }), page.getByRole("row"));

const addressOf = (page: Page) => page.evaluate(() => location.hash);
/** As a field for days has it, in the time zone of the browser, which is that of this process. */
const dayOf = (daysLater: number) => {
  const day = new Date();
  day.setDate(day.getDate() + daysLater);
  return day.toLocaleDateString("sv");
};

testConsole("The audit log in the console", async (t, { app, visit }) => {
  const { adminKey: key, call, createKey } = app;

  await t.test("says who changed what, newest first, with the old and the new values", async (t) => {
    const { id } = await createKey({ name: "Website", access: "browse" });
    await call("PATCH", `/keys/${id}`, { key, body: { plan: "pro", expiresAt: "2031-05-06T07:08:09.000Z" } });
    await call("DELETE", `/keys/${id}`, { key });
    const page = await visit(t, { at: "audit" });
    await rowOf(page, "Key revoked", "Website (key 2)", "First key (key 1)").waitFor();
    const names = await page.locator("tbody th").allTextContents();
    assert.deepEqual(names, ["Key revoked", "Key changed", "Key created", "Key created"]);
    const changed = rowOf(page, "Key changed");
    await changed
      .filter({ hasText: "Plan: Free → Pro" })
      .filter({ hasText: "Expires: never → 6 May 2031" })
      .waitFor();
    await rowOf(
      page,
      "Key created",
      "Website (key 2)",
      "The key of the operator",
      "Access: Browse",
    ).waitFor();
    const link = rowOf(page, "Key revoked").getByRole("link", { name: "Website (key 2)" });
    assert.equal(await link.getAttribute("href"), "#keys/2");
  });

  await t.test("goes through the pages, forwards and back", async (t) => {
    for (let i = 1; i <= 20; i++) await createKey({ name: `Branch ${i}` });
    const page = await visit(t, { at: "audit" });
    await rowOf(page, "Branch 20").first().waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await rowOf(page, "Key revoked").waitFor();
    await untilShown(() => page.getByRole("button", { name: "Next" }).isDisabled(), true);
    await page.getByRole("button", { name: "Previous" }).click();
    await rowOf(page, "Branch 20").first().waitFor();
  });

  await t.test("reads the newest records with Reload", async (t) => {
    const page = await visit(t, { at: "audit" });
    await rowOf(page, "Branch 20").first().waitFor();
    await createKey({ name: "Fresh" });
    await page.getByRole("button", { name: "Reload" }).click();
    await rowOf(page, "Name: Fresh").waitFor();
  });

  await t.test("describes commands, bans, webhooks, imports and actions of a newer service", async (t) => {
    const page = await visit(t);
    const timestamp = "2026-11-16T08:00:00.000Z";
    const records = [
      {
        action: "data.imported",
        actor: { command: "import" },
        target: { file: "animals.csv" },
        to: { pets: 1200, firstId: 7, lastId: 1206 },
      },
      {
        action: "webhook.disabled",
        actor: { command: "serve" },
        target: { webhookId: 3 },
        from: { types: null },
        to: { types: ["pet.*"] },
      },
      { action: "data.imported", actor: { keyId: 0 }, to: { pets: 2 } },
      { action: "data.copied", actor: { command: "copy" } },
      { action: "moon.landed", actor: { keyId: 0 }, to: { crew: 3 } },
    ];
    await page.route("**/v1/audit", (route) =>
      route.fulfill({ json: records.map((record, index) => ({ number: 9 - index, timestamp, ...record })) }),
    );
    await page.getByRole("link", { name: "Audit log" }).click();
    await rowOf(page, "Animals imported", "animals.csv", "Animals: 1,200", "Command import").waitFor();
    await rowOf(
      page,
      "Webhook turned off",
      "Webhook 3",
      "Events: all → pet.*",
      "The service itself",
    ).waitFor();
    await rowOf(page, "Animals imported", "An uploaded file", "Animals: 2").waitFor();
    await rowOf(page, "Data copied", "The whole store").waitFor();
    const first = rowOf(page, "Animals imported").getByRole("link", { name: "7", exact: true });
    assert.equal(await first.getAttribute("href"), "#animals/7");
    await rowOf(page, "moon.landed", "crew: 3", "The key of the operator").waitFor();
  });

  await t.test("shows an empty log and a failure", async (t) => {
    const page = await visit(t, { expected: [500] });
    let isBroken = true;
    await page.route("**/v1/audit", (route) =>
      isBroken ? route.fulfill(refusal(500, "internal_error", "Broken.")) : route.fulfill({ json: [] }),
    );
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("alert").filter({ hasText: "Something broke inside the service" }).waitFor();
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Nothing has been recorded yet.").waitFor();
  });
});

testConsole("The filters of the audit log", async (t, { app, visit }) => {
  const { adminKey: key, call, createKey } = app;
  const { id: revoked } = await createKey({ name: "Website" });
  await call("DELETE", `/keys/${revoked}`, { key });

  await t.test("finds by whom, what and when, and keeps the filters through back and reload", async (t) => {
    const { id } = await createKey({ name: "Night shift", access: "admin" });
    const page = await visit(t, { at: "audit" });
    const names = () => page.locator("tbody th").allTextContents();
    await rowOf(page, "Key created", "Website").waitFor();
    await page.getByLabel("What happened").selectOption("Key revoked");
    await untilShown(names, ["Key revoked"]);
    await page.getByLabel("By whom").selectOption({ label: "First key (key 1)" });
    await untilShown(() => addressOf(page), "#audit?action=key.revoked&by=key-1");
    await untilShown(names, ["Key revoked"]);
    await page.getByLabel("By whom").selectOption({ label: `Night shift (key ${id})` });
    await page.getByText("Nothing in the log fits these filters.").waitFor();
    await page.goBack();
    await untilShown(names, ["Key revoked"]);
    await page.reload();
    await untilShown(names, ["Key revoked"]);
    assert.equal(await page.getByLabel("By whom").inputValue(), "key-1");
    assert.equal(await page.getByLabel("What happened").inputValue(), "key.revoked");
    await page.getByLabel("To", { exact: true }).fill(dayOf(-1));
    await page.getByText("Nothing in the log fits these filters.").waitFor();
    await page.getByLabel("To", { exact: true }).fill(dayOf(0));
    await untilShown(names, ["Key revoked"]);
    await page.getByLabel("From", { exact: true }).fill(dayOf(1));
    await page.getByText("Nothing in the log fits these filters.").waitFor();
    await button(page, "Clear filters").click();
    await untilShown(() => addressOf(page), "#audit");
    await rowOf(page, "Key created", "Website").waitFor();
    assert.equal(await button(page, "Clear filters").count(), 0);
  });

  await t.test("finds what a person did with any device, and what a command did", async (t) => {
    for (const name of ["Mia", "Noah"]) {
      const { key } = await join(call, { name, access: "admin" });
      await call("POST", "/invitations", { key, body: { name: `Guest of ${name}`, access: "browse" } });
    }
    const page = await visit(t, { at: "audit" });
    await page.getByLabel("By whom").selectOption({ label: "Noah" });
    await rowOf(page, "Guest of Noah").waitFor();
    await untilShown(() => rowOf(page, "Guest of Mia").count(), 0);
    const actors = await page.locator("tbody td:last-child").allInnerTexts();
    assert.deepEqual(new Set(actors), new Set(["Noah"]));
    await page.getByRole("link", { name: "Noah", exact: true }).first().click();
    await page.getByRole("link", { name: "What this person has changed" }).click();
    await rowOf(page, "Guest of Noah").waitFor();
    await page.goto(`${app.url}/#keys/1`);
    await page.getByRole("link", { name: "What was changed with this key" }).click();
    await untilShown(() => page.getByLabel("By whom").inputValue(), "key-1");
    await page.getByLabel("By whom").selectOption({ label: "A command" });
    await page.getByText("Nothing in the log fits these filters.").waitFor();
    for (const size of Object.values(SIZES)) {
      await page.setViewportSize(size);
      await keepScreenshot(page, `audit-filters-${size.width}`);
      await assertFits(page, "filters of the audit log");
      await assertAccessible(page, "filters of the audit log");
    }
    await button(page, "Filters, 1 set").click();
    const sheet = page.getByRole("dialog", { name: "Filters" });
    await sheet.getByLabel("What happened").selectOption("Invitation created");
    await untilShown(() => addressOf(page), "#audit?by=commands&action=invitation.created");
    await keepScreenshot(page, "audit-filters-sheet");
    await assertFits(page, "open filters of the audit log");
    await assertAccessible(page, "open filters of the audit log");
    await button(page, "Clear filters").click();
    await button(page, "Show results").click();
    await rowOf(page, "Guest of Noah").waitFor();
    await button(page, "Filters").waitFor();
  });
});

testConsole("The filters of a long audit log", async (t, { app, visit }) => {
  await t.test("searches it in parts, and says how far it has come", async (t) => {
    const page = await visit(t);
    let asked = 0;
    await page.route("**/v1/audit?*", (route) => {
      asked += 1;
      const { searchParams } = new URL(route.request().url());
      const first = Number(searchParams.get("cursor") ?? 1_500);
      const records = Array.from({ length: 100 }, (_, index) => ({
        number: first - index,
        timestamp: new Date(Date.UTC(2026, 0, 1) + (first - index) * 60_000).toISOString(),
        action: [1_200, 150].includes(first - index) ? "key.banned" : "key.created",
        actor: { command: "serve" },
        target: { keyId: 1 },
      }));
      const rest = first - 100;
      const link = `<${app.url}/v1/audit?cursor=${rest}&limit=100>; rel="next"`;
      return route.fulfill({ json: records, headers: rest > 0 ? { link } : {} });
    });
    await page.goto(`${app.url}/#audit?action=key.banned`);
    await page.getByText(/^Searched back to .+2026/).waitFor();
    const found = () => page.locator("tbody th").allTextContents();
    assert.deepEqual(await found(), ["Key banned"]);
    assert.equal(asked, 10);
    await page.getByRole("button", { name: "Next" }).click();
    await untilShown(() => page.getByText(/^Searched back to/).count(), 0);
    assert.deepEqual(await found(), ["Key banned"]);
    assert.equal(asked, 15);
    await page.goto(`${app.url}/#audit?action=key.revoked`);
    await page.getByText(/^Nothing fits among 1,000 entries, back to .+2026/).waitFor();
    await button(page, "Search older entries").click();
    await page.getByText("Nothing in the log fits these filters.").waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await button(page, "Search older entries").waitFor();
  });
});
