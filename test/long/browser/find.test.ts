// The search for everything: `/` opens it, the keyboard chooses, and it asks for no more than the key may read.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import {
  type ConsoleApp,
  hold,
  keepScreenshot,
  refusal,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { join } from "../../harness/clients/invitation.ts";
import { assertAccessible, COUNT_SHIFTS, PHONE, SIZES } from "../../harness/clients/looks.ts";

const HOSTILE = ["<img src=x onerror=alert(1)> fizz", "Fizz \u202Edrawkcab", `Fizz ${"W".repeat(250)}`];

const field = (page: Page) => page.getByRole("combobox", { name: "Search everything" });
const groups = (page: Page) =>
  page
    .locator("#found fieldset")
    .evaluateAll((all) =>
      all.map((each) => `${each.getAttribute("aria-label")} ${each.querySelectorAll("a").length}`),
    );
const chosen = (page: Page) => page.locator('#found [aria-selected="true"] bdi').first().innerText();

async function open(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("/");
  await field(page).waitFor();
}

testConsole("The search for everything", async (t, { app, visit }) => {
  await fillStore(app);

  await t.test("finds animals, adoptions, people and keys, and leads to them by keyboard", async (t) => {
    const page = await visit(t, { at: "usage" });
    await open(page);
    await page.keyboard.type("luna");
    await untilShown(() => groups(page), ["Animals 2", "Adoptions 1", "People 1", "Keys 1"]);
    assert.equal(await chosen(page), "Luna");
    await page.keyboard.press("ArrowUp");
    assert.equal(await chosen(page), "Luna's kiosk");
    await page.keyboard.press("ArrowDown");
    assert.equal(await chosen(page), "Luna");
    assert.equal(await field(page).getAttribute("aria-activedescendant"), "found-0-0");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Luna" }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    await open(page);
    // By the number, by a reference, and by a fragment with other accents.
    await page.keyboard.type("2");
    await untilShown(() => chosen(page), "Bello");
    await field(page).fill("lang");
    await untilShown(() => groups(page), ["Adoptions 1"]);
    // Each fact on its own: one that reverses its direction leaves the others as they are.
    assert.equal(await page.locator("#found small bdi").last().innerText(), "Family Lang");
    await field(page).fill("UNAX");
    await page.getByText("Nothing found for “UNAX”.").waitFor();
    await field(page).fill("lúna berg");
    await untilShown(() => groups(page), ["People 1"]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Luna Berger" }).waitFor();
  });

  await t.test("Escape closes it and leads back; / in a field is a character", async (t) => {
    const page = await visit(t, { at: "animals" });
    const button = page.getByRole("button", { name: "Search everything" });
    await button.focus();
    await page.keyboard.press("/");
    await page.keyboard.type("a/b");
    assert.equal(await field(page).inputValue(), "a/b");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Search everything");
    await page.getByRole("main").getByRole("searchbox").focus();
    await page.keyboard.press("/");
    assert.equal(await page.getByRole("dialog").count(), 0);
  });

  await t.test("keeps what is typed while its code is loaded, and drops outdated searches", async (t) => {
    const page = await visit(t, { at: "animals", isCut: true });
    const released = await hold(page, "**/v1/listings?*q=be*");
    await open(page);
    await page.keyboard.type("bel");
    const aborted = page.waitForEvent("requestfailed", (request) => request.url().includes("q=bel"));
    await page.waitForRequest((request) => request.url().includes("q=bel"));
    // Nothing has been found yet, so Enter opens nothing.
    await page.keyboard.press("Enter");
    await field(page).fill("luna");
    await aborted;
    await untilShown(() => chosen(page), "Luna");
    released();
  });

  await t.test("leads to all results where there are more", async (t) => {
    const page = await visit(t, { at: "usage" });
    await open(page);
    await page.keyboard.type("guppy");
    await untilShown(() => groups(page), ["Animals 6"]);
    await page.getByRole("option", { name: "Animals: show all that were found" }).click();
    await page.waitForURL(/#animals\?q=guppy$/);
  });

  await t.test("says what has failed, and Enter tries again", async (t) => {
    const page = await visit(t, { at: "animals", expected: [500] });
    const broken = "**/v1/store/orders?*";
    await page.route(broken, (route) => route.fulfill(refusal(500, "internal_error", "Broken.")));
    await open(page);
    await page.keyboard.type("luna");
    await untilShown(() => groups(page), ["Animals 2", "People 1", "Keys 1"]);
    await page.locator(".find-state.failure").waitFor();
    await page.unroute(broken);
    await page.keyboard.press("Enter");
    await untilShown(() => groups(page), ["Animals 2", "Adoptions 1", "People 1", "Keys 1"]);
  });

  await t.test("a key with few requests searches with Enter, and only what it may read", async (t) => {
    const { key } = await app.createKey({ plan: "free", access: "browse" });
    for (let i = 0; i < 44; i++) await app.call("GET", "/pets?limit=1", { key });
    const page = await visit(t, { at: "usage", key });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await open(page);
    await page.getByText("Type a part of a name: Animals.").waitFor();
    asked.length = 0;
    await page.keyboard.type("luna");
    await page.getByText("Press Enter to search.").waitFor();
    assert.deepEqual(asked, []);
    await page.keyboard.press("Enter");
    await untilShown(() => groups(page), ["Animals 2"]);
    assert.deepEqual(asked, ["/v1/listings"]);
  });
});

testConsole("The look of the search for everything", async (t, { app, visit }) => {
  await fillStore(app);

  await t.test("fits and is accessible at both widths, in light and dark, with hostile names", async (t) => {
    const page = await visit(t, { ownContext: {}, at: "usage" });
    await page.addInitScript(COUNT_SHIFTS);
    for (const language of ["English", "Deutsch"])
      for (const [device, size] of Object.entries(SIZES)) {
        await page.setViewportSize(size);
        if (device === "desktop") await page.getByRole("button", { name: language }).click();
        await page.reload();
        await page.getByRole("heading", { level: 1 }).waitFor();
        await keepScreenshot(page, `find-button-${device}-${language}`);
        await page.locator(".find").click();
        await page.getByRole("combobox").fill("fizz");
        await page.locator("#found a").nth(5).waitFor();
        const colorScheme = device === "phone" ? "light" : "dark";
        await page.emulateMedia({ colorScheme });
        await keepScreenshot(page, `find-${device}-${colorScheme}-${language}`);
        // Each width, each scheme and each language once: no axe rule depends on them together.
        if ((device === "phone") === (language === "English"))
          await assertAccessible(page, `find ${device} ${colorScheme}`);
        assert.ok(Number(await page.evaluate("window.shift")) < 0.02);
        assert.ok(
          await page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth && document.querySelector('#found').scrollWidth <= document.querySelector('#found').clientWidth",
          ),
        );
        const heights = await page
          .locator("#found a, .find")
          .evaluateAll((all) => all.map((each) => each.clientHeight + 2));
        if (device === "phone") assert.ok(Math.min(...heights) >= 44, heights.join());
        assert.equal(await page.locator("#found img[src=x]").count(), 0);
        await page.keyboard.press("Escape");
      }
  });

  await t.test("the results on a phone stay in place while the next ones load", async (t) => {
    const page = await visit(t, { ownContext: PHONE, at: "usage" });
    await page.locator(".find").tap();
    await page.keyboard.type("fiz");
    await page.locator("#found[aria-busy=false] a").nth(5).waitFor();
    const top = () => page.locator("#found").evaluate((found) => found.getBoundingClientRect().top);
    const before = await top();
    const release = await hold(page, "**/v1/listings?*");
    await page.keyboard.type("z");
    await page.locator(".find-state", { hasText: "Loading" }).waitFor();
    assert.equal(await top(), before);
    release();
    await page.locator("#found[aria-busy=false]").waitFor();
    assert.equal(await top(), before);
  });
});

async function fillStore(app: ConsoleApp): Promise<void> {
  const { addPet, call, createKey } = app;
  for (const name of ["Lunatic", "Bello", "Luna", ...HOSTILE]) await addPet({ name });
  for (let i = 1; i <= 6; i++) await addPet({ name: `Guppy ${i}` });
  await call("POST", "/store/orders", { body: { petId: 3, reference: "Family Lang" } });
  for (const [index, reference] of HOSTILE.entries())
    await call("POST", "/store/orders", { body: { petId: 4 + index, reference } });
  await join(call, { name: "Luna Berger" });
  await createKey({ name: "Luna's kiosk" });
  for (const name of HOSTILE) await createKey({ name: name.slice(0, 100) });
}
