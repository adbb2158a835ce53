// The console on a phone: the bar at its lower edge, which offers what the access permits, and targets for a thumb.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { button, notice, testConsole, untilShown } from "../../harness/clients/console.ts";
import { join } from "../../harness/clients/invitation.ts";
import { assertAccessible, assertFits, COUNT_SHIFTS, PHONE, SIZES } from "../../harness/clients/looks.ts";

/** The smallest side of a target, in CSS pixels. */
const TARGET_MIN = 44;

/** Enough categories to reach below the notices. */
const NAMES = ["Cats", "Birds", "Fish", "Hens", "Mice", "Rats", "Horses", "Donkeys", "Goats", "Tortoises"];

const bar = (page: Page) => page.getByRole("navigation", { name: "Places" });

/** Targets that are too small, and words that are wider than what holds them. */
const findBarFaults = (page: Page) =>
  page.locator(".bottom-bar > *").evaluateAll((targets, least) => {
    const boxes = targets.map((target) => ({ target, box: target.getBoundingClientRect() }));
    return boxes
      .filter(({ target, box }) => {
        const words = [...target.querySelectorAll("span")].map((each) => each.getBoundingClientRect());
        const isOver = words.some(({ left, right }) => left < box.left || right > box.right);
        return isOver || box.width < least || box.height < least || box.bottom !== innerHeight;
      })
      .map(({ target }) => target.outerHTML);
  }, TARGET_MIN);

/** Links that stand alone, buttons and summaries that a thumb would miss. */
const findSmallTargets = (page: Page) =>
  page.locator("a[href], button, summary").evaluateAll((all, least) => {
    const isShown = (each: Element) =>
      each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().left >= 0;
    const isOfSentence = (each: Element) =>
      getComputedStyle(each).display === "inline" && each.parentElement?.textContent !== each.textContent;
    /** Its link fills all of the row. */
    const isRow = (each: Element) => getComputedStyle(each, "::after").position === "absolute";
    return all
      .filter((each) => isShown(each) && !isOfSentence(each) && !isRow(each))
      .filter((each) => each.getBoundingClientRect().height < least)
      .map(({ outerHTML }) => outerHTML);
  }, TARGET_MIN);

/** Links in facts whose upper edge does not take a touch, although they reach so far. */
const findClippedTargets = (page: Page) =>
  page.locator("main dd a").evaluateAll((links) =>
    links
      .filter((link) => {
        link.scrollIntoView({ block: "center" });
        const { left, top } = link.getBoundingClientRect();
        return !link.contains(document.elementFromPoint(left + 2, top + 2));
      })
      .map(({ outerHTML }) => outerHTML),
  );

const OFFERED = {
  browse: { targets: ["Today", "Animals", "More"], more: ["Categories", "Our shelter", "Usage"] },
  adopt: { targets: ["Today", "Animals", "Adoptions", "More"], more: ["Categories", "Our shelter", "Usage"] },
  manage: {
    targets: ["Today", "Animals", "Add an animal", "Adoptions", "More"],
    more: ["Categories", "Our shelter", "Webhooks", "Usage"],
  },
  admin: {
    targets: ["Today", "Animals", "Add an animal", "Adoptions", "More"],
    more: [
      "Categories",
      "Our shelter",
      "Show our animals to the public",
      "Webhooks",
      "People",
      "Keys",
      "Audit log",
      "Usage",
    ],
  },
};

testConsole("The bar of the console on a phone", async (t, { app, visit }) => {
  const { addPet, call, createKey } = app;
  for (const name of ["Rex", "Luna"]) await addPet({ name });
  for (const petId of [1, 2]) await call("POST", "/store/orders", { body: { petId } });

  for (const [access, { targets, more }] of Object.entries(OFFERED))
    await t.test(`offers what the access "${access}" permits, and nothing else`, async (t) => {
      const { key } = await createKey({ plan: "pro", access });
      const page = await visit(t, { key, ownContext: PHONE });
      const names = () =>
        page
          .locator(".bottom-bar > *")
          .evaluateAll((all) =>
            all.map((each) => each.getAttribute("aria-label") ?? each.querySelector("span")?.textContent),
          );
      await untilShown(names, targets);
      await button(page, "More").click();
      const links = page.getByRole("dialog").getByRole("link");
      await untilShown(() => links.allTextContents(), [...more, "API reference"]);
    });

  for (const locale of ["en", "de"])
    await t.test(`is at the lower edge, has room for its words, and moves nothing (${locale})`, async (t) => {
      const page = await visit(t, { at: "orders", ownContext: { ...PHONE, locale } });
      await page.addInitScript(COUNT_SHIFTS);
      await page.reload();
      await page.locator("tbody tr").first().waitFor();
      await page.locator(".bottom-bar .badge-count").waitFor();
      assert.deepEqual(await findBarFaults(page), []);
      assert.equal(await page.evaluate("window.shift"), 0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await assertFits(page, "adoptions");
        await assertAccessible(page, `adoptions, ${colorScheme}`);
      }
      await page.locator(".bottom-bar > :last-child").click();
      await page.getByRole("dialog").waitFor();
      await assertFits(page, "more");
      await assertAccessible(page, "more");
      const heights = await page
        .locator(".more :is(a, button)")
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
      assert.ok(Math.min(...heights) >= TARGET_MIN, `${heights}`);
    });

  await t.test("leads to the places, adds an animal from each, and signs out", async (t) => {
    const page = await visit(t, { at: "today", ownContext: PHONE });
    const current = () => bar(page).locator("[aria-current]").innerText();
    await bar(page).getByRole("link", { name: "Adoptions" }).click();
    await page.getByRole("heading", { level: 1, name: "Adoptions" }).waitFor();
    await untilShown(current, "Adoptions\n2");
    await button(page, "More").click();
    await page.getByRole("dialog").getByRole("link", { name: "Categories" }).click();
    await page.getByRole("heading", { level: 1, name: "Categories" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await untilShown(() => page.evaluate("document.activeElement.localName"), "main");
    await bar(page).getByRole("button", { name: "Add an animal" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Momo");
    await page.keyboard.press("Enter");
    await notice(page, "Momo was added as no. 3").waitFor();
    await page.getByRole("heading", { level: 1, name: "Momo" }).waitFor();
    const [said, below] = await Promise.all([
      page.locator(".notice").boundingBox(),
      page.locator(".bottom-bar").boundingBox(),
    ]);
    assert.ok(said && below && said.y + said.height < below.y, "notices are above the bar");
    await button(page, "More").click();
    await button(page, "Sign out").click();
    await page.getByLabel("API key").waitFor();
    assert.equal(await page.locator(".bottom-bar").count(), 0);
  });

  await t.test("offers the categories by name where they were not shown before", async (t) => {
    await call("PUT", "/categories/7", { body: { name: "Cats" } });
    const page = await visit(t, { at: "today", ownContext: PHONE });
    await bar(page).getByRole("button", { name: "Add an animal" }).click();
    await page.getByRole("option", { name: "Cats" }).waitFor({ state: "attached" });
    assert.equal(await page.getByLabel("Category", { exact: true }).inputValue(), "7");
    assert.equal(await page.getByLabel("Category number").count(), 0);
    await call("DELETE", "/categories/7");
  });

  await t.test("is not there where the header has room for all places", async (t) => {
    const page = await visit(t, { ownContext: { viewport: SIZES.desktop } });
    await page.locator("tbody tr").first().waitFor();
    assert.equal(await page.locator(".bottom-bar").count(), 0);
    assert.equal(await bar(page).getByRole("link").count(), OFFERED.admin.targets.length - 2 + 6);
    await page.setViewportSize(SIZES.phone);
    await bar(page).getByRole("button", { name: "More" }).waitFor();
    assert.equal(await page.locator("header nav").count(), 0);
  });
});

testConsole("Targets and notices of the console on a phone", async (t, { app, visit }) => {
  const { addPet, call } = app;
  await addPet({ name: "Rex" });
  const { key } = await join(call, { name: "Mia", access: "browse" });
  const isOfMia = ({ hint }: { hint: string }) => key.startsWith(hint);
  const { id: keyId } = (await call("GET", "/keys")).json.find(isOfMia);
  const places = [
    "today",
    "animals/1",
    "shelters/1",
    "usage",
    "site",
    `keys/${keyId}`,
    "nowhere/1",
    "animals/4711",
  ];
  for (const at of places)
    await t.test(`every target of ${at} is big enough for a thumb`, async (t) => {
      const page = await visit(t, { at, ownContext: PHONE, expected: [404] });
      await page.getByRole("heading", { level: 1 }).waitFor();
      await untilShown(() => page.getByRole("main").getByText("Loading…").count(), 0);
      assert.deepEqual(await findSmallTargets(page), []);
      assert.deepEqual(await findClippedTargets(page), []);
      await assertAccessible(page, at);
    });

  await t.test("every target of the sign-in page is big enough for a thumb", async (t) => {
    const page = await visit(t, { key: undefined, ownContext: PHONE });
    await page.getByLabel("API key").waitFor();
    assert.deepEqual(await findSmallTargets(page), []);
  });

  await t.test("the name of the person fits beside a long name of the store", async (t) => {
    const { key } = await join(call, { name: `Mia ${"W".repeat(90)}`, access: "admin" });
    await call("PATCH", "/site", { body: { title: "W".repeat(100) } });
    const page = await visit(t, { key, at: "usage", ownContext: PHONE });
    await page.locator("header .me").waitFor();
    await untilShown(() => page.locator("header .brand bdi").innerText(), "W".repeat(100));
    await assertFits(page, "usage");
    const { right, width } = await page.locator("header .me").evaluate((me) => me.getBoundingClientRect());
    assert.ok(width >= TARGET_MIN && right <= SIZES.phone.width - 16, `${width}, ${right}`);
    await call("PATCH", "/site", { body: { title: null } });
  });

  for (const locale of ["en", "de"])
    await t.test(`notices cover neither its targets nor the names of a list (${locale})`, async (t) => {
      for (const [index, name] of ["Dogs", "W".repeat(100), ...NAMES].entries())
        await call("PUT", `/categories/${index + 1}`, { body: { name } });
      const page = await visit(t, { at: "categories", ownContext: { ...PHONE, locale } });
      for (const name of ["Dogs", "WWW"]) {
        await page.getByRole("row", { name }).getByRole("button").click();
        await page.getByRole("menuitem").last().click();
      }
      await untilShown(() => page.locator(".notice").count(), 2);
      const covered = await page.locator(".notice").evaluateAll((notices) => {
        const targets = [...document.querySelectorAll(".bottom-bar > *")];
        return notices.flatMap((notice) => {
          const over = notice.getBoundingClientRect();
          const isUnder = ({ left, right, top, bottom }: DOMRect) =>
            left < over.right && over.left < right && top < over.bottom && over.top < bottom;
          const names = [...document.querySelectorAll("tbody th bdi")].filter((name) => {
            const words = document.createRange();
            words.selectNodeContents(name);
            return isUnder(words.getBoundingClientRect());
          });
          return [...targets.filter((target) => isUnder(target.getBoundingClientRect())), ...names];
        }).length;
      });
      assert.equal(covered, 0);
      const [short, long] = await page
        .locator(".notice")
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
      assert.ok(short && long && short <= 80 && long <= 120, `compact: ${short} and ${long} px`);
      const buttons = await page
        .locator(".notice button")
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
      assert.ok(Math.min(...buttons) >= TARGET_MIN, `${buttons}`);
      await assertFits(page, "notices");
      await assertAccessible(page, "notices");
      for (const undo of [1, 0]) await page.locator(".notice").nth(undo).getByRole("button").first().click();
    });
});
