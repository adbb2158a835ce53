// A person who never saw the program imports a spreadsheet with the mouse only, or with the keyboard only.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Profile } from "../../../client/src/client.ts";
import { button, type ConsoleScene, keepScreenshot } from "./console.ts";
import { column, fileInput, showsCounts } from "./import-page.ts";
import { assertAccessible, SIZES } from "./looks.ts";

const GOOD = 60;
const BAD = 40;

/** As a spreadsheet program in Germany saves it. Only the headings of some columns are words that the service knows. */
function germanFile(name: string): Buffer {
  const rows = Array.from({ length: GOOD + BAD }, (_, index) => {
    // Two of five rows have a day that does not exist.
    const born = index % 5 < 2 ? "31.02.2023" : "1.4.2023";
    const about = index === 2 ? '"Mag Möhren;\r\nund ""Käse"""' : "";
    return `${name} ${index};Hund;Schäferhund;m;${born};ja;groß;150,00;03/04/2024;276-${index};${about}`;
  });
  const headings =
    "Rufname;Tierart;Rasse;Geschlecht;Geburtsdatum;Kastriert;Größe;Schutzgebühr;Aufnahmedatum;Chip-Nr.;Beschreibung";
  return Buffer.from([headings, ...rows, ""].join("\r\n"), "latin1");
}

/** The elements that have moved without an input. */
const RECORD_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push(...sources.map(({ node }) => node?.outerHTML ?? node?.textContent));
  }).observe({ type: "layout-shift" });
`;

/** How a person works with the page. */
interface Hands {
  press(page: Page, target: Locator): Promise<void>;
  /** Chooses an item of the menu that is open. */
  pressItem(page: Page, name: string): Promise<void>;
  /** Chooses the option of a select that begins with this text. */
  choose(page: Page, target: Locator, text: string): Promise<void>;
}

const MOUSE: Hands = {
  press: (_, target) => target.click(),
  pressItem: (page, name) => page.getByRole("menuitem", { name }).click(),
  async choose(_, target, text) {
    const options = await target.getByRole("option").allTextContents();
    await target.selectOption(options.find((option) => option.startsWith(text)) ?? assert.fail(text));
  },
};

const KEYBOARD: Hands = {
  async press(page, target) {
    await tabTo(page, target);
    await page.keyboard.press("Enter");
  },
  async pressItem(page, name) {
    await page.getByRole("menuitem").first().waitFor();
    await page.keyboard.press(name.charAt(0));
    await page.keyboard.press("Enter");
  },
  async choose(page, target, text) {
    await tabTo(page, target);
    await page.keyboard.type(text);
  },
};

async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < 300; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${target} cannot be reached by keyboard`);
}

/** A dog of the German file, as it must be after the import. */
const GERMAN_PROFILE: Profile = {
  species: "dog",
  breeds: ["Schäferhund"],
  sex: "male",
  bornOn: "2023-04-01",
  size: "large",
  neutered: "yes",
  description: 'Mag Möhren;\nund "Käse"',
  fee: { amount: 15_000, currency: "EUR" },
  arrivedOn: "2024-04-03",
  custom: { chipNr: "276-2" },
};

/** A phone has it in a menu. */
async function openImport(page: Page, hands: Hands): Promise<void> {
  const menu = button(page, "More for this list");
  await button(page, "Import").or(menu).waitFor();
  await page.evaluate(RECORD_SHIFTS);
  if ((await menu.count()) === 0) return hands.press(page, button(page, "Import"));
  await hands.press(page, menu);
  await hands.pressItem(page, "Import");
}

async function chooseGermanFile(page: Page, hands: Hands, name: string): Promise<void> {
  await openImport(page, hands);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), hands.press(page, fileInput(page))]);
  const buffer = germanFile(name);
  await chooser.setFiles({ name: "Tierliste.csv", mimeType: "application/vnd.ms-excel", buffer });
}

/** The page says what is missing. */
async function showsNeeds(page: Page): Promise<void> {
  await page.getByText("Tierliste.csv was checked.").waitFor();
  await showsCounts(page, 0, 0, 0, GOOD + BAD);
  await page.getByText("No column contains the names of the animals.").waitFor();
  await page.getByText("Some dates can be read in two ways.").waitFor();
  await page.getByText("Some fees have no currency.").waitFor();
  await assertAccessible(page, "import");
}

async function completeReading(page: Page, hands: Hands): Promise<void> {
  await hands.choose(page, column(page, "Rufname"), "Name");
  await hands.choose(page, column(page, "Chip-Nr."), "Own field “chipNr”");
  await hands.choose(page, page.getByLabel("Order of dates"), "Day");
  await hands.choose(page, page.getByLabel("Currency of fees"), "EUR");
  await hands.press(page, button(page, "Check again"));
}

function isOnTop(element: Element): boolean {
  const { x, y, width, height } = element.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2) === element;
}

async function importGoodRows(page: Page, hands: Hands, name: string): Promise<void> {
  await showsCounts(page, GOOD, 0, 0, BAD);
  await page.getByRole("heading", { level: 4, name: `${name} 2` }).waitFor();
  await page.getByText("date, day first").first().waitFor();
  await hands.press(page, button(page, `Show all ${BAD} problems`));
  await page.getByRole("row").filter({ hasText: "Line 99" }).getByText("31.02.2023").waitFor();
  const doImport = button(page, `Import the good rows: ${GOOD}`);
  assert.ok(await doImport.evaluate(isOnTop), "the button is in view, and nothing covers it");
  await hands.press(page, doImport);
  await page.getByRole("heading", { name: "The import is complete" }).waitFor();
  await showsCounts(page, GOOD, 0, 0, BAD);
  await assertAccessible(page, "imported");
  assert.deepEqual(await page.evaluate("shifts"), []);
  await hands.press(page, page.getByRole("link", { name: "Show the animals" }));
  await page.getByRole("link", { name: `${name} 99`, exact: true }).waitFor();
}

const MEANS = { mouse: MOUSE, keyboard: KEYBOARD };

/** 40 rows of the file are bad. The store has the category Dogs. */
export async function importAsPerson(
  t: TestContext,
  { app, visit }: ConsoleScene,
  { device, means }: { device: keyof typeof SIZES; means: keyof typeof MEANS },
): Promise<void> {
  const hands = MEANS[means];
  const page = await visit(t, { ownContext: { viewport: SIZES[device] } });
  const name = `Bär ${means} ${device}`;
  await chooseGermanFile(page, hands, name);
  await showsNeeds(page);
  await keepScreenshot(page, `console-import-${device}`);
  await completeReading(page, hands);
  await importGoodRows(page, hands, name);

  const query = `status=any&sort=oldest&limit=100&q=${encodeURIComponent(name)}`;
  const found = (await app.call("GET", `/listings?${query}`)).json;
  assert.equal(found.length, GOOD);
  const [first] = found;
  assert.deepEqual([first?.name, first?.categoryName, first?.status], [`${name} 2`, "Dogs", "available"]);
  assert.deepEqual(first?.profile, GERMAN_PROFILE);
}
