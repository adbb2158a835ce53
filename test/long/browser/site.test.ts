// The public pages in a browser: on a phone and a desktop, in light and dark, in English and German, with and without JavaScript.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import sharp from "sharp";
import { connectToChromium, openContext } from "../../harness/clients/chromium.ts";
import { keepScreenshot, untilShown } from "../../harness/clients/console.ts";
import { assertAccessible, COUNT_SHIFTS, SIZES } from "../../harness/clients/looks.ts";
import { SCENE_MS } from "../../harness/runner/patience.ts";
import { type AppHarness, startApp } from "../../harness/servers/app.ts";
import { sparingProcessor } from "../../harness/servers/images.ts";

const ANIMALS = 24;
const MISSING = "/animals/none";
/** Bytes of the first view without the photos. */
const FIRST_VIEW_MAX = 120_000;
const SHELTER = {
  name: "Riverside Shelter",
  about: "We care for animals by the river.",
  email: "hello@riverside.example",
  phone: "+49 30 123456",
  website: "https://riverside.example/",
  address: { street: "Uferweg 12", postalCode: "10115", city: "Berlin", country: "DE" },
  openingHours: "Mo–Fr 10–16\nSa 10–12",
};
const SPECIES = ["dog", "cat", "rabbit", "bird", "horse", "reptile", "small_animal", "farm_animal", "other"];

async function addAnimals({ call, addPet }: AppHarness): Promise<void> {
  await call("PATCH", "/shelters/1", { body: SHELTER });
  const photo = await sharp({ create: { width: 320, height: 240, channels: 3, background: "#8a6" } })
    .png()
    .toBuffer();
  for (let index = 0; index < ANIMALS; index += 1) {
    const { id } = await addPet({
      name: `Animal ${index}`,
      status: index % 5 === 1 ? "pending" : "available",
    });
    const species = SPECIES[index % SPECIES.length];
    await call("PATCH", `/pets/${id}/profile`, {
      body: { species, sex: "female", size: "medium", bornOn: "2024-01-01" },
    });
    // The first one is the last of the list.
    if (index > 0) {
      const headers = { "content-type": "image/png" };
      await call("POST", `/pets/${id}/photos`, { body: photo, headers });
    }
  }
}

/** Texts that are an attack, wherever staff may write. */
async function addHostile({ call, addPet }: AppHarness): Promise<number> {
  const hostile = `</title><script>window.hacked=1</script><img src=x onerror="window.hacked=1">"'\u202eevil`;
  const { id: shelterId } = (
    await call("POST", "/shelters", {
      body: {
        name: hostile.slice(0, 100),
        about: hostile + "y".repeat(1_800),
        email: `"><b>'@x.example`,
        phone: "<b>1</b>",
        website: "https://evil.example/%22onload=%22",
        address: { street: "z".repeat(100), city: hostile.slice(0, 100) },
        openingHours: `${hostile}${"w".repeat(300)}`,
      },
    })
  ).json;
  const { id } = await addPet({ name: hostile.slice(0, 100) });
  const body = {
    species: "dog",
    breeds: [hostile.slice(0, 60), "\u202e<b>"],
    colors: ["<b>"],
    tags: ["\u202etag", "t".repeat(40)],
    description: hostile + "x".repeat(9_800),
    videoUrl: "https://evil.example/?a=%27%22",
    shelterId,
  };
  assert.equal((await call("PATCH", `/pets/${id}/profile`, { body })).status, 200);
  await call("POST", `/pets/${id}/photos?alt=${encodeURIComponent(hostile)}`, {
    body: await sharp({ create: { width: 200, height: 900, channels: 3, background: "#c33" } })
      .png()
      .toBuffer(),
    headers: { "content-type": "image/png" },
  });
  return id;
}

/** An animal with everything, and a name that is too long for a line. */
async function addLuna({ call, addPet }: AppHarness): Promise<number> {
  const { id } = await addPet({ name: `Luna ${"von-der-wilden-Wiese".repeat(8)}` });
  const body = {
    species: "cat",
    breeds: ["European Shorthair"],
    mixed: true,
    sex: "female",
    bornOn: "2023-05-01",
    bornIsEstimated: true,
    size: "small",
    colors: ["black", "white"],
    coat: "short",
    goodWith: { children: "yes", dogs: "no", cats: "unknown" },
    neutered: "yes",
    vaccinated: "yes",
    houseTrained: "yes",
    specialNeeds: "no",
    fee: { amount: 12_000, currency: "EUR" },
    arrivedOn: "2026-10-01",
    description: `Luna loves the sun.\n\n${"She purrs. ".repeat(60)}`,
    tags: ["calm", "indoor"],
  };
  await call("PATCH", `/pets/${id}/profile`, { body });
  for (const colour of ["#c84", "#48c"]) {
    const image = sharp({ create: { width: 800, height: 520, channels: 3, background: colour } });
    const headers = { "content-type": "image/png" };
    await call("POST", `/pets/${id}/photos`, { body: await image.png().toBuffer(), headers });
  }
  return id;
}

/** A page whose test fails if it logs an error, requests another host, or stores a cookie. */
async function openPage(
  t: TestContext,
  context: BrowserContext,
  url: string,
  options: BrowserContextOptions,
): Promise<Page> {
  const own = await openContext(context, options);
  const page = await own.newPage();
  const [errors, requested]: [string[], string[]] = [[], []];
  page.on("console", (message) => {
    // Chromium reports the status of a page that is missing on purpose.
    if (message.type() === "error" && message.location().url !== url + MISSING) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => requested.push(request.url()));
  t.after(async () => {
    assert.deepEqual(await own.cookies(), []);
    await own.close();
    assert.deepEqual(errors, []);
    assert.deepEqual(
      requested.filter((each) => !each.startsWith(`${url}/`) && !each.startsWith("data:")),
      [],
    );
  });
  return page;
}

async function assertFits(page: Page): Promise<void> {
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), true);
  const heights = await page
    .locator(".top a, .panel :is(dd, p) a")
    .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
  assert.ok(Math.min(...heights) >= 44, `${heights}`);
}

async function startScene(t: TestContext) {
  const options = { startMs: Date.now(), images: sparingProcessor() };
  const [app, context] = await Promise.all([startApp(t, options), connectToChromium(t)]);
  const { url, call, clock } = app;
  await addAnimals(app);
  const hostile = await addHostile(app);
  const luna = await addLuna(app);
  const setSite = async (body: object) => {
    await call("PATCH", "/site", { body });
    clock.advance(1_000);
  };
  await setSite({ isPublic: true, title: "Animals by the river", introduction: "They all wait for you." });
  return { context, url, setSite, luna, hostile };
}

test("The public site in a browser", { timeout: SCENE_MS }, async (t) => {
  const { context, url, luna } = await startScene(t);

  await t.test(
    "a family without JavaScript finds a cat that is good with children, and reaches the shelter",
    async (t) => {
      const page = await openPage(t, context, url, { javaScriptEnabled: false, viewport: SIZES.phone });
      await page.goto(`${url}/animals`);
      await page.getByRole("button", { name: "Cats" }).click();
      await page.getByRole("button", { name: "Cats", pressed: true }).waitFor();
      await page.getByText("More filters").click();
      await page.getByLabel("children").check();
      // The one at the end of the filters.
      await page.getByRole("button", { name: "Search" }).last().click();
      await page.getByRole("link", { name: "Clear filters" }).waitFor();
      await page.getByRole("listitem").getByRole("link").click();
      assert.equal(page.url(), `${url}/animals/${luna}`);
      const button = page.getByRole("link", { name: /^Write about Luna/ });
      await page.mouse.wheel(0, 2_000);
      const { y = 0, height = 0 } = (await button.boundingBox()) ?? {};
      assert.ok(y > 0 && y + height <= SIZES.phone.height, "the next step stays on the screen");
      assert.match(
        (await button.getAttribute("href")) ?? "",
        /^mailto:hello@riverside\.example\?subject=Luna/,
      );
      await page.getByRole("link", { name: SHELTER.name }).click();
      await page.getByRole("link", { name: "All animals of this shelter" }).click();
      await page.getByRole("link", { name: "More animals" }).click();
      await page.getByRole("link", { name: "Back to the newest animals" }).waitFor();
    },
  );

  await t.test("the first view has at most 120 kB without photos, and nothing shifts", async (t) => {
    const page = await openPage(t, context, url, { viewport: SIZES.phone });
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const photos = new Set<string>();
    let bytes = 0;
    session.on(
      "Network.responseReceived",
      ({ requestId, type }) => type === "Image" && photos.add(requestId),
    );
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (!photos.has(requestId)) bytes += encodedDataLength;
    });
    await page.addInitScript(COUNT_SHIFTS);
    for (const path of ["/animals", `/animals/${luna}`]) {
      await page.goto(url + path, { waitUntil: "networkidle" });
      await page.evaluate("window.scrollTo(0, 3000)");
      await page.waitForLoadState("networkidle");
      assert.equal(await page.evaluate("window.shift"), 0, path);
      assert.ok(bytes > 0 && bytes < FIRST_VIEW_MAX, `${bytes} bytes`);
      if (path === "/animals") assert.equal(await page.locator(".cover img").count(), ANIMALS);
    }
  });

  await t.test("feeds and sitemap are well-formed, with what RFC 4287 requires", async (t) => {
    const page = await openPage(t, context, url, { viewport: SIZES.phone });
    await page.goto(`${url}/animals`);
    for (const [path, entries, required] of [
      ["/animals.atom", "feed > entry", "id,title,updated,link,content"],
      ["/sitemap.xml", "urlset > url", "loc"],
    ] as const) {
      const text = await (await fetch(url + path)).text();
      const lists = await page.evaluate(
        ([text, entries, required]) => {
          const xml = new DOMParser().parseFromString(text, "application/xml");
          const missing = [...xml.querySelectorAll(entries)].filter((entry) =>
            required.split(",").some((name) => entry.querySelectorAll(`:scope > ${name}`).length !== 1),
          );
          return {
            broken: xml.querySelectorAll("parsererror").length,
            missing: missing.length,
            found: xml.querySelectorAll(entries).length,
          };
        },
        [text, entries, required] as [string, string, string],
      );
      assert.deepEqual({ ...lists, found: 0 }, { broken: 0, missing: 0, found: 0 }, path);
      assert.ok(lists.found > ANIMALS);
    }
  });
});

test("The look of the public site", { timeout: SCENE_MS }, async (t) => {
  const { context, url, setSite, luna, hostile } = await startScene(t);

  for (const language of ["en", "de"])
    await t.test(
      `every page fits and is accessible at both widths, in light and dark, in ${language}`,
      async (t) => {
        // Bright: text in it needs another colour.
        await setSite({ language, accent: language === "de" ? "#ffee00" : null });
        const page = await openPage(t, context, url, {});
        for (const [name, path] of Object.entries({
          list: "/animals",
          animal: `/animals/${luna}`,
          shelter: "/shelters/1",
          hostile: `/animals/${hostile}`,
          "hostile-shelter": "/shelters/2",
          missing: MISSING,
        })) {
          await page.goto(url + path);
          for (const [device, viewport] of Object.entries(SIZES)) {
            const colorScheme = device === "phone" ? "light" : "dark";
            await page.setViewportSize(viewport);
            await page.emulateMedia({ colorScheme });
            await keepScreenshot(page, `site-${name}-${device}-${language}`);
            await assertFits(page);
            assert.equal(await page.evaluate("window.hacked"), undefined);
            // Each width, each scheme and each language once: no axe rule depends on them together.
            if ((device === "phone") === (language === "en"))
              await assertAccessible(page, `${name} ${device}`);
          }
        }
      },
    );

  await t.test("a photo that does not load is a drawing, without the browser's sign for it", async (t) => {
    const own = await openContext(context, { viewport: SIZES.phone });
    t.after(() => own.close());
    const page = await own.newPage();
    await page.route("**/photos/**", (route) => route.abort());
    for (const [path, selector] of [
      ["/animals", ".cover img"],
      [`/animals/${luna}`, ".photos img"],
      [`/animals/${luna}`, ".thumbnails img"],
    ] as const) {
      await page.goto(url + path);
      const photo = page.locator(selector).first();
      await photo.scrollIntoViewIfNeeded();
      await untilShown(() => photo.evaluate((image: HTMLImageElement) => image.complete), true);
      const drawn = sharp(await photo.screenshot());
      const { width, height } = await drawn.metadata();
      const colours = await drawn.removeAlpha().raw().toBuffer();
      const colourAt = (x: number, y: number) => [...colours.subarray((y * width + x) * 3).subarray(0, 3)];
      // Chromium draws its sign and the text in this corner.
      const [corner, ...others] = Array.from({ length: 10 }, (_, index) => colourAt(8 + index, 8 + index));
      for (const other of others) assert.deepEqual(other, corner, selector);
      assert.notDeepEqual(colourAt(Math.floor(width / 2), Math.floor(height * 0.6)), corner, selector);
    }
  });

  await t.test("prints an animal without search, links of the page and further photos", async (t) => {
    const page = await openPage(t, context, url, { viewport: SIZES.desktop });
    await page.emulateMedia({ media: "print" });
    await page.goto(`${url}/animals/${luna}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    for (const hidden of ["footer", ".button", ".thumbnails", "#photo-2"])
      assert.equal(await page.locator(hidden).isVisible(), false);
    assert.equal(await page.locator("#photo-1").isVisible(), true);
  });
});
