// Lists in the console that update by themselves when others change something.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page, Request, Route } from "playwright-core";
import {
  act,
  type ConsoleScene,
  hold,
  holdResponse,
  notice,
  refusal,
  rowOf,
  setVisible,
  signIn,
  stopTimers,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { startProxy } from "../../harness/servers/proxy.ts";

const isStream = (request: Request) => request.url().includes("/v1/events/stream");
const isList = (request: Request) => /\/v1\/(listings|store\/orders)(\?|$)/.test(request.url());
const focused = (page: Page) =>
  page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.localName");

/** Counts the requests of a page. Must be called before the page is loaded again. */
function countRequests(page: Page, matches: (request: Request) => boolean): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (matches(request)) count += 1;
  });
  return () => count;
}

/** Counts the events that the page receives from now on. */
async function countEvents(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    window.eventCount = 0;
    const decode = TextDecoder.prototype.decode;
    TextDecoder.prototype.decode = function (...inputs) {
      const text = decode.apply(this, inputs);
      eventCount += text.split("\\ndata: ").length - 1;
      return text;
    };
  `);
  return () => page.evaluate<number>("eventCount");
}

async function openScene({ app, visit }: ConsoleScene) {
  const { call } = app;
  /** Resolves when the animals are shown: every later change is shown by itself. */
  const follow = async (t: TestContext, options = {}) => {
    const page = await visit(t, options);
    await rowOf(page, "Luna").waitFor();
    return page;
  };
  for (const name of ["Rex", "Luna", "Momo"]) await call("POST", "/pets", { body: { name, categoryId: 1 } });
  return { ...app, visit, follow };
}

testConsole("Live lists in the console show changes", async (t, scene) => {
  const { call, createKey, follow } = await openScene(scene);

  await t.test("shows new, changed and deleted animals, and counts them", async (t) => {
    const page = await follow(t);
    const { id } = (await call("POST", "/pets", { body: { name: "Bruno", categoryId: 1 } })).json;
    await rowOf(page, "Bruno").waitFor();
    await call("PATCH", `/pets/${id}`, { body: { status: "sold" } });
    await rowOf(page, "Bruno").locator("select.sold").waitFor();
    await page.getByRole("button", { name: "Adopted 1" }).waitFor();
    await call("DELETE", `/pets/${id}`);
    await rowOf(page, "Bruno").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Adopted 0" }).waitFor();
  });

  await t.test("shows new names of categories and of ordered animals", async (t) => {
    const page = await follow(t);
    await call("PUT", "/categories/1", { body: { name: "Dogs" } });
    await rowOf(page, "Rex").filter({ hasText: "Dogs" }).waitFor();
    await page.getByRole("link", { name: "Categories" }).click();
    await rowOf(page, "Dogs").waitFor();
    await call("PUT", "/categories/1", { body: { name: "Hounds" } });
    await rowOf(page, "Hounds").waitFor();
    await page.getByRole("link", { name: "Adoptions" }).click();
    await page.getByText("No adoption is open.").waitFor();
    await call("POST", "/store/orders", { body: { petId: 3 } });
    await rowOf(page, "Momo").filter({ hasText: "Placed" }).waitFor();
    await call("PATCH", "/pets/3", { body: { name: "Momo II" } });
    await rowOf(page, "Momo II").waitFor();
    await call("PATCH", "/store/orders/1", { body: { status: "approved" } });
    await rowOf(page, "Momo II").filter({ hasText: "Approved" }).waitFor();
  });

  await t.test("keeps the focus, the scroll position, and the elements of unchanged rows", async (t) => {
    const page = await follow(t);
    await page.setViewportSize({ width: 800, height: 200 });
    await page.getByRole("button", { name: "Actions for Luna" }).focus();
    await page.evaluate("scrollTo(0, 120)");
    await page.evaluate(`
      window.rexRow = [...document.querySelectorAll("tr")].find((row) => row.textContent.includes("Rex"));
      window.rexChanges = 0;
      new MutationObserver((found) => { rexChanges += found.length; }).observe(rexRow, {
        attributes: true, characterData: true, childList: true, subtree: true,
      });
    `);
    await call("POST", "/pets", { body: { name: "Minka", categoryId: 1 } });
    await call("PATCH", "/pets/2", { body: { name: "Luna", status: "pending" } });
    await rowOf(page, "Minka").waitFor({ state: "attached" });
    await rowOf(page, "Luna").locator("select.pending").waitFor({ state: "attached" });
    assert.equal(await focused(page), "Actions for Luna");
    assert.equal(await page.evaluate("scrollY"), 120);
    assert.deepEqual(await page.evaluate("[rexRow.isConnected, rexChanges]"), [true, 0]);
    await call("PATCH", "/pets/2", { body: { status: "available" } });
  });

  await t.test("moves the focus into the same row, or to the start, when its button goes", async (t) => {
    const { key } = await createKey({ access: "adopt", plan: "pro" });
    const page = await follow(t, { key });
    // Its menu has nothing but the order.
    await page.getByRole("button", { name: "Actions for Rex" }).focus();
    await call("PATCH", "/pets/1", { body: { status: "pending" } });
    await untilShown(() => page.evaluate("document.activeElement.textContent"), "Rex");
    await page.getByRole("button", { name: "Actions for Minka" }).focus();
    await call("DELETE", "/pets/5");
    await rowOf(page, "Minka").waitFor({ state: "detached" });
    await untilShown(() => focused(page), "main");
    await call("PATCH", "/pets/1", { body: { status: "available" } });
  });

  await t.test("reads the list a few times only when many changes arrive", async (t) => {
    const page = await follow(t);
    const reads = countRequests(page, isList);
    const startMs = performance.now();
    for (let i = 1; i <= 60; i++) await call("PATCH", "/pets/2", { body: { name: `Luna ${i}` } });
    await rowOf(page, "Luna 60").waitFor();
    const seconds = (performance.now() - startMs) / 1_000;
    // One every two seconds, with one at the start and one at the end.
    assert.ok(reads() <= 2 + seconds / 2, `${reads()} reads in ${seconds} s`);
    await call("PATCH", "/pets/2", { body: { name: "Luna" } });
  });
});

testConsole("Live lists in the console wait for the user", async (t, scene) => {
  const { call, follow } = await openScene(scene);

  await t.test("does not change the rows while the user works with them", async (t) => {
    const page = await follow(t, { ownContext: {} });
    const reads = countRequests(page, isList);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const actionsOfRex = page.getByRole("button", { name: "Actions for Rex" });
    const availableRex = rowOf(page, "Rex").locator("select.available");
    const order = page.getByRole("menuitem", { name: "Start an adoption" });
    const rest = () => page.clock.runFor(4_000);
    const eventsReceived = await countEvents(page);
    /** Someone else changes the status of Rex. Resolves when the page knows: its clock does not wait for that. */
    const changeRex = async (status: string) => {
      const before = await eventsReceived();
      await call("PATCH", "/pets/1", { body: { status } });
      await untilShown(eventsReceived, before + 1);
    };
    /** Time passes after the change, and the page does not even ask. */
    const changeUnnoticed = async (status: string) => {
      const before = reads();
      await changeRex(status);
      await rest();
      assert.equal(reads(), before);
    };

    await t.test("the rows stay while a pointer moves over them", async () => {
      await call("POST", "/pets", { body: { name: "Late", categoryId: 1 } });
      await untilShown(eventsReceived, 1);
      for (let i = 0; i < 5; i++) {
        await rowOf(page, i % 2 === 0 ? "Luna" : "Rex").hover();
        await page.clock.runFor(500);
      }
      assert.equal(reads(), 0);
      await rest();
      await rowOf(page, "Late").waitFor();
    });

    await t.test("the rows stay while a pointer is down, so that the click reaches its button", async () => {
      await actionsOfRex.hover();
      await page.mouse.down();
      await changeUnnoticed("pending");
      await page.mouse.up();
      await page.clock.runFor(100);
      await order.waitFor();
    });

    await t.test("the rows stay while a menu is open, so that the choice reaches its animal", async () => {
      await rest();
      await order.click();
      await page.getByRole("dialog").filter({ hasText: "Rex" }).waitFor();
    });

    await t.test("the rows stay while a dialog is open, and then show the change", async () => {
      await rest();
      await availableRex.waitFor();
      await page.keyboard.press("Escape");
      await page.mouse.move(0, 0);
      await rest();
      await availableRex.waitFor({ state: "detached" });
    });

    await t.test("the rows stay while a field of the list has the focus, for 30 s at most", async () => {
      const status = page.getByLabel("Status of Rex");
      await status.focus();
      await page.keyboard.press("ArrowDown");
      await page.getByText("Press Enter to change").waitFor();
      await changeUnnoticed("available");
      await page.clock.runFor(30_000);
      await availableRex.waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Tab");
    });

    await t.test("the rows stay when a read that started before ends", async () => {
      const release = await hold(page, "**/v1/listings?*");
      await changeRex("sold");
      const before = reads();
      await rest();
      await untilShown(async () => reads(), before + 1);
      await actionsOfRex.hover();
      await page.mouse.down();
      const answered = page.waitForResponse((response) => isList(response.request()));
      release();
      await (await answered).finished();
      await page.clock.runFor(1_000);
      await availableRex.waitFor();
      await page.mouse.move(0, 0);
      await page.mouse.up();
      await rest();
      await availableRex.waitFor({ state: "detached" });
    });
  });
});

testConsole("The stream of the console", async (t, scene) => {
  const { visit, adminKey: key, call, follow } = await openScene(scene);

  await t.test("opens after a reload while the key is checked, and once only", async (t) => {
    const page = await follow(t);
    const [streams, lists] = [countRequests(page, isStream), countRequests(page, isList)];
    const release = await hold(page, "**/v1/usage");
    await page.reload({ waitUntil: "commit" });
    await untilShown(async () => streams(), 1);
    assert.equal(lists(), 0);
    release();
    await rowOf(page, "Luna").waitFor();
    assert.equal(streams(), 1);
  });

  await t.test("does not send a choice that someone else has made impossible", async (t) => {
    await call("PATCH", "/pets/1", { body: { status: "available" } });
    const page = await follow(t, { ownContext: {} });
    const patches = countRequests(page, (request) => request.method() === "PATCH");
    const status = page.getByLabel("Status of Rex");
    await untilShown(() => status.inputValue(), "available");
    const eventsReceived = await countEvents(page);
    await page.clock.install();
    await status.focus();
    await page.keyboard.press("ArrowDown");
    await page.getByText("Press Enter to change").waitFor();
    await call("PATCH", "/pets/1", { body: { status: "sold" } });
    await untilShown(eventsReceived, 1);
    await page.clock.runFor(31_000);
    await untilShown(() => status.inputValue(), "sold");
    await page.keyboard.press("Tab");
    assert.equal(patches(), 0);
    await call("PATCH", "/pets/1", { body: { status: "available" } });
  });

  await t.test("opens one stream, which ends with a hidden page and with signing out", async (t) => {
    const page = await visit(t, { key: undefined });
    const streams: Request[] = [];
    const ended: Request[] = [];
    page.on("request", (request) => isStream(request) && streams.push(request));
    page.on("requestfailed", (request) => isStream(request) && ended.push(request));
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await rowOf(page, "Rex").waitFor();
    for (const place of ["Adoptions", "Categories", "Animals"])
      await page.getByRole("link", { name: place, exact: true }).click();
    await rowOf(page, "Rex").waitFor();
    assert.equal(streams.length, 1);
    await setVisible(page, false);
    await untilShown(async () => ended.length, 1);
    await call("PATCH", "/pets/3", { body: { name: "Renamed meanwhile" } });
    await setVisible(page, true);
    await rowOf(page, "Renamed meanwhile").waitFor();
    assert.equal(streams.length, 2);
    assert.match(streams[1]?.url() ?? "", /after=(?!now)/, "continues where it stopped");
    await page.getByRole("button", { name: "Sign out" }).click();
    await untilShown(async () => ended.length, 2);
    assert.equal(streams.length, 2);
    await signIn(page, key);
    await untilShown(async () => streams.length, 3);
    assert.match(streams[2]?.url() ?? "", /after=now/, "the next person starts anew");
  });

  await t.test("works as before when the stream fails", async (t) => {
    const page = await visit(t, { key: undefined, expected: [410] });
    await page.route("**/v1/events**", (route) => route.fulfill(refusal(410, "operation_removed", "Gone.")));
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await rowOf(page, "Rex").waitFor();
    await page.getByRole("button", { name: "Add an animal" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Rex II");
    await page.getByRole("button", { name: "Add another" }).click();
    await notice(page, "Rex II was added").waitFor();
    await page.keyboard.press("Escape");
    await rowOf(page, "Rex II").waitFor();
    assert.equal(await page.getByRole("alert").filter({ hasText: /./ }).count(), 0);
  });

  await t.test("reads everything again when the feed has begun anew", async (t) => {
    const page = await follow(t, { expected: [410] });
    await setVisible(page, false);
    let resets = 0;
    await page.route("**/v1/events/stream?after=*", (route) => {
      if (route.request().url().includes("after=now")) return route.continue();
      resets += 1;
      return route.fulfill(refusal(410, "feed_reset", "Anew."));
    });
    await call("POST", "/pets", { body: { name: "From another epoch", categoryId: 1 } });
    await setVisible(page, true);
    await rowOf(page, "From another epoch").waitFor();
    assert.equal(resets, 1);
  });
});

testConsole("Live lists in the console that cannot be read", async (t, scene) => {
  const { visit, adminKey: key, call, createKey, follow } = await openScene(scene);

  await t.test("keeps the rows when they cannot be read again, also after a change", async (t) => {
    const page = await follow(t, { expected: [400, 503], ownContext: {} });
    await page.clock.install();
    let refusals = 0;
    await page.route("**/v1/listings?*", (route) => {
      refusals += 1;
      return route.fulfill(refusal(503, "unavailable", "Away."));
    });
    await call("POST", "/pets", { body: { name: "Patience", categoryId: 1 } });
    await untilShown(async () => refusals, 1);
    await rowOf(page, "Luna").waitFor();
    const outage = page.getByRole("alert").filter({ hasText: "This list is as of" });
    assert.equal(await outage.count(), 0, "it may have been a restart");
    await page.clock.runFor(11_000);
    await untilShown(async () => refusals, 2);
    await outage.waitFor();
    await page.unroute("**/v1/listings?*");
    await page.clock.runFor(6_000);
    await rowOf(page, "Patience").waitFor();
    await outage.waitFor({ state: "detached" });

    // After a change of the user, the list is not read in the background.
    const refuse = (route: Route) => route.fulfill(refusal(400, "bad_request", "Not now."));
    await page.route("**/v1/listings?*", refuse);
    await page.route("**/v1/pets/*", refuse);
    await act(page, "Patience", "Delete");
    await page.getByRole("button", { name: "Delete now" }).click();
    const failure = page.getByRole("alert").filter({ hasText: "Not now. This list is as of just now." });
    await failure.waitFor();
    await rowOf(page, "Patience").waitFor();
    await page.unroute("**/v1/listings?*");
    await failure.getByRole("button", { name: "Try again" }).click();
    await failure.waitFor({ state: "detached" });
  });

  await t.test("leaves the last requests of a limit to the user", async (t) => {
    await call("PUT", "/categories/1", { body: { name: "Hounds" } });
    const { key: small } = await createKey({ plan: "enterprise", perMinute: 10, perDay: 1_000 });
    const page = await visit(t, { key: undefined });
    const streams = countRequests(page, isStream);
    await signIn(page, small);
    await rowOf(page, "Luna").waitFor();
    await page.getByRole("link", { name: "Categories" }).click();
    // The list of animals has rows with this name, too.
    await page.getByRole("table", { name: "Categories" }).getByText("Hounds").waitFor();
    assert.equal(streams(), 0);
  });

  await t.test("shows a change that is made while the list is read for the first time", async (t) => {
    const other = await follow(t);
    const page = await visit(t, { key: undefined, ownContext: {} });
    const { read, release } = await holdResponse(page, "**/v1/listings?*");
    await stopTimers(page);
    await signIn(page, key);
    await read;
    await call("POST", "/pets", { body: { name: "Early", categoryId: 1 } });
    await rowOf(other, "Early").waitFor();
    release();
    await rowOf(page, "Luna").waitFor();
    await page.clock.resume();
    await rowOf(page, "Early").waitFor();
  });
});

testConsole("A service that is away in the console", async (t, scene) => {
  const { visit, url, call } = await openScene(scene);

  await t.test("shows how old the list is while the service is away, and recovers", async (t) => {
    for (let i = 1; i <= 20; i++) await call("POST", "/pets", { body: { name: `Hen ${i}`, categoryId: 1 } });
    const proxy = await startProxy(t, Number(new URL(url).port));
    const away = `http://127.0.0.1:${proxy.port}`;
    const page = await visit(t, { url: away, ownContext: {}, isCut: true });
    const rex = page.getByRole("button", { name: "Actions for Hen 20" });
    await rex.waitFor();
    const reads = countRequests(page, isList);
    let feeds = 0;
    page.on("response", (response) => {
      if (response.url().includes("/v1/events") && response.ok()) feeds += 1;
    });
    const pass = await createPassing(page);
    const outage = page.getByRole("alert").filter({ hasText: "The service does not answer" });
    const shows = (text: string) => async () => (await outage.innerText()).includes(text);
    const next = page.getByRole("button", { name: "Next" });
    const placeOf = async () => [await rex.boundingBox(), await next.boundingBox()];

    await t.test("the age counts from the last sign of the stream, and nothing moves", async () => {
      await page.clock.fastForward(3_600_000);
      const before = reads();
      await call("PATCH", "/pets/2", { body: { name: "Luna II" } });
      await untilShown(async () => reads(), before + 1);
      await next.scrollIntoViewIfNeeded();
      const places = await placeOf();
      proxy.set("reset");
      await pass(() => outage.isVisible());
      await untilShown(shows("This list is as of just now."), true);
      assert.deepEqual(await placeOf(), places);
      await page.clock.runFor(300_000);
      await untilShown(shows("This list is as of 5 minutes ago."), true);
    });

    await t.test("the rows stay while someone presses a button, until it is released", async () => {
      await rex.hover();
      await page.mouse.down();
      await call("POST", "/pets", { body: { name: "Back again", categoryId: 1 } });
      proxy.set("pass");
      for (let second = 0; second < 20; second++) await pass(async () => true);
      assert.equal(await rowOf(page, "Back again").count(), 0);
      await page.mouse.move(0, 0);
      await page.mouse.up();
      await pass(() => rowOf(page, "Back again").isVisible());
      await outage.waitFor({ state: "detached" });
    });

    await t.test("the age counts from the last sign also after an hour of sleep", async () => {
      await pass(async () => feeds > 0);
      proxy.set("freeze");
      await page.clock.fastForward(3_600_000);
      proxy.set("reset");
      await pass(() => outage.isVisible());
      await untilShown(shows("This list is as of 1 hour ago."), true);
    });
  });
});

/**
 * Lets a second pass in the page until something is true, for ten minutes at most, but none while a request waits for its
 * response: on a slow machine it would be given up. If a stream is given up, polls wait for the next change instead.
 */
async function createPassing(page: Page): Promise<(isTrue: () => Promise<boolean>) => Promise<void>> {
  const open = new Set<Request>();
  page.on("request", (request) => request.url().includes("wait=") || open.add(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("response", (response) => open.delete(response.request()));
  await page.clock.install();
  return async (isTrue) => {
    for (let second = 0; second < 600; second++) {
      await untilShown(async () => open.size, 0);
      await page.clock.runFor(1_000);
      if (await isTrue()) return;
    }
    assert.fail("It has not become true.");
  };
}
