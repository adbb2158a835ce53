// The console by keyboard alone: undo, dialogs over notices, and changes of a status.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { act, hold, rowOf, stopTimers, testConsole, untilShown } from "../../harness/clients/console.ts";

const focused = (page: Page) =>
  page.evaluate("document.activeElement.localName + ' ' + document.activeElement.textContent.slice(0, 10)");

testConsole("The keyboard in the console", async (t, { app, visit }) => {
  const { call } = app;
  for (const name of ["Rex", "Luna"]) await call("POST", "/pets", { body: { name, categoryId: 1 } });
  const pets = async () =>
    (await call("GET", "/pets")).json.map(({ name, status }: Record<string, string>) => `${name} ${status}`);

  await t.test("focuses Undo after a deletion, and does not delete while Undo has the focus", async (t) => {
    const page = await visit(t, { ownContext: {} });
    await page.clock.install();
    await page.getByRole("button", { name: "Actions for Rex" }).focus();
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Start an a");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Undo");
    await page.clock.runFor(30_000);
    assert.deepEqual(await pets(), ["Rex available", "Luna available"]);
    await page.keyboard.press("Enter");
    await rowOf(page, "Rex").waitFor();
    await untilShown(() => page.evaluate("document.activeElement.localName"), "main");
  });

  await t.test("an open dialog stops the time for undo", async (t) => {
    const page = await visit(t, { ownContext: {} });
    await page.clock.install();
    await act(page, "Rex", "Delete");
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

  await t.test("changes a status on Enter only, not on arrow keys nor when the focus leaves", async (t) => {
    const page = await visit(t);
    const moves: string[] = [];
    page.on("request", (request) => request.method() === "PATCH" && moves.push(request.postData() ?? ""));
    const status = page.getByLabel("Status of Luna");
    await status.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await untilShown(() => status.inputValue(), "sold");
    await page.getByText("Press Enter to change").waitFor();
    await page.keyboard.press("Escape");
    await untilShown(() => status.inputValue(), "available");
    await page.keyboard.press("ArrowDown");
    assert.deepEqual(moves, []);
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "Luna is pending" }).waitFor();
    await status.focus();
    await page.keyboard.press("ArrowUp");
    await untilShown(() => status.inputValue(), "available");
    await page.keyboard.press("Tab");
    await untilShown(() => status.inputValue(), "pending");
    assert.deepEqual(moves, ['{"status":"pending"}']);
  });

  await t.test("a form does not take the focus from the field that the user has gone to", async (t) => {
    const page = await visit(t, { ownContext: {} });
    await stopTimers(page);
    await page.getByRole("button", { name: "Add an animal" }).click();
    await page.getByLabel("Category number").focus();
    await page.clock.runFor(1_000);
    assert.equal(await page.evaluate("document.activeElement.name"), "categoryId");
  });

  await t.test("Enter chooses an animal for an order, and Enter again places it", async (t) => {
    const page = await visit(t, { ownContext: {} });
    await stopTimers(page);
    await page.getByRole("link", { name: "Adoptions" }).click();
    await page.getByRole("button", { name: "Start an adoption" }).first().click();
    await page.clock.runFor(1_000);
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option").filter({ hasText: "Rex" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "Adoption 1 has started" }).waitFor();
  });

  await t.test("the focus goes from each step of an adoption to the next", async (t) => {
    const { id } = await app.addPet({ name: "Bella" });
    const page = await visit(t, { at: `animals/${id}` });
    await page.getByRole("button", { name: "Start an adoption" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Reference").press("Enter");
    await untilShown(() => focused(page), "button Approve");
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Hand over");
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Not yet");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Take back");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Start an a");
    await page.getByText("No adoption is open.").waitFor();
  });

  await t.test("the focus waits for the next step while the adoption is read after the animal", async (t) => {
    const { id } = await app.addPet({ name: "Nala" });
    const page = await visit(t, { at: `animals/${id}` });
    const start = page.getByRole("button", { name: "Start an adoption" });
    await start.focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Reference").waitFor();
    const release = await hold(page, "**/v1/store/orders?*");
    await page.getByLabel("Reference").press("Enter");
    await start.waitFor({ state: "detached" });
    release();
    await untilShown(() => focused(page), "button Approve");
  });

  await t.test("the next step can be pressed while the animal is still read", async (t) => {
    const { id } = await app.addPet({ name: "Pip" });
    await call("POST", "/store/orders", { body: { petId: id } });
    const page = await visit(t, { at: `animals/${id}` });
    await page.getByRole("button", { name: "Approve" }).focus();
    const release = await hold(page, `**/v1/listings/${id}*`);
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Hand over");
    await page.keyboard.press("Enter");
    await untilShown(() => focused(page), "button Not yet");
    release();
  });
});
