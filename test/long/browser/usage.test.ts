// Usage in the console: bars, the chart, callers of getPet, and the live rate.

import assert from "node:assert/strict";
import { signIn, testConsole, untilShown } from "../../harness/clients/console.ts";
import { COUNT_SHIFTS } from "../../harness/clients/looks.ts";

testConsole("Usage in the console", async (t, { app, visit }) => {
  const { url, call, createKey } = app;

  await t.test("shows both windows, the requests by status, and the keys that call getPet", async (t) => {
    const caller = await createKey({ name: "Old app" });
    for (let i = 0; i < 3; i++) await call("GET", "/pets/1", { key: caller.key });
    const page = await visit(t, { at: "usage" });
    await page.getByText(/^\d+ of 10,000 used$/).waitFor();
    await page.getByText(/^\d+ of 1,000,000 used$/).waitFor();
    const minute = page.getByRole("meter", { name: "This minute: requests used" });
    await untilShown(async () => Number(await minute.getAttribute("value")) > 0, true);
    await page.getByRole("img", { name: /requests in the last hour/ }).waitFor();
    const heights = () =>
      page
        .locator("svg rect.faulty")
        .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("height"))));
    await untilShown(async () => (await heights()).some((height) => height > 0), true);
    await page.getByText("The numbers as a table").click();
    const traffic = page.getByRole("table", { name: /requests in the last hour/ });
    const headings = await traffic.getByRole("columnheader").allTextContents();
    assert.deepEqual(headings, ["Time", "Answered", "Faulty request", "Refused: limit", "Service error"]);
    const row = page.getByRole("row").filter({ hasText: "Old app" });
    await row.getByText("just now").waitFor();
    await row.getByRole("link", { name: "Old app" }).waitFor();
    await page.getByRole("heading", { name: "Keys that still use an outdated call" }).waitFor();
    assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /getPet|[245]xx|\b404\b/);
  });

  await t.test("draws axes, and shows an hour, a day or 90 days", async (t) => {
    const page = await visit(t, { at: "usage" });
    const chart = page.locator(".chart");
    const columns = () => chart.locator("svg g").count();
    await untilShown(columns, 60);
    await chart.getByText("Requests per minute", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Last day" }).click();
    await untilShown(columns, 24);
    await chart.getByText("Requests per hour", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Last 90 days" }).click();
    await untilShown(columns, 90);
    await chart.getByText("Day (UTC)").waitFor();
    await page.waitForURL(/#usage\?period=quarter$/);
    await page.reload();
    await untilShown(columns, 90);
    // The lines are at rising, even numbers from 0, and the highest is not below the highest column.
    const counts = (await chart.locator(".chart-counts span").allTextContents()).map(Number);
    const [, step = 0] = counts;
    assert.ok(step > 0, String(counts));
    assert.deepEqual(
      counts,
      [0, 1, 2, 3, 4].map((line) => line * step),
    );
    const tops = await chart
      .locator("svg rect")
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("y"))));
    assert.ok(Math.min(...tops) >= 0);
    const times = chart.locator(".chart-times span");
    assert.equal(await times.count(), 6);
    const today = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
    assert.equal(await times.last().textContent(), today.format(Date.now()));
  });

  await t.test("nothing moves while the views of keys and usage load", async (t) => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const page = await visit(t, { ownContext: { viewport } });
      await page.addInitScript(COUNT_SHIFTS);
      for (const place of ["usage", "keys", "keys/2", "webhooks", "audit", "categories"]) {
        await page.goto(`${url}/#${place}`);
        await page.reload();
        await page.locator("main h1").waitFor();
        await page.locator("main :is(table:not(.plain), .empty)").first().waitFor();
        if (place === "usage") await page.locator(".chart svg g").first().waitFor();
        const shift = Number(await page.evaluate("window.shift"));
        assert.ok(shift < 0.02, `${shift} in ${place} at ${viewport.width}`);
      }
    }
  });
});

testConsole("The own key in the console", async (t, { app, context, visit }) => {
  const { url, call, createKey } = app;

  /** A key that has used `used` of its 100 requests a minute. */
  async function usedKey(used: number): Promise<string> {
    const { key } = await createKey({ plan: "enterprise", perMinute: 100, perDay: 1_000 });
    for (let sent = 0; sent < used; sent += 1) await call("GET", "/pets", { key });
    return key;
  }

  await t.test("counts the remaining requests live in the corner once few are left", async (t) => {
    const key = await usedKey(80);
    const page = await visit(t, { key });
    const corner = page.getByRole("link", { name: /Rate limit/ });
    const left = async () => Number(/(\d+) of 100 left/.exec((await corner.textContent()) ?? "")?.[1]);
    // Not charged.
    const stored = async () => (await call("GET", "/usage", { key })).json.minute.remaining as number;
    const isCurrent = async () => (await left()) === (await stored());
    await page.getByRole("table").or(page.getByText("no animals")).waitFor();
    assert.equal(await corner.count(), 0);
    while ((await stored()) > 8) await call("GET", "/pets", { key });
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByText("No category").waitFor();
    await untilShown(isCurrent, true);
    const before = await left();
    await page.getByRole("link", { name: "Animals", exact: true }).click();
    await page.getByRole("table").or(page.getByText("no animals")).waitFor();
    await untilShown(isCurrent, true);
    assert.ok((await left()) < before);
    await corner.click();
    await untilShown(async () => page.getByText(`${100 - (await stored())} of 100 used`).count(), 1);
    assert.equal(await page.getByText("Requests to the service").count(), 0);
  });

  await t.test("shows correct times on a computer with a wrong clock", async (t) => {
    for (const aheadMs of [3_600_000, -3_600_000]) {
      const key = await usedKey(91);
      const page = await visit(t, { key: undefined, ownContext: {} });
      await page.clock.install({ time: Date.now() + aheadMs });
      await page.reload();
      await signIn(page, key);
      await page.getByText("There are no animals yet.").waitFor();
      const corner = page.getByRole("link", { name: /Rate limit/ });
      await untilShown(async () => /\d of 100 left · \d+ s$/.test((await corner.textContent()) ?? ""), true);
      await corner.click();
      await page.getByText(/^\d left, full again in (\d+ s|1 min \d s)$/).waitFor();
    }
  });

  await t.test("says when the access of the key has changed, and adapts the navigation", async (t) => {
    const { id, key } = await createKey({ plan: "pro", access: "manage" });
    const page = await visit(t, { at: "usage", key });
    await page.getByRole("link", { name: "Adoptions" }).waitFor();
    await call("PATCH", `/keys/${id}`, { body: { access: "browse" } });
    await page.getByRole("link", { name: "Adoptions" }).waitFor({ state: "detached" });
    await page.getByText("was changed to “Browse”").waitFor();
  });

  await t.test("reads the access of the key again after a 403", async (t) => {
    const { id, key } = await createKey({ plan: "pro", access: "manage" });
    const page = await context.newPage();
    t.after(() => page.close());
    await page.goto(`${url}/`);
    await signIn(page, key);
    // Otherwise a request of the first page would get the 403, before the click.
    await untilShown(() => page.locator('.today > [aria-busy="false"]').count(), 5);
    await call("PATCH", `/keys/${id}`, { body: { access: "browse" } });
    const link = page.getByRole("link", { name: "Adoptions" });
    await link.click();
    await link.waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 1, name: "Animals" }).waitFor();
  });
});
