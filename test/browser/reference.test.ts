// The reference page in a real browser: it fits, logs no errors, and its forms work.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { ERRORS } from "../../src/domain/errors.ts";
import { ADMIN_KEY, startApp } from "../harness/app.ts";
import { connectToChromium } from "../harness/chromium.ts";

test("The reference at /docs", { timeout: 300_000 }, async (t) => {
  const [{ url, service }, context] = await Promise.all([startApp(t), connectToChromium(t)]);
  const page = await context.newPage();
  const requested: string[] = [];
  const errors: string[] = [];
  const isForeign = (address: string) => !address.startsWith(`${url}/`) && !address.startsWith("data:");
  page.on("request", (request) => requested.push(request.url()));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${url}/docs`);

  await t.test("requests nothing from other hosts and logs no errors", () => {
    assert.deepEqual(requested.filter(isForeign), []);
    assert.deepEqual(errors, []);
    assert.ok(requested.includes(`${url}/console/reference-style.css`));
  });

  await t.test("sends operations from its forms, with a key that is kept in the tab", async () => {
    await page.fill("#key", ADMIN_KEY);
    await tryOperation(page, "createPet", { body: '{"name": "Rex", "categoryId": 9007199254740993}' });
    assert.match(
      await answerOf(page, "createPet"),
      /^201 [\s\S]*\n\n\{"id":1,"name":"Rex","categoryId":9007199254740993,/,
    );
    await tryOperation(page, "createPet", {
      "Idempotency-Key": "once",
      body: '{"name": "Luna", "categoryId": 1}',
    });
    assert.doesNotMatch(await answerOf(page, "createPet"), /idempotent-replayed/);
    await tryOperation(page, "createPet", {});
    assert.match(await answerOf(page, "createPet"), /^201 [\s\S]*idempotent-replayed: true[\s\S]*"id":2,/);
    await tryOperation(page, "listPets", { limit: "5", status: "available" });
    assert.match(
      await answerOf(page, "listPets"),
      /^200 [\s\S]*x-ratelimit-remaining: \d+[\s\S]*\[\{"id":1,"name":"Rex"/,
    );
    await tryOperation(page, "getPet", { petId: "%zz/?" });
    assert.match(await answerOf(page, "getPet"), /^404 [\s\S]*sunset: [\s\S]*"code":"pet_not_found"/);
    await page.reload();
    assert.equal(await page.inputValue("#key"), ADMIN_KEY);
    assert.ok(requested.includes(`${url}/v1/pets`));
    assert.deepEqual(
      requested.filter((address) => isForeign(address) || address.includes(ADMIN_KEY)),
      [],
    );
  });

  await t.test("links every guide from the contents, with commands that can be pasted", async () => {
    const guides =
      "first-request typed-client paging errors-and-retries limits-and-bans idempotency keys-and-access adoption website deprecation";
    for (const id of guides.split(" ")) {
      await page.locator(`nav a[href="#${id}"]`).click();
      assert.ok(await page.locator(`#${id} h3`).isVisible(), id);
    }
    const line = (await page.locator("#paging pre").first().textContent()) ?? "";
    const { stdout } = await promisify(execFile)("sh", ["-c", line], {
      env: { PATH: process.env.PATH, KEY: ADMIN_KEY },
    });
    assert.match(stdout, /^HTTP\/1\.1 200 OK\r\n/);
  });

  await t.test("groups operations by resource, and lists limits and errors", async () => {
    const groups = await page
      .locator("nav > ul > li")
      .evaluateAll((items) =>
        items.map((item) => [
          item.firstChild?.textContent?.trim(),
          item.querySelector('a[href="#createOrder"]') !== null,
        ]),
      );
    const resources = ["Animals", "Listings", "Store", "Categories", "Events", "Webhooks", "Keys", "Audit"];
    const names = ["Guides", ...resources, "Shapes", "Limits", "Errors"];
    assert.deepEqual(
      groups,
      names.map((name) => [name, name === "Store"]),
    );
    const rowsAfter = (heading: string) =>
      page.locator(`#${heading} ~ .scroll`).first().locator("tbody tr").allInnerTexts();
    assert.equal((await rowsAfter("limits"))[0], "free\t60\t1,000");
    const codes = (await rowsAfter("errors")).map((row) => row.split("\t").slice(0, 2));
    const expected = Object.entries(ERRORS).map(([code, { status }]) => [code, String(status)]);
    assert.deepEqual(codes, expected);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    await t.test(`fits a phone in ${colorScheme} mode`, async () => {
      await page.setViewportSize({ width: 390, height: 800 });
      await page.emulateMedia({ colorScheme });
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      assert.equal(overflow, 0);
      const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      assert.equal(ground, colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 24, 28)");
    });
  }

  await t.test("says when the service does not respond", async () => {
    await service.stop();
    await tryOperation(page, "getUsage", {});
    assert.match(await answerOf(page, "getUsage"), /^No \w+: .*Is the service running\?$/);
  });
});

/** Opens the form of an operation, fills it in and sends it. */
async function tryOperation(page: Page, operation: string, fields: Record<string, string>): Promise<void> {
  const section = page.locator(`#${operation}`);
  const form = section.locator("form.try");
  if (!(await form.isVisible())) await section.getByText("Try it").click();
  for (const [name, value] of Object.entries(fields)) await form.locator(`[name="${name}"]`).fill(value);
  await form.getByRole("button", { name: "Send" }).click();
}

async function answerOf(page: Page, operation: string): Promise<string> {
  const shown = page.locator(`#${operation} .answer`);
  await shown.filter({ hasNotText: /^…$/ }).waitFor();
  return (await shown.textContent()) ?? "";
}
