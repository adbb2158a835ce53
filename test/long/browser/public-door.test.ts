// What the public sees, in the console: the public pages, shared animals, kennel cards, and keys for web pages.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import {
  button,
  type ConsoleScene,
  notice,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { assertPrinted, printCard } from "../../harness/clients/kennel-card.ts";
import { assertAccessible, COUNT_SHIFTS, checkSizes } from "../../harness/clients/looks.ts";

const LINK = "Show our animals to the public";
/** The last text that the page has copied. */
const KEEP_COPIES = `Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async (text) => { window.copied = text; } },
});`;
const copied = (page: Page) => page.evaluate("window.copied");

testConsole("The public door in the console", async (t, scene) => {
  await scene.app.addPet({ name: "Rex" });
  await scene.app.addPet({ name: "Ada", status: "pending" });
  await scene.app.addPet({ name: "Sold", status: "sold" });
  await testSite(t, scene);
  await testAnimal(t, scene);
  await testKeys(t, scene);
  await testAccess(t, scene);
});

async function testSite(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, url } = app;

  await t.test("an admin sets how the pages look, opens them, and copies their address", async (t) => {
    const page = await visit(t, { at: "animals/1" });
    await page.addInitScript(COUNT_SHIFTS + KEEP_COPIES);
    await button(page, "Print a kennel card").waitFor();
    assert.equal(await button(page, "Share").count(), 0);
    assert.equal(await page.locator(".public-page").count(), 0);
    await page.getByRole("link", { name: LINK }).click();
    await page.getByText("Only people with a key can see").waitFor();
    await assertAccessible(page, "closed");
    await page.getByText("This address works on this computer only.").waitFor();
    assert.equal(await page.getByText("The pages will be in").count(), 0);
    await page.getByText("People cannot see yet how to reach you.").waitFor();
    assert.equal(await page.getByRole("link", { name: "Look at the page" }).count(), 0);

    await page.getByLabel("Title").fill("Pfotenhof");
    await page.getByLabel("Introduction").fill("Come and see us.");
    await page.getByLabel("Language of the pages").selectOption("Deutsch");
    await page.getByLabel("A colour of our own").check();
    await page.getByLabel("Colour", { exact: true }).fill("#ffee00");
    const preview = page.locator(".site-preview");
    for (const text of ["Pfotenhof", "Come and see us.", "Rex", "Reserved"])
      await preview.getByText(text).waitFor();
    assert.equal(
      await preview.evaluate((drawn) => getComputedStyle(drawn).borderTopColor),
      "rgb(255, 238, 0)",
    );
    assert.doesNotMatch(await preview.innerText(), /Sold/);
    await assertAccessible(page, "preview");
    // Another admin opens the pages at the same time: the form does not close them.
    await call("PATCH", "/site", { body: { isPublic: true } });
    await button(page, "Save").click();
    await page.getByText("Saved.").waitFor();
    const saved = { title: "Pfotenhof", introduction: "Come and see us.", language: "de", accent: "#ffee00" };
    assert.deepEqual((await call("GET", "/site")).json, { isPublic: true, ...saved });

    await button(page, "Close the pages").click();
    await page.getByText("The pages are closed.").waitFor();
    await page.getByText("The pages will be in Deutsch.").waitFor();
    await page.getByLabel("Introduction").fill("They all wait for you.");
    await preview.getByText("They all wait for you.").waitFor();
    await button(page, "Open the pages").click();
    await page.getByText("The pages are open.").waitFor();
    await preview.waitFor({ state: "detached" });
    assert.equal(
      (await call("GET", "/site")).json.introduction,
      "They all wait for you.",
      "what the preview shows",
    );
    await button(page, "Save").click();
    await page.getByText("Nothing was changed.").waitFor();
    await button(page, "Deutsch").click();
    const isOpen = page.getByText("Alle können Ihre Tiere sehen");
    // Its texts are loaded first: a reload before that would forget the choice.
    await isOpen.waitFor();
    await checkSizes(page, isOpen);
    await button(page, "English").click();
    await button(page, "Copy").click();
    await page.getByText("Copied.").waitFor();
    assert.equal(await copied(page), `${url}/animals`);
    const look = page.getByRole("link", { name: "Look at the page" });
    assert.equal(await look.getAttribute("href"), `${url}/animals`);
    await page.getByRole("link", { name: "Audit log" }).click();
    const row = rowOf(page, "Public pages changed").filter({ hasText: "Public pages: Closed → Open" });
    await row.first().waitFor();
    await rowOf(page, "Language: English → Deutsch").waitFor();
  });
}

async function testAnimal(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, createKey, url } = app;
  const { key } = await createKey({ access: "browse" });

  await t.test("everyone shares a public animal, and its card has the address as a code", async (t) => {
    const page = await visit(t, { key, at: "animals/1" });
    await page.addInitScript(COUNT_SHIFTS + KEEP_COPIES);
    // On a phone it is in the menu.
    await checkSizes(page, button(page, "Share").or(button(page, "More actions for Rex")));
    await page.locator(".public-page svg").waitFor({ state: "attached" });
    await button(page, "Share").click();
    await notice(page, "The address of the public page of Rex is copied.").waitFor();
    assert.equal(await copied(page), `${url}/animals/1`);
    const card = await printCard(page, "A5");
    assert.equal(card.length, 1);
    assertPrinted(card, ["Rex", `${url}/animals/1`], "A5");
    await page.emulateMedia({ media: "print" });
    const { width = 0, height } = (await page.locator(".public-page svg").boundingBox()) ?? {};
    assert.ok(width >= 94 && width === height, `${width} pixels are 25 mm`);
    await page.emulateMedia({ media: null });

    await page.evaluate("navigator.share = async (data) => { window.shared = data; }");
    await button(page, "Share").click();
    await untilShown(() => page.evaluate("window.shared"), { title: "Rex", url: `${url}/animals/1` });

    await call("PATCH", "/pets/1", { body: { status: "sold" } });
    await button(page, "Share").waitFor({ state: "detached" });
    assert.equal(await page.locator(".public-page").count(), 0);
  });
}

async function testKeys(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, url } = app;

  await t.test("a key for web pages: its origins, its lines, and nothing that it cannot have", async (t) => {
    const page = await visit(t, { at: "site" });
    await page.addInitScript(COUNT_SHIFTS + KEEP_COPIES);
    await page.getByRole("link", { name: "Create a publishable key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Our website");
    assert.equal(await dialog.getByLabel("Access").count(), 0);
    const plans = await dialog.getByLabel("Plan").locator("option").allTextContents();
    assert.equal(plans[0], "Free – 60 a minute");
    assert.doesNotMatch(plans.join(), /a day/);
    await dialog.getByLabel("Plan").selectOption({ value: "enterprise" });
    assert.equal(await dialog.getByLabel("Requests per day").count(), 0);
    await dialog.getByLabel("Plan").selectOption({ value: "free" });
    await button(page, "Create").click();
    await dialog.getByText("Enter the address of at least one web page.").waitFor();
    await dialog
      .getByLabel("Web pages that may use it")
      .fill("www.example.org/animals\nhttp://localhost:3000");
    await assertAccessible(page, "new key");
    await button(page, "Create").click();
    await page.getByRole("heading", { name: "On your web page" }).waitFor();
    const [stored] = (await call("GET", "/keys")).json.filter(
      (each: ListedKey) => each.kind === "publishable",
    );
    assert.deepEqual(stored.allowedOrigins, ["https://www.example.org", "http://localhost:3000"]);
    await page.goto(`${page.url().split("#")[0]}#keys/${stored.id}`);
    await checkSizes(page, page.getByText("was not used in the last 30"));
    await button(page, "Copy the key").click();
    assert.equal(await copied(page), stored.key);
    await button(page, "Copy the lines").click();
    const lines = `<script type="module" src="${url}/widget.js"></script>
<animal-store-list src="${url}" key="${stored.key}" filters></animal-store-list>`;
    assert.equal(await copied(page), lines);
    assert.deepEqual(await page.locator(".head button").allTextContents(), ["Rotate…", "Revoke…"]);
    assert.equal(await page.getByLabel("Access").count(), 0);

    await page.getByLabel("Web pages that may use it").fill("https://other.example");
    await page.getByLabel("Name").fill("Website");
    await button(page, "Save").click();
    await page.getByText("Website was changed.").waitFor();
    assert.deepEqual((await call("GET", `/keys/${stored.id}`)).json.allowedOrigins, [
      "https://other.example",
    ]);

    await button(page, "Rotate…").click();
    assert.doesNotMatch(await dialog.innerText(), /secret/i);
    await dialog.getByLabel("The old key keeps working").selectOption("not at all");
    await button(page, "Rotate").click();
    await notice(page, "Website has a new key.").waitFor();
    await page.getByText(stored.key).first().waitFor({ state: "detached" });
    const { key: newKey } = (await call("GET", `/keys/${stored.id}`)).json;
    await button(page, "Copy the key").click();
    assert.equal(await copied(page), newKey);
    assert.notEqual(newKey, stored.key);

    await page.getByRole("link", { name: "← All keys" }).click();
    await rowOf(page, "Website")
      .filter({ hasText: "Publishable" })
      .filter({ hasText: "Public animals" })
      .waitFor();
    await page.getByLabel("Search keys by name or beginning").fill(newKey.slice(0, 20));
    await rowOf(page, "First key").waitFor({ state: "detached" });
    await rowOf(page, "Website").waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    await rowOf(page, "Key created").filter({ hasText: "Kind: Publishable" }).waitFor();
  });
}

interface ListedKey {
  kind: string;
}

async function testAccess(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  await t.test("only admins are offered the page", async (t) => {
    const { key } = await app.createKey({ access: "manage" });
    const page = await visit(t, { key, at: "site" });
    await page.getByRole("heading", { level: 1, name: "Animals" }).waitFor();
    assert.equal(await page.getByRole("link", { name: LINK }).count(), 0);
  });
}
