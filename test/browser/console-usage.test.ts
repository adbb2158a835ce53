// Usage and limits in the console: bars, the chart, who calls what will end, the live rate, and the countdown of a 429.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../harness/app.ts";
import { startChromium } from "../harness/chromium.ts";
import { keepScreenshot, openConsole, testConsole, untilShown } from "../harness/console.ts";

testConsole("Usage in the console", async (t, { service, browser }) => {
  const { url, call, createKey, adminKey: key } = service;

  await t.test(
    "shows both windows, the requests by minute and status, and who still calls getPet",
    async (t) => {
      const caller = await createKey("--plan", "free", "--name", "Old app");
      for (let i = 0; i < 3; i++) await call("GET", "/pets/1", { key: caller.key });
      const page = await openConsole(t, browser, { url, key });
      await page.getByRole("link", { name: "Usage", exact: true }).click();
      await page.getByText(/^\d+ of 10,000 used$/).waitFor();
      await page.getByText(/^\d+ of 1,000,000 used$/).waitFor();
      const minute = page.getByRole("meter", { name: "This minute: requests used" });
      await untilShown(async () => Number(await minute.getAttribute("value")) > 0, true);
      await page.getByRole("img", { name: /answers in the last hour/ }).waitFor();
      const heights = () =>
        page
          .locator("svg rect.faulty")
          .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("height"))));
      await untilShown(async () => (await heights()).some((height) => height > 0), true);
      await page.getByText("The numbers as a table").click();
      await page
        .getByRole("table", { name: "Answers by minute and status" })
        .getByText(/3 × 404/)
        .waitFor();
      const row = page.getByRole("row").filter({ hasText: "Old app" });
      await row.getByText("just now").waitFor();
    },
  );

  await t.test("counts live in the corner", async (t) => {
    const { key } = await createKey("--plan", "free");
    const page = await openConsole(t, browser, { url, key });
    const corner = page.getByRole("link", { name: /Rate limit/ });
    const left = async () => Number(/(\d+) of 60 left/.exec((await corner.textContent()) ?? "")?.[1]);
    await page.getByRole("table").or(page.getByText("no animals")).waitFor();
    const before = await left();
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByText("No category").waitFor();
    await untilShown(left, before - 1);
    await corner.click();
    await page.getByText(`${60 - before + 1} of 60 used`).waitFor();
    assert.equal(await page.getByText("Requests of the last hour").count(), 0);
  });
});

test("A 429 in the console", { timeout: 120_000 }, async (t) => {
  const { url, clock, call, createKey } = await startApp(t, { startMs: Date.now() });
  const browser = await startChromium(t);

  await t.test("counts down, and the request goes on by itself", async (t) => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 4, perDay: 100 });
    const page = await openConsole(t, browser, { url, expected: [429] });
    await page.clock.install();
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByText("There are no animals yet.").waitFor();
    await page.getByRole("button", { name: "Load sample animals" }).click();
    const countdown = page.getByText("The limit of this key is reached. Going on by itself in");
    await countdown.waitFor();
    await page.getByText("0 of 4 left").waitFor();
    await keepScreenshot(page, "console-countdown");
    assert.match((await countdown.textContent()) ?? "", /in (60|61|59|1 min \d) ?s?/);
    assert.equal(await page.getByText("Not all sample animals").count(), 0);
    const last = page.getByRole("row").filter({ hasText: "Krümel" });
    for (let minutes = 0; minutes < 60; minutes++) {
      await countdown.or(last).first().waitFor();
      if (await last.isVisible()) break;
      clock.advance(61_000);
      await page.clock.runFor(62_000);
    }
    await untilShown(() => page.getByRole("row").count(), 13);
    await countdown.waitFor({ state: "detached" });
  });

  await t.test("counts down inside a dialog, which can stop waiting too", async (t) => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 4, perDay: 100 });
    const page = await openConsole(t, browser, { url, key, expected: [429] });
    await page.getByRole("button", { name: "Add an animal" }).click();
    await call("GET", "/pets", { key });
    await page.getByLabel("Name", { exact: true }).fill("Rex");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Going on by itself in").waitFor();
    await dialog.getByRole("button", { name: "Stop waiting" }).click();
    await dialog.getByRole("alert").filter({ hasText: "Stopped waiting. Nothing was changed." }).waitFor();
  });

  await t.test("stops waiting when told to", async (t) => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 4, perDay: 100 });
    const page = await openConsole(t, browser, { url, key, expected: [429] });
    await page.getByRole("heading", { name: "Animals" }).waitFor();
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Stop waiting" }).click();
    await page.getByRole("alert").filter({ hasText: "Stopped waiting" }).waitFor();
  });
});
