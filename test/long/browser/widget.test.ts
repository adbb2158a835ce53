// The widget in Chromium, on pages of another origin that allow nothing but the address of the service.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { connectToChromium } from "../../harness/clients/chromium.ts";
import { keepScreenshot, refusal, untilShown } from "../../harness/clients/console.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { assertAccessible, COUNT_SHIFTS, SIZES } from "../../harness/clients/looks.ts";
import { SCENE_MS } from "../../harness/runner/patience.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../../harness/servers/app.ts";
import { listen } from "../../harness/servers/listen.ts";

const NAMES = ["Ada", "Bea", "Cid", "Dot", "Eli", "Fay", "Gus", "Hal", "Ida"];
/** The space of the widget until its script is there, as the guide recommends. */
const STYLE = "animal-store-list:not(:defined) { display: block; min-height: 100vh; }";
const RECORD_EVENTS = `
  window.events = [];
  for (const name of ["animals-load", "animals-error", "animal-select"])
    document.addEventListener(name, ({ type, detail }) => events.push([type, detail]));
`;

interface Opened {
  page: Page;
  /** Errors of the console, and addresses of requests. */
  errors: string[];
  requested: string[];
  cards: ReturnType<Page["locator"]>;
  message(): Promise<string>;
  events(): Promise<unknown>;
}

/** Opens a page of another origin. Expected statuses are no errors of the console. */
type Open = (
  body: string,
  options?: { expected?: RegExp; lang?: string; prepare?: Prepare },
) => Promise<Opened>;
type Prepare = (page: Page) => Promise<unknown>;

/** A service with ten dogs, and a page of another origin with a strict policy. */
async function startScene(t: TestContext) {
  const [app, context] = await Promise.all([startApp(t), connectToChromium(t)]);
  const site = await startSite(t, app.url);
  const [id] = await Promise.all([addDogs(app), openSite(app)]);
  const { key } = await createPublishableKey(app, site.url);
  const tag = `<animal-store-list src="${app.url}" key="${key}"`;
  const failures: string[] = [];

  const open: Open = async (body, { expected, lang = "en", prepare } = {}) => {
    const page = await context.newPage();
    const errors: string[] = [];
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    page.on("pageerror", (error) => failures.push(error.message));
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      (expected?.test(message.text()) ? errors : failures).push(message.text());
    });
    await page.addInitScript(COUNT_SHIFTS + RECORD_EVENTS);
    await page.setViewportSize(SIZES.desktop);
    await prepare?.(page);
    await page.goto(site.add(body, lang));
    const cards = page.locator("animal-store-list li:not([aria-hidden])");
    return {
      page,
      errors,
      requested,
      cards,
      message: () => page.locator("[part=message]").first().innerText(),
      events: () => page.evaluate("events"),
    };
  };

  const assertNoFailures = () => assert.deepEqual(failures, []);
  return { app, site, id, key, tag, open, assertNoFailures };
}

test("The widget on a page of another origin with a strict policy", { timeout: SCENE_MS }, async (t) => {
  const { app, site, id, key, tag, open, assertNoFailures } = await startScene(t);

  await t.test(
    "shows cards with photo, facts and link, and more of them, without a layout shift",
    async () => {
      const { page, cards, message, events, requested } = await open(
        `${tag} species="dog" status="any" limit="4"></animal-store-list>`,
        { prepare: (page) => page.setViewportSize(SIZES.phone) },
      );
      await untilShown(() => cards.count(), 4);
      assert.equal(await message(), "4 animals shown");
      const card = cards.first();
      const lines = (await card.innerText()).split(/\n+/);
      assert.deepEqual(lines.toSpliced(2, 1), ["Rex", "Reserved", "Our shelter"]);
      assert.match(lines[2] ?? "", /^Beagle mix\u00a0· male\u00a0· about \d+ years\u00a0· medium$/);
      const link = card.getByRole("link", { name: "Rex" });
      assert.equal(await link.getAttribute("href"), `${app.url}/animals/${id}`);
      const photo = card.locator("img");
      const attributes = await photo.evaluate((image: Element) =>
        ["width", "height", "alt", "srcset"].map((name) => image.getAttribute(name)),
      );
      assert.deepEqual(attributes.slice(0, 3), ["800", "600", "Rex in the garden"]);
      assert.match(attributes[3] ?? "", /^\S+-320\.webp 320w, \S+-640\.webp 640w$/);
      await untilShown(
        () => photo.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0),
        true,
      );
      assert.equal(await cards.nth(1).locator("[part=photo]").innerText(), "No photo yet");
      assert.equal(await page.evaluate("shift"), 0);
      await page.setViewportSize(SIZES.desktop);
      await keepScreenshot(page, "widget-desktop");
      await assertAccessible(page, "widget");
      const more = page.getByRole("button", { name: "Show more" });
      for (const count of [8, 10]) {
        await more.press("Enter");
        await untilShown(() => cards.count(), count);
      }
      assert.equal(await more.count(), 0);
      const focused =
        "[...document.activeElement.shadowRoot.querySelectorAll('li')].findIndex((card) => card.matches(':focus'))";
      assert.equal(await page.evaluate(focused), 8, "continues at the first new card");
      assert.deepEqual(
        await events(),
        [4, 8, 10].map((count) => ["animals-load", { count }]),
      );
      assert.ok(requested.every((address) => address.startsWith(app.url) || address.startsWith(site.url)));
      await page.close();
    },
  );

  await t.test("searches, and says when nothing is found", async () => {
    const { page, cards, message } = await open(`${tag} filters q="gus"></animal-store-list>`);
    await untilShown(() => cards.count(), 1);
    const field = page.getByRole("searchbox", { name: "Name, breed or word" });
    assert.equal(await field.inputValue(), "gus");
    await field.fill("hal");
    await untilShown(() => cards.getByRole("link").allInnerTexts(), ["Hal"]);
    await field.fill("zebra");
    await untilShown(message, "No animal matches this search.");
    await field.fill("");
    await field.press("Enter");
    await untilShown(() => cards.count(), NAMES.length);
    await page.close();
  });

  await t.test("its guide at /docs shows it with the key of the reader", async () => {
    const { page, cards } = await open("");
    await page.goto(`${app.url}/docs#widget`);
    await page.getByLabel("Try it here").fill(key);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await untilShown(() => cards.count(), 4);
    assert.equal(await cards.first().getByRole("link").getAttribute("href"), `${app.url}/animals/${id - 1}`);
    await keepScreenshot(page, "widget-guide");
    await page.close();
  });

  assertNoFailures();
});

test("The attributes of the widget, and hostile texts in it", { timeout: SCENE_MS }, async (t) => {
  const { site, id, tag, open, assertNoFailures } = await startScene(t);

  await t.test("links only to http and relative addresses, and lets the page cancel a choice", async () => {
    const addresses = [
      "/tier?nr={id}",
      "#a{id}",
      "javascript:alert({id})",
      "data:text/html,{id}",
      "java\nscript:x",
    ];
    const widgets = addresses.map((href) => `${tag} status="pending" href="${href}"></animal-store-list>`);
    const { page, cards, events } = await open(widgets.join(""));
    await untilShown(() => cards.count(), addresses.length);
    const links = await page
      .locator("[part=name]")
      .evaluateAll((names: Element[]) => names.map((name) => name.getAttribute("href")));
    assert.deepEqual(links, [`${site.url}/tier?nr=${id}`, `${page.url()}#a${id}`, null, null, null]);
    await page.evaluate(
      "document.addEventListener('animal-select', (event) => event.preventDefault(), { once: true })",
    );
    await cards.nth(1).click();
    assert.equal(new URL(page.url()).hash, "", "cancelled");
    await cards.nth(1).click();
    assert.equal(new URL(page.url()).hash, `#a${id}`);
    const selected = ["animal-select", { id }];
    assert.deepEqual(((await events()) as unknown[]).slice(-2), [selected, selected]);
    await page.close();
  });

  await t.test("several on a page follow their own attributes, in the language of the page", async () => {
    const body = `${tag} species="horse"></animal-store-list>${tag} id="two" lang="en" limit="1" species="dog"></animal-store-list>`;
    const { page, cards, message } = await open(body, { lang: "de" });
    await untilShown(message, "Zurzeit sind hier keine Tiere. Schauen Sie bald wieder vorbei.");
    await untilShown(() => cards.count(), 1);
    await page.evaluate("two.setAttribute('limit', '3'); two.setAttribute('lang', 'de-AT')");
    await untilShown(() => cards.count(), 3);
    await untilShown(() => page.getByRole("button").allInnerTexts(), ["Mehr anzeigen"]);
    assert.equal(
      await page.evaluate("Object.keys(window).some((name) => /animal.?store/i.test(name))"),
      false,
      "no globals",
    );
    await page.setViewportSize(SIZES.phone);
    await page.emulateMedia({ colorScheme: "dark" });
    await keepScreenshot(page, "widget-phone");
    await assertAccessible(page, "widget on a phone");
    await page.close();
  });

  await t.test("hostile texts stay text, and keep the page in shape", async () => {
    const names = [
      '<img src=x onerror="alert(1)">',
      "\u202Eevil\u2066 مرحبا",
      "W".repeat(10_000),
      "&lt;b&gt;{id}",
      "\u202e\u200b\u2066",
    ];
    const listings = names.map((name, index) => ({
      id: index + 1,
      name,
      status: "available",
      profile: { breeds: [name, name], sex: "male" },
      photos: [],
      shelter: { id: 1, name, city: name },
    }));
    const { page, cards } = await open(`${tag}></animal-store-list>`, {
      prepare: (page) => answerListings(page, { json: listings }),
    });
    await untilShown(() => cards.count(), names.length);
    assert.deepEqual(await page.locator("[part=name]").allInnerTexts(), names.with(-1, "No. 5"));
    assert.equal(await page.locator("[part=card] img").count(), 0);
    const [breed, sex] = await cards
      .nth(1)
      .locator("bdi")
      .evaluateAll((facts: Element[]) => facts.map((fact) => fact.getBoundingClientRect()));
    assert.ok(breed && sex && (sex.left >= breed.right || sex.top >= breed.bottom), "facts keep their order");
    for (const [device, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size);
      await keepScreenshot(page, `widget-hostile-${device}`);
      const heights = await cards.evaluateAll(
        (all: Element[]) => new Set(all.map(({ clientHeight }) => clientHeight)).size,
      );
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth",
      );
      assert.deepEqual([heights, overflow], [1, false], device);
    }
    await page.close();
  });

  assertNoFailures();
});

test("The widget when the service refuses or does not answer", { timeout: SCENE_MS }, async (t) => {
  const { app, key, tag, open, assertNoFailures } = await startScene(t);

  await t.test("shows the words for a photo that does not load", async () => {
    const { page, cards, errors } = await open(
      `${tag} species="dog" status="any" limit="4"></animal-store-list>`,
      {
        expected: /ERR_FAILED/,
        prepare: (page) => page.route("**/photos/**", (route) => route.abort()),
      },
    );
    await untilShown(() => cards.count(), 4);
    await untilShown(() => cards.first().locator("[part=photo]").innerText(), "Rex in the garden");
    assert.equal(await cards.locator("img").count(), 0);
    assert.ok(errors.length > 0);
    await page.close();
  });

  await t.test("waits as long as the service asks, then continues by itself", async () => {
    const headers = { "retry-after": "1" };
    const { page, cards, message, events, errors } = await open(`${tag} limit="2"></animal-store-list>`, {
      expected: /status of 429/,
      prepare: (page) =>
        answerListings(page, { ...refusal(429, "rate_limit_exceeded", "Too many."), headers }, 1),
    });
    await untilShown(message, "Many people are looking at the moment. The list continues in 2 seconds.");
    await untilShown(() => cards.count(), 2);
    assert.deepEqual(await events(), [
      ["animals-error", { code: "rate_limit_exceeded" }],
      ["animals-load", { count: 2 }],
    ]);
    assert.equal(errors.length, 1, "one request was refused");
    await page.close();
  });

  await t.test("offers to try again when the service cannot be reached", async () => {
    const { page, cards, message } = await open(`${tag} limit="2"></animal-store-list>`, {
      expected: /net::ERR_FAILED/,
      prepare: (page) => page.route("**/v1/listings*", (route) => route.abort(), { times: 1 }),
    });
    await untilShown(message, "The animals cannot be shown right now.");
    await assertAccessible(page, "widget without a service");
    await page.getByRole("button", { name: "Try again" }).click();
    await untilShown(() => cards.count(), 2);
    await page.close();
  });

  await t.test("says what is wrong with its attributes, and never sends another kind of key", async () => {
    const foreign = await createPublishableKey(app, "https://other.example");
    const wrong: Array<[attributes: string, code: string, message: RegExp]> = [
      [`src="${app.url}" key="${ADMIN_KEY}"`, "invalid_attribute", /key must be a publishable key/],
      [`key="${key}"`, "invalid_attribute", /src must be the address/],
      [`src="javascript:x" key="${key}"`, "invalid_attribute", /src must be the address/],
      [`src="${app.url}" key="${key}" species="unicorn"`, "invalid_parameter", /species/],
      [`src="${app.url}" key="ask_pub_unknown"`, "invalid_api_key", /key/],
      [`src="${app.url}" key="${foreign.key}"`, "origin_not_allowed", /origin/],
    ];
    const body = wrong
      .map(([attributes]) => `<animal-store-list ${attributes}></animal-store-list>`)
      .join("");
    const { page, requested, events } = await open(body, { expected: /status of 40[013]/ });
    await untilShown(async () => ((await events()) as unknown[]).length, wrong.length);
    const codes = ((await events()) as Array<[string, { code: string }]>).map(([, { code }]) => code);
    assert.deepEqual(codes.toSorted(), wrong.map(([, code]) => code).toSorted());
    for (const [index, text] of (await page.locator("[part=message]").allInnerTexts()).entries()) {
      assert.match(text, /^This list is not set up correctly\. /);
      assert.match(text, wrong[index]?.[2] ?? /^$/);
    }
    assert.ok(!requested.some((address) => address.includes(ADMIN_KEY)));
    await page.close();
  });

  assertNoFailures();
});

/** A web server of another origin. `add` returns the address of a new page. */
async function startSite(t: TestContext, host: string) {
  const pages: string[] = [];
  const policy = `default-src 'none'; style-src 'self'; script-src ${host}; connect-src ${host}; img-src ${host}`;
  const url = await listen(
    t,
    createServer(({ url = "" }, response) => {
      const isStyle = url === "/style.css";
      response.setHeader("content-security-policy", policy);
      response.setHeader("content-type", isStyle ? "text/css" : "text/html; charset=utf-8");
      response.end(isStyle ? STYLE : pages[Number(url.slice(1))]);
    }),
  );
  const add = (body: string, lang: string) => {
    const html = `<!doctype html>
<html lang="${lang}">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Shelter</title>
<link rel="stylesheet" href="style.css">
<script type="module" src="${host}/widget.js"></script>
<main><h1>Shelter</h1>${body}<p>Visit us.</p></main>`;
    return `${url}/${pages.push(html) - 1}`;
  };
  return { url, add };
}

/** Resolves to the id of the newest dog, Rex, which has a photo and a profile. */
async function addDogs({ call, addPet }: AppHarness): Promise<number> {
  const others = NAMES.map(async (name) => {
    const { id } = await addPet({ name });
    await call("PATCH", `/pets/${id}/profile`, { body: { species: "dog" } });
  });
  await Promise.all(others);
  const { id } = await addPet({ name: "Rex" });
  const profile = {
    species: "dog",
    breeds: ["Beagle"],
    mixed: true,
    sex: "male",
    size: "medium",
    bornOn: "2015-03-01",
  };
  await call("PATCH", `/pets/${id}/profile`, { body: { ...profile, bornIsEstimated: true } });
  const body = await drawImage("teal");
  await call("POST", `/pets/${id}/photos?alt=Rex%20in%20the%20garden`, {
    body,
    headers: { "content-type": "image/png" },
  });
  await call("PATCH", `/pets/${id}`, { body: { status: "pending" } });
  return Number(id);
}

/** Answers requests for listings instead of the service, `times` or all of them. */
function answerListings(
  page: Page,
  answer: { status?: number; headers?: object; json: unknown },
  times?: number,
) {
  const { headers } = answer;
  const cors = { "access-control-allow-origin": "*", "access-control-expose-headers": "Link, Retry-After" };
  return page.route(
    "**/v1/listings*",
    (route) => route.fulfill({ ...answer, headers: { ...cors, ...headers } }),
    times === undefined ? {} : { times },
  );
}

async function openSite({ call }: AppHarness): Promise<void> {
  const { status } = await call("PATCH", "/site", { body: { isPublic: true } });
  assert.equal(status, 200);
}

function createPublishableKey({ createKey }: AppHarness, origin: string) {
  return createKey({ name: "Website", plan: "business", kind: "publishable", allowedOrigins: [origin] });
}
