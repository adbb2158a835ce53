// Limits and outages in the console: the countdown of a 429, and photos that load later.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page, Request } from "playwright-core";
import { createCall } from "../../harness/clients/call.ts";
import {
  act,
  type ConsoleScene,
  keepScreenshot,
  setVisible,
  signIn,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { drawImage } from "../../harness/clients/images.ts";

const SAMPLES = JSON.parse(readFileSync(new URL("../../../sample/animals.json", import.meta.url), "utf8"));

/** When the page has requested a photo other than for an image, and how many of these requests run. */
const RECORD_CHECKS = `
  window.checkTimes = [];
  window.checksRunning = 0;
  const { fetch } = window;
  window.fetch = async (address, options) => {
    if (!String(address).includes("/photos/")) return fetch(address, options);
    checkTimes.push(Date.now());
    checksRunning += 1;
    return fetch(address, options).finally(() => (checksRunning -= 1));
  };
`;

/** How many photos of a page are more than reserved space. */
const loadedPhotos = (page: Page) =>
  page
    .locator(":is(.thumbnail, .enlarge img)")
    .evaluateAll((each) => each.filter((one) => (one as HTMLImageElement).naturalWidth > 0).length);

function openScene({ app, visit }: ConsoleScene) {
  const { clock } = app;
  /** Moves the clocks of the service and of the page. */
  async function pass(page: Page, ms: number): Promise<void> {
    clock.advance(ms);
    await page.clock.runFor(ms);
  }
  return { ...app, visit, pass };
}

/** Two animals with a photo each. */
async function addPictured({ app }: ConsoleScene): Promise<void> {
  for (const [name, colour] of Object.entries({ Rex: "red", Krümel: "blue" })) {
    const { id } = await app.addPet({ name });
    const upload = {
      body: await drawImage(colour, { width: 1400, height: 1000 }),
      headers: { "content-type": "image/png" },
    };
    assert.equal((await app.call("POST", `/pets/${id}/photos`, upload)).status, 201);
  }
}

testConsole("Limits in the console count down", async (t, scene) => {
  const { visit, call, createKey, pass } = openScene(scene);

  await t.test("a 429 counts down, then the request is sent again", async (t) => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 6, perDay: 100 });
    const page = await visit(t, { key: undefined, expected: [429], ownContext: {} });
    await page.clock.install();
    // Two of them are enough to reach the limit several times.
    const two = SAMPLES.filter(({ name }: { name: string }) => ["Rex", "Krümel"].includes(name));
    await page.route("**/console/sample/animals.json", (route) => route.fulfill({ json: two }));
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByText("There are no animals yet.").waitFor();
    await page.getByRole("button", { name: "Load sample animals" }).click();
    const countdown = page.getByText("The limit of this key is reached. Retrying in");
    await countdown.waitFor();
    await page.getByText("0 of 6 left").waitFor();
    await keepScreenshot(page, "console-countdown");
    assert.match((await countdown.textContent()) ?? "", /in ([45]\d|6[01]|1 min \d) ?s?/);
    assert.equal(await page.getByText("Not all sample animals").count(), 0);
    const last = page.getByRole("row").filter({ hasText: "Krümel" });
    let adding = 0;
    const count = (by: number) => (request: Request) => {
      if (request.method() === "POST") adding += by;
    };
    page.on("request", count(1)).on("requestfinished", count(-1)).on("requestfailed", count(-1));
    let minutes = 0;
    for (; minutes < 60; minutes++) {
      await countdown.or(last).first().waitFor();
      if (await last.isVisible()) break;
      await untilShown(async () => adding, 0);
      await pass(page, 62_000);
    }
    assert.ok(minutes > 1, "the limit is reached more than once");
    await untilShown(() => page.getByRole("row").count(), 3);
    await countdown.waitFor({ state: "detached" });
  });

  await t.test("a 429 counts down inside a dialog, where waiting can be stopped too", async (t) => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 6, perDay: 100 });
    const page = await visit(t, { key, expected: [429] });
    await page.getByRole("row").first().waitFor();
    await page.getByRole("button", { name: "Add an animal" }).click();
    await call("GET", "/pets", { key });
    await page.getByLabel("Name", { exact: true }).fill("Rex");
    await page.getByLabel("Category", { exact: true }).selectOption("Dogs");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Retrying in").waitFor();
    await dialog.getByRole("button", { name: "Stop waiting" }).click();
    await dialog
      .getByRole("alert")
      .filter({ hasText: "Stopped waiting. The request was not carried out." })
      .waitFor();
  });

  await t.test("a limit is no longer waited for after the form is cancelled", async (t) => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 6, perDay: 100, access: "manage" });
    const page = await visit(t, { key, expected: [429], ownContext: {} });
    await page.clock.install();
    await page.getByRole("row").first().waitFor();
    await call("GET", "/pets", { key });
    await page.getByRole("button", { name: "Add an animal" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Cancelled");
    await page.getByLabel("Category", { exact: true }).selectOption("Dogs");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("dialog").getByText("Retrying in").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await untilShown(() => page.getByText("Retrying in").count(), 0);
    await act(page, "Rex", "Start an adoption");
    await pass(page, 62_000);
    await page.getByRole("dialog").filter({ hasText: "Rex" }).waitFor();
    assert.doesNotMatch((await call("GET", "/pets?limit=100")).text, /Cancelled/);
  });

  await t.test("a limit is no longer waited for after Stop waiting", async (t) => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 6, perDay: 100 });
    const page = await visit(t, { key, expected: [429] });
    await page.getByRole("row").first().waitFor();
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("table", { name: "Categories" }).waitFor();
    await page.getByRole("link", { name: "Adoptions" }).click();
    await page.getByRole("button", { name: "Stop waiting" }).click();
    await page.getByRole("alert").filter({ hasText: "Stopped waiting" }).waitFor();
  });
});

testConsole("Limits and outages in the console end", async (t, scene) => {
  await addPictured(scene);
  const { visit, clock, createKey } = openScene(scene);

  await t.test("a limit is waited out any number of times", async (t) => {
    const { key } = await createKey({ plan: "pro" });
    const page = await visit(t, { key, expected: [429] });
    await page.getByRole("row").first().waitFor();
    let refusals = 0;
    await page.route("**/v1/store/orders?*status=placed*", (route) => {
      refusals += 1;
      if (refusals > 6) return route.continue();
      const json = { code: "rate_limit_exceeded", message: "Too many.", status: 429 };
      return route.fulfill({ status: 429, headers: { "retry-after": "0" }, json });
    });
    await page.getByRole("link", { name: "Adoptions" }).click();
    await page.getByText("No adoption is open.").waitFor();
    assert.equal(refusals, 7);
  });

  await t.test("a wait ends on time on a computer that was asleep", async (t) => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 6, perDay: 100 });
    const page = await visit(t, { key, expected: [429], ownContext: {} });
    await page.clock.install();
    await page.getByRole("row").first().waitFor();
    await page.getByRole("link", { name: "Adoptions" }).click();
    await page.getByText("Retrying in").waitFor();
    clock.advance(61_000);
    // Timers stop during sleep, the clock does not.
    await page.clock.setSystemTime(Date.now() + 62_000);
    await page.getByText("No adoption is open.").waitFor();
  });

  await t.test("a 429 and a 503 show different texts", async (t) => {
    const { key } = await createKey({ plan: "pro", access: "manage" });
    const page = await visit(t, { at: "categories", key, expected: [503] });
    await page.getByRole("button", { name: "Name a category" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Birds");
    await page.route("**/v1/categories/*", (route) => {
      const json = { code: "unavailable", message: "Away.", status: 503 };
      return route.fulfill({ status: 503, headers: { "retry-after": "30" }, json });
    });
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The service cannot do this at the moment. Retrying in").waitFor();
    await dialog.getByRole("button", { name: "Stop waiting" }).click();
    await dialog.getByRole("alert").filter({ hasText: "The request may have succeeded" }).waitFor();
  });
});

testConsole("Photos in the console after limits and outages", async (t, scene) => {
  await addPictured(scene);
  const { visit, url, call, createKey, pass } = openScene(scene);

  await t.test("photos that were refused are loaded again by themselves", async (t) => {
    const { key } = await createKey({ plan: "enterprise", access: "manage" });
    await call("GET", "/usage", { key });
    const ask = createCall(url);
    const isRefused = async () => (await ask("GET", "/photos/x")).status === 429;
    while (!(await isRefused())) await Promise.all(Array.from({ length: 100 }, isRefused));
    const page = await visit(t, { key: undefined, ownContext: {}, expected: [404, 429] });
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/photos/")) requests.push(request.resourceType());
    });
    await page.clock.install();
    await signIn(page, key);
    await untilShown(() => page.locator("span.thumbnail").count(), 2);
    const heights = () => page.getByRole("row").evaluateAll((rows) => rows.map((row) => row.clientHeight));
    const before = await heights();
    await untilShown(async () => requests.toSorted(), ["fetch", "image", "image"]);

    await pass(page, 61_000);
    await untilShown(() => loadedPhotos(page), 2);
    assert.deepEqual(await heights(), before);
    assert.equal(requests.filter((type) => type === "fetch").length, 2, "one request asks for all of them");
  });

  await t.test("photos come back after an outage, and are not requested where none is shown", async (t) => {
    const { key } = await createKey({ plan: "enterprise", access: "manage" });
    const page = await visit(t, { key, ownContext: {}, expected: [404, 503] });
    await page.clock.install();
    await page.addInitScript(RECORD_CHECKS);
    let status = 503;
    await page.route("**/photos/*", (route) =>
      status === 200 ? route.continue() : route.fulfill({ status }),
    );
    const gap = page.locator(".frame.broken");
    const times = () => page.evaluate("checkTimes") as Promise<number[]>;
    const checks = async () => (await times()).length;
    const open = async (name: string) => {
      await page.getByRole("link", { name: "Animals", exact: true }).click();
      await page.evaluate("checkTimes = []");
      await page.getByRole("rowheader").getByRole("link", { name }).click();
      await gap.waitFor();
      // One for the page and one for the kennel card, which shows a larger file.
      await untilShown(async () => (await checks()) > 1, true);
    };
    /** A second passes, but not while a response is on its way. */
    const step = async () => {
      await untilShown(() => page.evaluate("checksRunning"), 0);
      await page.clock.runFor(1_000);
    };
    await page.reload();
    await open("Rex");
    const reserved = await gap.boundingBox();
    await keepScreenshot(page, "console-photo-gap");
    await page.clock.pauseAt(Date.now() + 60_000);
    const earlier = await checks();
    while ((await checks()) < earlier + 3) await step();
    const [first = 0, second = 0, third = 0] = (await times()).slice(earlier);
    assert.ok(third - second > second - first, "the pause grows");
    status = 200;
    while ((await loadedPhotos(page)) === 0) await step();
    assert.deepEqual(await page.locator(".frame").boundingBox(), reserved);
    await page.clock.resume();

    status = 503;
    await open("Krümel");
    await setVisible(page, false);
    let before = await checks();
    await page.clock.fastForward(600_000);
    assert.equal(await checks(), before, "none while the page is hidden");
    status = 404;
    await setVisible(page, true);
    // One for the page and one for the kennel card, which shows a larger file.
    await untilShown(checks, before + 2);
    await page.clock.fastForward(600_000);
    assert.equal(await checks(), before + 2, "no more for files that do not exist");
    assert.equal(await gap.count(), 1);

    status = 503;
    await open("Krümel");
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("heading", { level: 1, name: "Categories" }).waitFor();
    before = await checks();
    await page.clock.fastForward(600_000);
    assert.equal(await checks(), before, "none while no photo is shown");
  });
});
