// The reference page in a real browser: readable, quiet, and its forms work.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { ERRORS } from "../../src/domain/errors.ts";
import { startChromium } from "../harness/chromium.ts";
import { startService } from "../harness/service.ts";

test("The reference at /docs", { timeout: 300_000 }, async (t) => {
  const service = await startService(t);
  const browser = await startChromium(t);
  const page = await browser.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${service.url}/docs`);

  await t.test("asks no other host for anything and has nothing to complain about", () => {
    const foreign = asked.filter((url) => !url.startsWith(service.url) && !url.startsWith("data:"));
    assert.deepEqual(foreign, []);
    assert.deepEqual(complaints, []);
    assert.ok(asked.some((url) => url.endsWith("/docs/reference.css")));
  });

  await t.test("lets a reader try operations with a key that stays in the tab", async () => {
    await page.fill("#key", service.adminKey ?? "");
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
    assert.equal(await page.inputValue("#key"), service.adminKey);
    assert.ok(
      asked.every((url) => !url.includes("ask_live_")),
      "the key is in no address",
    );
  });

  await t.test(
    "has the guides, each within reach of the contents, with lines that can be pasted",
    async () => {
      const guides =
        "first-request paging errors-and-retries limits-and-bans idempotency keys-and-access adoption deprecation";
      for (const id of guides.split(" ")) {
        await page.locator(`nav a[href="#${id}"]`).click();
        assert.ok(await page.locator(`#${id} h3`).isVisible(), id);
      }
      const line = (await page.locator("#paging pre").first().textContent()) ?? "";
      const answer = execFileSync("sh", ["-c", line], {
        env: { PATH: process.env.PATH, KEY: service.adminKey },
        encoding: "utf8",
      });
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    },
  );

  await t.test("groups operations by resource, and lists the limits and all errors", async () => {
    const groups = await page
      .locator("nav > ul > li")
      .evaluateAll((items) =>
        items.map((item) => [
          item.firstChild?.textContent?.trim(),
          item.querySelector('a[href="#createOrder"]') !== null,
        ]),
      );
    const names = ["Guides", "Animals", "Store", "Categories", "Keys", "Shapes", "Limits", "Errors"];
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

  await t.test("says when the service is gone", async () => {
    await service.stop();
    await tryOperation(page, "getUsage", {});
    assert.match(await answerOf(page, "getUsage"), /^No answer: .*Is the service running\?$/);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    await t.test(`fits a phone in ${colorScheme}`, async () => {
      const second = await startService(t);
      const phone = await browser.newPage({ viewport: { width: 390, height: 800 }, colorScheme });
      await phone.goto(`${second.url}/docs`);
      const overflow = await phone.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      assert.equal(overflow, 0);
      const ground = await phone.evaluate("getComputedStyle(document.body).backgroundColor");
      assert.equal(ground, colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 24, 28)");
    });
  }
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
