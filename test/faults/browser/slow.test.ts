// A slow network: while the answer for another filter, page or search is awaited, nothing of the old list can be used.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { WEBHOOKS_PER_KEY_MAX } from "../../../src/domain/basics/count-limits.ts";
import { PAGE_LIMIT_DEFAULT } from "../../../src/domain/basics/list-limits.ts";
import {
  button,
  type ConsoleApp,
  hold,
  keepScreenshot,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { assertAccessible, SIZES } from "../../harness/clients/looks.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";

const rows = (page: Page) => page.locator(".rows").last();
const place = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();
const next = (page: Page) => page.getByRole("button", { name: "Next →" }).last().click();

/** Clicks as a person does: on what is seen there, even if the page has just changed. */
async function clickAt(page: Page, target: { x: number; y: number }): Promise<void> {
  await page.mouse.click(target.x, target.y);
}

async function centreOf(target: Locator): Promise<{ x: number; y: number }> {
  await target.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await target.boundingBox()) ?? assert.fail("it is not shown");
  return { x: x + width / 2, y: y + height / 2 };
}

interface SlowList {
  place: string;
  /** After the place was opened. */
  prepare?: (page: Page) => Promise<void>;
  /** The request that the change causes. */
  address: string;
  /** In a row of the old list. */
  target: (page: Page) => Locator;
  change: (page: Page) => Promise<unknown>;
  /** In the new list. */
  found: (page: Page) => Locator;
}

const openDeliveries = async (page: Page) => {
  await place(page, "Own hook");
  await page.getByText("Waiting to be sent").waitFor();
};

const LISTS: Record<string, SlowList> = {
  "animals of another status": {
    place: "Animals",
    address: "**/v1/listings?*status=sold*",
    target: (page) => button(page, "Actions for Guppy 1"),
    change: (page) => page.getByRole("button", { name: /^Adopted/ }).click(),
    found: (page) => page.getByRole("link", { name: "Nemo", exact: true }),
  },
  "the next page of animals": {
    place: "Animals",
    address: "**/v1/listings?*cursor=*",
    target: (page) => button(page, "Actions for Guppy 1"),
    change: next,
    found: (page) => page.getByRole("link", { name: "Guppy 21", exact: true }),
  },
  "a search for animals": {
    place: "Animals",
    address: "**/v1/listings?*q=*",
    target: (page) => button(page, "Actions for Guppy 1"),
    change: (page) => page.getByRole("searchbox").fill("nemo"),
    found: (page) => page.getByRole("link", { name: "Nemo", exact: true }),
  },
  "a category of animals": {
    place: "Animals",
    address: "**/v1/listings?*categoryId=*",
    target: (page) => page.getByRole("link", { name: "Guppy 2", exact: true }),
    change: (page) => page.getByLabel("Filter by category").selectOption("Fish"),
    found: (page) => page.getByRole("link", { name: "Guppy 1", exact: true }),
  },
  "orders of another status": {
    place: "Adoptions",
    address: "**/v1/store/orders?*status=cancelled*",
    target: (page) => button(page, "Approve adoption 1"),
    change: (page) => page.getByRole("button", { name: /^Cancelled/ }).click(),
    found: (page) => page.getByRole("cell", { name: "Cancelled" }),
  },
  "a search for keys": {
    place: "Keys",
    address: "**/v1/keys?*limit=100*",
    target: (page) => page.getByRole("link", { name: "Desk 1", exact: true }),
    change: (page) => page.getByRole("searchbox").fill("desk 2"),
    found: (page) => page.getByRole("link", { name: "Desk 20", exact: true }),
  },
  "the next page of webhooks": {
    place: "Webhooks",
    address: "**/v1/webhooks?*cursor=*",
    target: (page) => page.getByRole("link", { name: "Hook 0" }).first(),
    change: next,
    found: (page) => page.getByText("Page 2"),
  },
  "the next page of the audit log": {
    place: "Audit log",
    address: "**/v1/audit?*cursor=*",
    target: (page) => page.getByRole("cell").getByRole("link").first(),
    change: next,
    found: (page) => page.getByText("Page 2"),
  },
  "deliveries of another status": {
    place: "Webhooks",
    prepare: openDeliveries,
    address: "**/deliveries?*status=delivered*",
    target: (page) => page.getByRole("button", { name: /^Send again: no\./ }).first(),
    change: (page) => page.getByLabel("Show").selectOption("Delivered"),
    found: (page) => page.getByRole("cell", { name: "Delivered" }).first(),
  },
};

/** Every list has rows, and more than one page where the test needs it. */
async function fillLists(t: TestContext, app: ConsoleApp) {
  const { call } = app;
  await call("PUT", "/categories/2", { body: { name: "Fish" } });
  // The newest is first.
  for (let i = 30; i >= 1; i--) {
    const status = i > 25 ? "sold" : "available";
    await call("POST", "/pets", {
      body: { name: i === 30 ? "Nemo" : `Guppy ${i}`, categoryId: (i % 2) + 1, status },
    });
  }
  for (const petId of [10, 11]) await call("POST", "/store/orders", { body: { petId } });
  await call("PATCH", "/store/orders/2", { body: { status: "cancelled" } });
  const receiver = await startReceiver(t);
  const hook = { url: receiver.url, description: "Own hook", types: ["category.updated"] };
  await call("POST", "/webhooks", { body: hook });
  for (const name of ["Fishes", "Fish"]) await call("PUT", "/categories/2", { body: { name } });
  await receiver.until(2);
  await app.service.runDeliveries();
  for (let i = 1; i <= PAGE_LIMIT_DEFAULT + 2; i++) {
    const { key: own } = await app.createKey({ name: `Desk ${i}`, access: "manage" });
    const body = {
      url: receiver.url,
      description: `Hook ${i % WEBHOOKS_PER_KEY_MAX}`,
      types: ["order.created"],
    };
    await call("POST", "/webhooks", { key: own, body });
  }
  return app.createKey({ name: "Colleague", access: "manage" });
}

testConsole("A slow network in the console", RECEIVER_SETTINGS, async (t, { app, visit }) => {
  const { adminKey: key, call } = app;
  const colleague = await fillLists(t, app);
  const open = async (t: TestContext, { place: name, prepare }: SlowList, options = {}) => {
    const page = await visit(t, { key, ...options });
    await place(page, name);
    await prepare?.(page);
    return page;
  };

  for (const [name, list] of Object.entries(LISTS))
    await t.test(`${name}: rows of the old list can neither be clicked nor focused`, async (t) => {
      const page = await open(t, list);
      const spot = await centreOf(list.target(page));
      const height = async () => (await rows(page).boundingBox())?.height;
      const before = await height();
      const release = await hold(page, list.address);
      const changes: string[] = [];
      page.on("request", (request) => request.method() !== "GET" && changes.push(request.url()));
      const address = page.url();
      await list.change(page);
      await clickAt(page, spot);
      await rows(page).evaluate((each) => each.querySelector<HTMLElement>("button, a, select")?.focus());
      assert.equal(await rows(page).evaluate((each) => each.contains(document.activeElement)), false);
      // From 300 ms on, nothing of the old rows can be read, and nothing has moved.
      await page.locator(".rows.slow").last().waitFor();
      await clickAt(page, spot);
      assert.equal(await list.target(page).isVisible(), false);
      assert.equal(await height(), before);
      assert.equal(page.url().split("?")[0], address.split("?")[0], "no link was followed");
      assert.deepEqual(changes, []);
      assert.equal(await page.locator(".notice").count(), 0, "no deletion waits for undo");
      assert.equal(await page.getByRole("menu").count(), 0, "no menu of the old list is open");
      assert.equal(await page.getByRole("dialog").count(), 0);
      release();
      await list.found(page).first().waitFor();
      await untilShown(() => rows(page).evaluate((each) => each.matches("[inert], .slow")), false);
    });

  await t.test("a search that was typed disables the rows before it is sent", async (t) => {
    const page = await open(t, LISTS["a search for animals"] as SlowList, { ownContext: {} });
    const spot = await centreOf(button(page, "Actions for Guppy 1"));
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole("searchbox").fill("nemo");
    await clickAt(page, spot);
    assert.equal(await page.getByRole("menu").count(), 0);
    await page.getByRole("searchbox").fill("");
    await page.clock.runFor(250);
    await untilShown(() => rows(page).evaluate((each) => each.matches("[inert]")), false);
  });

  await t.test("the skeleton comes after 300 ms, fits at both widths, and axe finds nothing", async (t) => {
    const page = await open(t, LISTS["animals of another status"] as SlowList, { ownContext: {} });
    await button(page, "Actions for Guppy 1").waitFor();
    const release = await hold(page, "**/v1/listings?*status=sold*");
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole("button", { name: /^Adopted/ }).click();
    await untilShown(() => rows(page).getAttribute("inert"), "");
    await page.clock.runFor(290);
    assert.equal(await page.locator(".rows.slow").count(), 0, "a fast answer does not flicker");
    await page.clock.runFor(20);
    await page.locator(".rows.slow").waitFor();
    await page.getByRole("status").filter({ hasText: "Loading…" }).waitFor({ state: "attached" });
    for (const [device, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      await keepScreenshot(page, `console-slow-${device}`);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), viewport.width);
    }
    await page.clock.resume();
    await assertAccessible(page, "slow list");
    release();
    await page.getByRole("link", { name: "Nemo", exact: true }).waitFor();
  });

  await t.test("an empty list claims nothing about the new filter before its answer", async (t) => {
    const page = await visit(t);
    await page.getByRole("button", { name: "Pending 1" }).click();
    const { id } = (await call("GET", "/listings?status=pending")).json[0];
    await call("PATCH", "/store/orders/1", { key: colleague.key, body: { status: "cancelled" } });
    await page.getByText("No animal is pending.").waitFor();
    const release = await hold(page, "**/v1/listings?*status=any*");
    await page.getByRole("button", { name: /^All/ }).click();
    await untilShown(() => rows(page).getAttribute("inert"), "");
    assert.equal(await rows(page).getByText(/./).first().isVisible(), false);
    // Someone else changes the store while the answer is on its way.
    await call("PATCH", `/pets/${id}`, { key: colleague.key, body: { name: "Guppy of a colleague" } });
    release();
    await page.getByRole("link", { name: "Guppy 1", exact: true }).waitFor();
  });
});
