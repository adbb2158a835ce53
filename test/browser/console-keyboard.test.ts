// The console by keyboard alone: undo in time, dialogs over notices, and a status that moves only when it is meant.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openConsole, testConsole, untilShown } from "../harness/console.ts";

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const focused = (page: Page) =>
  page.evaluate("document.activeElement.localName + ' ' + document.activeElement.textContent.slice(0, 10)");

testConsole("The keyboard in the console", async (t, { service, browser }) => {
  const { url, adminKey: key, call } = service;
  for (const name of ["Rex", "Luna"]) await call("POST", "/pets", { body: { name, categoryId: 1 } });
  const pets = async () =>
    (await call("GET", "/pets")).json.map(({ name, status }: Record<string, string>) => `${name} ${status}`);

  await t.test("is at Undo after a deletion, which waits as long as it stays there", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await page.clock.install();
    await page.getByRole("button", { name: "Delete Rex" }).focus();
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Undo");
    await page.clock.runFor(30_000);
    assert.deepEqual(await pets(), ["Rex available", "Luna available"]);
    await page.keyboard.press("Enter");
    await rowOf(page, "Rex").waitFor();
    await untilShown(() => page.evaluate("document.activeElement.localName"), "main");
  });

  await t.test("has its time for undo also after a dialog", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    await page.clock.install();
    await page.getByRole("button", { name: "Delete Rex" }).click();
    await page.getByRole("button", { name: "Add an animal" }).click();
    await page.getByRole("dialog").waitFor();
    await untilShown(() => page.evaluate("document.activeElement.name"), "name");
    await page.clock.runFor(30_000);
    assert.deepEqual(await pets(), ["Rex available", "Luna available"]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf(page, "Rex").waitFor();
  });

  await t.test("moves a status with Enter or by going on, not on the way", async (t) => {
    const page = await openConsole(t, browser, { url, key });
    const moves: string[] = [];
    page.on("request", (request) => request.method() === "PATCH" && moves.push(request.postData() ?? ""));
    const status = page.getByLabel("Status of Luna");
    await status.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await untilShown(() => status.inputValue(), "sold");
    await page.getByText("Enter to move").waitFor();
    await page.keyboard.press("Escape");
    await untilShown(() => status.inputValue(), "available");
    await page.keyboard.press("ArrowDown");
    assert.deepEqual(moves, []);
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "Luna is pending" }).waitFor();
    await status.focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Tab");
    await page.getByRole("status").filter({ hasText: "Luna is available" }).waitFor();
    assert.deepEqual(moves, ['{"status":"pending"}', '{"status":"available"}']);
  });
});
