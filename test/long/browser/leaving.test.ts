// Leaving a page while a dialog is open, or closing it by mistake: what was typed in it, and a secret that was not copied,
// are not lost unasked.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { testConsole, untilShown } from "../../harness/clients/console.ts";

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
const place = (page: Page) => page.evaluate("location.hash");

type Answer = "accept" | "dismiss";

/** Resolves to the question that `action` has caused. */
async function reply(page: Page, answer: Answer, action: () => Promise<unknown>): Promise<string> {
  const asked = page.waitForEvent("dialog");
  const acted = action();
  const question = await asked;
  await question[answer]();
  await acted;
  return question.message();
}

const goBack = (page: Page, answer: Answer) => reply(page, answer, () => page.goBack());

testConsole("Leaving an open dialog of the console", async (t, { visit }) => {
  await t.test("asks before typed text is lost, and not after it was sent", async (t) => {
    const page = await visit(t, { at: "orders" });
    await page.getByRole("link", { name: "Animals", exact: true }).click();
    await page.getByRole("button", { name: "Add an animal" }).click();
    const dialog = page.getByRole("dialog", { name: "Add an animal" });
    await dialog.getByLabel("Name").fill("Nora");
    assert.match(await goBack(page, "dismiss"), /^You have not saved your changes\./);
    await untilShown(() => place(page), "#animals");
    assert.equal(await dialog.getByLabel("Name").inputValue(), "Nora");
    await dialog.getByRole("button", { name: "Add another" }).click();
    page.once("dialog", () => assert.fail("there is nothing to lose"));
    await dialog.getByRole("link", { name: "Nora" }).click();
    await heading(page, "Nora");
  });

  await t.test("leaves once that was agreed to", async (t) => {
    const page = await visit(t, { at: "orders" });
    await page.getByRole("link", { name: "Animals", exact: true }).click();
    await page.getByRole("button", { name: "Add an animal" }).click();
    await page.getByLabel("Name").fill("Momo");
    await goBack(page, "accept");
    await heading(page, "Adoptions");
    assert.equal(await page.getByRole("dialog").count(), 0);
  });

  await t.test("asks nothing where the page, and with it the dialog, stays", async (t) => {
    const page = await visit(t, { at: "animals" });
    await page.getByRole("button", { name: "Pending" }).click();
    await untilShown(() => place(page), "#animals?status=pending");
    await page.getByRole("button", { name: "Add an animal" }).click();
    await page.getByLabel("Name").fill("Tilda");
    page.once("dialog", () => assert.fail("there is nothing to lose"));
    await page.goBack();
    await untilShown(() => place(page), "#animals");
    assert.equal(await page.getByLabel("Name").inputValue(), "Tilda");
  });

  await t.test("Escape and ✕ ask before typed text is lost, each time; Cancel does not", async (t) => {
    const page = await visit(t);
    const dialog = page.getByRole("dialog", { name: "Add an animal" });
    const open = () => page.getByRole("button", { name: "Add an animal" }).click();
    const pressEscape = () => page.keyboard.press("Escape");
    await open();
    await dialog.getByLabel("Name").pressSequentially("Nora");
    for (const _ of [1, 2, 3])
      assert.match(await reply(page, "dismiss", pressEscape), /^What you have entered is not saved\./);
    await page.keyboard.press("End");
    await page.keyboard.type("h");
    await reply(page, "dismiss", () => dialog.getByRole("button", { name: "Close" }).click());
    assert.equal(await dialog.getByLabel("Name").inputValue(), "Norah");
    await reply(page, "accept", pressEscape);
    await dialog.waitFor({ state: "detached" });
    page.once("dialog", () => assert.fail("there is nothing to lose"));
    await open();
    await dialog.getByLabel("Status").selectOption("Pending");
    await pressEscape();
    await dialog.waitFor({ state: "detached" });
    await open();
    await dialog.getByLabel("Name").pressSequentially("Nora");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  await t.test("asks before a secret is lost that was not copied", async (t) => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await visit(t, { at: "animals", ownContext: { permissions } });
    await page.evaluate("location.hash = 'keys'");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Website");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const secret = page.locator(".secret");
    await secret.waitFor();
    assert.match(await goBack(page, "dismiss"), /^The secret is shown only once\./);
    await untilShown(() => place(page), "#keys");
    await secret.waitFor();
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.").waitFor();
    page.once("dialog", () => assert.fail("there is nothing to lose"));
    await page.goBack();
    await heading(page, "Animals");
  });
});
