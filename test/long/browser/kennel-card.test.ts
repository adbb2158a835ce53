// The kennel card: what the page of an animal prints, on A4, A5 and Letter.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type ConsoleScene, testConsole, untilShown } from "../../harness/clients/console.ts";
import { drawImage } from "../../harness/clients/images.ts";
import {
  AREAS,
  assertPrinted,
  FORMATS,
  printCard,
  readLayout,
  textOf,
} from "../../harness/clients/kennel-card.ts";

const PROFILE = {
  species: "dog",
  breeds: ["Labrador", "Puli"],
  mixed: true,
  sex: "unknown",
  bornOn: "2020-05-31",
  bornIsEstimated: true,
  size: "extra_large",
  colors: ["black", "tan"],
  coat: "wire",
  goodWith: { children: "yes", dogs: "no", cats: "unknown" },
  neutered: "yes",
  vaccinated: "no",
  houseTrained: "unknown",
  specialNeeds: "yes",
  fee: { amount: 25_050, currency: "EUR" },
  arrivedOn: "2026-01-02",
  tags: ["calm", "needs a garden"],
};
/** Labels with their values. */
const ENGLISH = [
  "Available",
  "No. ",
  "Category Dogs",
  "Species Dog",
  "Breed Labrador / Puli (mixed breed)",
  "Age",
  "years (estimated)",
  "Born on 31 May 2020 (estimated)",
  "Sex Unknown",
  "Size Extra large",
  "Colours black, tan",
  "Coat Wire",
  "Good with Children: yes, dogs: no, cats: unknown",
  "Neutered Yes",
  "Vaccinated No",
  "House-trained Unknown",
  "Special needs Yes",
  "Adoption fee €250.50",
  "In the shelter since 2 January 2026",
  "calm",
  "needs a garden",
];
const GERMAN = [
  "Verfügbar",
  "Nr. ",
  "Kategorie Dogs",
  "Tierart Hund",
  "Rasse Labrador / Puli (Mischling)",
  "Alter",
  "Jahre (geschätzt)",
  "Geboren am 31. Mai 2020 (geschätzt)",
  "Geschlecht Unbekannt",
  "Verträgt sich mit Kinder: ja, Hunde: nein, Katzen: unbekannt",
  "Kastriert Ja",
  "Geimpft Nein",
  "Stubenrein Unbekannt",
  "Besondere Bedürfnisse Ja",
  "Schutzgebühr 250,50 €",
  "Im Tierheim seit 2. Januar 2026",
];

/** Every sentence is another one, so that a missing line is noticed. */
function story(length: number): string {
  let text = "";
  for (let number = 1; text.length < length; number++)
    text += `Day ${number}: a long walk, then a rest.${number % 12 === 0 ? "\n\n" : " "}`;
  return `${text.slice(0, length - 5)} End.`;
}

interface Animal {
  name?: string;
  profile?: object;
  photo?: { width: number; height: number };
}

async function openScene({ app, visit }: ConsoleScene) {
  const { url, call } = app;
  await call("PUT", "/categories/1", { body: { name: "Dogs" } });
  async function add({ name = "Hoppel", profile, photo }: Animal): Promise<number> {
    const { id } = (await call("POST", "/pets", { body: { name, categoryId: 1 } })).json;
    if (profile) assert.equal((await call("PATCH", `/pets/${id}/profile`, { body: profile })).status, 200);
    if (photo) {
      const upload = { body: await drawImage("green", photo), headers: { "content-type": "image/png" } };
      assert.equal((await call("POST", `/pets/${id}/photos`, upload)).status, 201);
    }
    return id;
  }
  async function open(page: Page, id: number): Promise<void> {
    await page.goto(`${url}/#animals/${id}`);
    // The names of categories arrive on their own.
    await page
      .locator(".records .facts")
      .filter({ hasText: String(id) })
      .filter({ hasText: "Dogs" })
      .waitFor();
    await untilShown(
      () =>
        page.evaluate("[...document.querySelectorAll('.kennel-card img')].every((image) => image.complete)"),
      true,
    );
  }
  return { ...app, visit, add, open };
}

const word = (letter: string, length: number) => letter.repeat(length);
const LONGEST = {
  ...PROFILE,
  breeds: [word("B", 100), word("C", 100)],
  colors: ["D", "E", "F"].map((letter) => word(letter, 40)),
  tags: Array.from({ length: 10 }, (_, index) => `${index}${word("G", 39)}`),
  externalId: word("H", 64),
  description: `${word("K", 3_000)}\n${"x\n".repeat(300)}Last.`,
};
const extremes: Record<string, Animal & { texts: string[] }> = {
  "the longest values": {
    name: `${word("W", 120)} ${word("M", 134)}`,
    profile: LONGEST,
    photo: { width: 60, height: 600 },
    texts: [
      word("W", 120),
      word("M", 134),
      word("B", 100),
      word("C", 100),
      word("F", 40),
      `9${word("G", 39)}`,
      word("H", 64),
      LONGEST.description,
    ],
  },
  "a wide photo and few facts": {
    profile: { species: "cat" },
    photo: { width: 600, height: 100 },
    texts: ["Cat"],
  },
  "no photo": { profile: { ...PROFILE, description: story(900) }, texts: [...ENGLISH, story(900)] },
  "nothing but a name": { texts: ["Hoppel", "CategoryDogs"] },
  "a thousand blank lines": {
    profile: { description: `One.${"\n".repeat(1_000)}Two.\n` },
    texts: ["One.Two."],
  },
};

testConsole("The kennel card", async (t, scene) => {
  const { visit, add, open } = await openScene(scene);

  await t.test("the card has photo, facts and description on one page", async (t) => {
    const description = story(700);
    const page = await visit(t, { ownContext: {} });
    for (const photo of [
      { width: 800, height: 600 },
      { width: 600, height: 800 },
    ]) {
      const id = await add({
        profile: { ...PROFILE, externalId: `TH-${photo.width}`, description },
        photo,
      });
      await open(page, id);
      for (const format of FORMATS) {
        const pages = await printCard(page, format);
        assert.equal(pages.length, 1, format);
        assertPrinted(pages, ["Hoppel", String(id), `TH-${photo.width}`, ...ENGLISH, description], format);
        const { photo: left, facts: right, description: below, cut } = await readLayout(page, format);
        assert.deepEqual(cut, []);
        assert.ok(left && left.left >= 0 && left.right < right.left && right.right <= AREAS[format].width);
        assert.ok(Math.abs(left.top - right.top) < 2);
        assert.ok(below.top >= left.bottom && below.top >= right.bottom && below.left === left.left);
        // Neither stretched nor cropped.
        const ratio = (left.right - left.left) / (left.bottom - left.top);
        assert.ok(Math.abs(ratio / (photo.width / photo.height) - 1) < 0.02, String(ratio));
        // The type is as large as the page allows.
        const lowest = Math.max(...(pages[0]?.texts.map(({ y }) => y) ?? []));
        assert.ok(lowest > 0.65 * (pages[0]?.height ?? 0), `${format}: ${lowest}`);
      }
    }
  });

  await t.test("a longer text has smaller type, and then more pages, and nothing is missing", async (t) => {
    const page = await visit(t, { ownContext: {} });
    const sizes = { A4: Infinity, Letter: Infinity };
    for (const length of [200, 1_000, 2_000, 10_000]) {
      const description = story(length);
      await open(
        page,
        await add({ profile: { ...PROFILE, description }, photo: { width: 800, height: 600 } }),
      );
      for (const format of FORMATS) {
        const pages = await printCard(page, format);
        assertPrinted(pages, [description], `${length} on ${format}`);
        assertPrinted(pages.slice(0, 1), ENGLISH, `${length} on ${format}`);
        if (format === "A5") continue;
        assert.equal(pages.length, length <= 2_000 ? 1 : 2, `${length} on ${format}`);
        const size = pages.at(-1)?.texts.at(-1)?.size ?? 0;
        assert.ok(size < sizes[format], `${length} on ${format}: ${size} pt`);
        sizes[format] = size;
      }
    }
  });
});

testConsole("The kennel card in other forms", async (t, scene) => {
  const { visit, add, open } = await openScene(scene);

  await t.test("the card cuts nothing", async (t) => {
    const page = await visit(t, { ownContext: {} });
    for (const [what, { texts, ...animal }] of Object.entries(extremes)) {
      await open(page, await add(animal));
      for (const format of FORMATS) {
        const pages = await printCard(page, format);
        assertPrinted(pages, texts, `${what} on ${format}`);
        const { cut, facts, photo } = await readLayout(page, format);
        assert.deepEqual(cut, [], `${what} on ${format}`);
        assert.ok(photo === undefined ? facts.left === 0 : photo.right < facts.left, `${what} on ${format}`);
        if (animal.profile !== LONGEST) assert.equal(pages.length, 1, `${what} on ${format}`);
      }
    }
  });

  await t.test("the card is German in the German console, and dark on white in dark mode", async (t) => {
    const page = await visit(t, { ownContext: { colorScheme: "dark" } });
    await page.getByRole("button", { name: "Deutsch" }).click();
    const description = story(700);
    await open(page, await add({ profile: { ...PROFILE, description }, photo: { width: 800, height: 600 } }));
    for (const format of FORMATS) {
      const pages = await printCard(page, format);
      assert.equal(pages.length, 1, format);
      assertPrinted(pages, [...GERMAN, description], format);
      const { lightest, ground } = await readLayout(page, format);
      assert.ok(lightest < 128, String(lightest));
      assert.equal(ground, "rgb(255, 255, 255)");
    }
  });

  await t.test("the card is printed instead of the page, also if its photo does not load", async (t) => {
    const id = await add({ profile: PROFILE, photo: { width: 800, height: 600 } });
    const page = await visit(t, { ownContext: {}, expected: [404] });
    await page.route("**/photos/*.webp", (route) => route.fulfill({ status: 404 }));
    await open(page, id);
    await untilShown(() => page.locator(".kennel-card img").count(), 0);
    const [first, ...others] = await printCard(page, "A4");
    assert.equal(others.length, 0);
    const printed = textOf(first ? [first] : []);
    for (const text of ["Signout", "Save", "History"]) assert.ok(!printed.includes(text), text);
    const { facts } = await readLayout(page, "A4");
    assert.equal(facts.left, 0);
  });
});
