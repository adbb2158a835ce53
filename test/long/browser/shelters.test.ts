// Shelters in the console: with one only a page about it, with several a place, filters, moves and keys.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import {
  act,
  button,
  type ConsoleApp,
  type ConsoleScene,
  notice,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { assertAccessible, COUNT_SHIFTS, checkSizes } from "../../harness/clients/looks.ts";

const CITIES = ["Berlin", "Hamburg", "Köln", "München"];

/** The service sends the first two shelters instead of the first 100. */
function shortenFirstPage(page: Page): Promise<unknown> {
  return page.route(/\/shelters\?limit=100$/, (route) =>
    route.continue({ url: route.request().url().replace("100", "2") }),
  );
}

const headings = (page: Page) => page.locator("thead th").allTextContents();
const places = (page: Page) => page.getByRole("navigation", { name: "Places" }).getByRole("link");

testConsole("Shelters in the console", async (t, scene) => {
  const { app, context } = scene;
  await Promise.all([app.addPet({ name: "Rex" }), context.addInitScript(COUNT_SHIFTS)]);
  await testOnlyShelter(t, scene);
  await addShelters(app);
  await testNetwork(t, scene);
  await testShelterKey(t, scene);
});

async function testOnlyShelter(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, createKey } = app;

  await t.test("the only shelter has a page for it, and looks as before in all other places", async (t) => {
    const page = await visit(t, { at: "shelters" });
    await page.getByText("Our shelter – contact is missing").waitFor();
    await checkSizes(page, page.getByText("People cannot see yet how to reach"));
    await page.getByLabel("Name", { exact: true }).fill("Pfotenhof");
    await page.getByLabel("Phone").fill("030 1");
    await page.getByLabel("City").fill("Berlin");
    await page.getByLabel("Latitude").fill("95");
    await button(page, "Save").click();
    await page.getByText("Enter both numbers").waitFor();
    await pasteText(page, "Latitude", "52.52, 13.405");
    // Someone else fills in the phone at the same time.
    await call("PATCH", "/shelters/1", { body: { phone: "030 2", email: "hello@pfotenhof.example" } });
    const conflict = page.getByRole("group", { name: "Phone: someone else has changed it too" });
    await conflict.getByLabel("Keep mine").check();
    await button(page, "Save").click();
    await page.getByText("Saved.").waitFor();
    const { name, phone, email, address, location } = (await call("GET", "/shelters/1")).json;
    assert.deepEqual(
      { name, phone, email, address, location },
      {
        name: "Pfotenhof",
        phone: "030 1",
        email: "hello@pfotenhof.example",
        address: { city: "Berlin" },
        location: { latitude: 52.52, longitude: 13.405 },
      },
    );
    await page.getByText("People cannot see yet").waitFor({ state: "detached" });
    await page.getByText("contact is missing").waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Animals", exact: true }).click();
    await rowOf(page, "Rex").waitFor();
    assert.equal(await places(page).count(), 9);
    assert.ok(!(await headings(page)).includes("Shelter"));
    assert.equal(await page.getByLabel("Filter by shelter").count(), 0);
    await page.getByRole("link", { name: "Rex" }).click();
    const contact = page.locator(".kennel-card footer");
    await untilShown(() => contact.textContent(), "Pfotenhof Berlin030 1hello@pfotenhof.example");
    const named = page.getByRole("main").getByText("Pfotenhof", { exact: true });
    assert.equal(await named.count(), 1, "only on the card");
    await call("PATCH", "/shelters/1", { body: { address: null, phone: null, email: null } });
    await untilShown(() => contact.textContent(), "Pfotenhof ");

    const { id } = await createKey({ name: "Of the shelter", access: "manage", shelterId: 1 });
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByRole("button", { name: "Create a key" }).click();
    assert.equal(await page.getByLabel("Shelter").count(), 0);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Of the shelter" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Renamed");
    await button(page, "Save").click();
    await page.getByText("Renamed was changed.").waitFor();
    assert.equal((await call("GET", `/keys/${id}`)).json.shelterId, 1);
  });

  await t.test("keys without a shelter read the page of the only one", async (t) => {
    await call("PATCH", "/shelters/1", { body: { email: "hello@pfotenhof.example" } });
    const { key } = await createKey({ access: "manage" });
    const page = await visit(t, { key, at: "shelters" });
    await page.getByRole("link", { name: "hello@pfotenhof.example" }).waitFor();
    assert.deepEqual([await button(page, "Save").count(), await page.getByRole("textbox").count()], [0, 0]);
  });
}

/** Shelters 2 to 5 with a key and an animal each, which has an open order. */
async function addShelters({ call, createKey }: ConsoleApp): Promise<void> {
  for (const [index, city] of CITIES.entries()) {
    await call("POST", "/shelters", { body: { name: `Tierheim ${city}`, address: { city } } });
    const { key } = await createKey({ name: city, access: "manage", shelterId: index + 2 });
    await call("POST", "/pets", { key, body: { name: `Cat of ${city}`, categoryId: 1 } });
    await call("POST", "/store/orders", { key, body: { petId: index + 2, reference: city } });
  }
}

async function testNetwork(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call } = app;

  await t.test("a network shows, filters and moves animals by shelter", async (t) => {
    const page = await visit(t);
    await rowOf(page, "Tierheim Berlin").waitFor();
    await button(page, "Add an animal").click();
    await page.getByText("The new animal will belong to Pfotenhof.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Filter by shelter").selectOption("Tierheim Köln");
    await page.getByText("1 animal found").waitFor();
    await page.getByLabel("Filter by shelter").selectOption("All shelters");
    await rowOf(page, "Rex").waitFor();
    for (const name of ["Rex", "Cat of Köln"]) await page.getByLabel(`Select ${name}`).check();
    await button(page, "Move to another shelter").click();
    await page.getByRole("dialog").getByLabel("Shelter").selectOption("Tierheim Hamburg");
    await assertAccessible(page, "move");
    await button(page, "Change 2 animals").click();
    await notice(page, "2 animals moved to Tierheim Hamburg.").waitFor();
    await rowOf(page, "Rex").filter({ hasText: "Tierheim Hamburg" }).waitFor();
    await page.getByRole("link", { name: "Cat of Köln" }).click();
    await page.getByText("moved the animal from Tierheim Köln to Tierheim Hamburg.").waitFor();
    await act(page, "Cat of Köln", "Move to another shelter", "More actions for");
    await page.getByRole("dialog").getByLabel("Shelter").selectOption("Tierheim Köln");
    await button(page, "Change 1 animal").click();
    const records = page.getByRole("region", { name: "At the shelter" });
    await records.getByRole("link", { name: "Tierheim Köln" }).waitFor();
    await untilShown(async () => (await call("GET", "/listings/4")).json.shelter, {
      id: 4,
      name: "Tierheim Köln",
      city: "Köln",
    });
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    await page.getByLabel("Filter by shelter").selectOption("Tierheim München");
    await untilShown(() => page.locator("tbody tr").count(), 1);
    await rowOf(page, "Cat of München").waitFor();
  });

  await t.test("a network lists, adds and deletes shelters, and gives one to a key", async (t) => {
    const page = await visit(t, { at: "shelters", expected: [409] });
    await checkSizes(page, rowOf(page, "Tierheim Berlin"));
    await button(page, "Delete Tierheim Berlin").click();
    await button(page, "Delete permanently").click();
    await page.getByText("Animals or keys still belong to this shelter.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await button(page, "Delete Pfotenhof").count(), 0);
    await button(page, "Add a shelter").click();
    await page.getByLabel("Name", { exact: true }).fill("Tierheim Bremen");
    await button(page, "Add").click();
    await page.getByRole("heading", { level: 1, name: "Tierheim Bremen" }).waitFor();
    await page.getByRole("link", { name: "← All shelters" }).click();
    // Another tab shows what the API does.
    await call("PATCH", "/shelters/6", { body: { address: { city: "Bremen" } } });
    await rowOf(page, "Tierheim Bremen").getByRole("cell", { name: "Bremen", exact: true }).waitFor();
    await button(page, "Delete Tierheim Bremen").click();
    await button(page, "Delete permanently").click();
    await rowOf(page, "Tierheim Bremen").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Audit log" }).click();
    await rowOf(page, "Shelter deleted").filter({ hasText: "Shelter 6" }).waitFor();

    await shortenFirstPage(page);
    await page.getByRole("link", { name: "Keys" }).click();
    await page.reload();
    await rowOf(page, "Köln").filter({ hasText: "Tierheim Köln" }).waitFor();
    await page.getByRole("link", { name: "Köln", exact: true }).click();
    await page.reload();
    const shelter = page.getByLabel("Shelter", { exact: true });
    await shelter.getByRole("option", { name: "Tierheim München" }).waitFor({ state: "attached" });
    await page.getByLabel("Name", { exact: true }).fill("Cologne");
    await button(page, "Save").click();
    await page.getByText("Cologne was changed.").waitFor();
    assert.equal((await call("GET", "/keys/6")).json.shelterId, 4);
    await shelter.selectOption("Whole network");
    await button(page, "Save").click();
    await untilShown(async () => (await call("GET", "/keys/6")).json.shelterId, undefined);
    await page.getByLabel("Access").selectOption({ value: "admin" });
    assert.equal(await shelter.count(), 0);
  });
}

async function testShelterKey(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { key } = await app.createKey({ access: "manage", plan: "pro", shelterId: 2 });

  await t.test("a key of a shelter is offered what it may change, and nothing else", async (t) => {
    const page = await visit(t, { key });
    // Its list has all that a key of the whole network sees, and the marks of other shelters.
    await checkSizes(page, rowOf(page, "Tierheim Berlin"));
    const other = rowOf(page, "Cat of München");
    assert.equal(await other.getByRole("button").count(), 0);
    assert.equal(await other.getByRole("checkbox").count(), 0);
    await other.getByText("Other shelter").waitFor();
    await page.getByLabel("Select all animals of this page").check();
    await page.getByText("1 selected").waitFor();
    assert.equal(await button(page, "Move to another shelter").count(), 0);
    await button(page, "Clear selection").click();
    await page.getByLabel("Only our shelter").check();
    await other.waitFor({ state: "detached" });
    await page.getByLabel("Only our shelter").uncheck();
    await page.getByRole("link", { name: "Cat of München" }).click();
    await page.getByText("This animal belongs to another shelter.").waitFor();
    await page.getByRole("heading", { name: "History" }).waitFor();
    const offered = await page.locator(".screen button").allTextContents();
    assert.deepEqual(offered, ["Print a kennel card"]);
    assert.equal(await page.getByRole("heading", { name: "Adoption" }).count(), 0);
    assert.equal(await page.locator("main :is(input, select, textarea)").count(), 0);

    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    await rowOf(page, "Cat of Berlin").waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
    assert.equal(await page.getByLabel("Filter by shelter").count(), 0);
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("heading", { level: 1, name: "Categories" }).waitFor();
    assert.equal(await page.locator("main button").count(), 0);
    await page.getByRole("link", { name: "Shelters" }).click();
    await rowOf(page, "Tierheim Berlin").getByText("yours").waitFor();
    assert.deepEqual(await page.locator("main button").allTextContents(), ["Edit"]);
    await button(page, "Edit Tierheim Berlin").click();
    await page.getByLabel("Website").fill("https://berlin.example");
    await button(page, "Save").click();
    await page.getByText("Saved.").waitFor();
  });
}

async function pasteText(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).evaluate((field, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", pasted);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
