// The page of one animal in the console: photos, profile, orders.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { runInHost } from "../harness/clients/commands.ts";
import {
  type ConsoleScene,
  hold,
  keepScreenshot,
  notice,
  refusal,
  testConsole,
  untilShown,
} from "../harness/clients/console.ts";
import { drawImage } from "../harness/clients/images.ts";
import { makeFolder } from "../harness/runner/folder.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const LONG = `${"W".repeat(120)} ${"ب".repeat(134)}`;

function openScene({ app, visit }: ConsoleScene) {
  const { url, call } = app;
  const listingOf = async (id: number) => (await call("GET", `/listings/${id}`)).json;
  const add = async (name: string) =>
    (await call("POST", "/pets", { body: { name, categoryId: 1 } })).json.id as number;
  const open = (page: Page, id: number | string) => page.goto(`${url}/#animals/${id}`);
  const photo = async (name: string, colour: string) => ({
    name,
    mimeType: "image/png",
    buffer: await drawImage(colour, { width: 64, height: 48 }),
  });
  const addPhotos = async (page: Page, files: Parameters<Page["setInputFiles"]>[1]) => {
    const opening = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose photos" }).click();
    await (await opening).setFiles(files);
  };
  return { ...app, app, visit, listingOf, add, open, photo, addPhotos };
}

testConsole("The profile of an animal in the console", async (t, scene) => {
  const { visit, call, listingOf, add, open } = openScene(scene);

  await t.test("says so when there is no such animal, also for an address that makes no sense", async (t) => {
    const page = await visit(t, { expected: [404] });
    for (const id of ["99999", "x%20y", "1/2"]) {
      await open(page, id);
      await page.getByText("There is no animal with the number").waitFor();
    }
    await page.getByRole("link", { name: "← All animals" }).click();
    await page.getByRole("heading", { level: 1, name: "Animals" }).waitFor();
  });

  await t.test("saves what was changed in the profile, and nothing else", async (t) => {
    const id = await add("Rex");
    await call("PATCH", `/pets/${id}/profile`, { body: { breeds: ["A, B"], tags: ["a, b"], sex: "male" } });
    const page = await visit(t);
    await open(page, id);
    await page.getByRole("heading", { level: 1, name: "Rex" }).waitFor();
    await untilShown(() => page.title(), "Rex – Animal Store");
    await page.getByLabel("Species").selectOption("Dog");
    await page.getByRole("group", { name: "Good with dogs" }).getByLabel("No", { exact: true }).check();
    assert.equal(await page.getByLabel("Tags").inputValue(), "a, b;");
    await page.getByLabel("Tags").press("End");
    await page.getByLabel("Tags").pressSequentially(" calm");
    await page.getByLabel("Adoption fee").fill("250,50");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Enter the three letters of the currency").waitFor();
    assert.equal((await listingOf(id)).profile.species, undefined);
    await page.getByLabel("Currency").fill("eur");
    await page.getByLabel("Sex").selectOption("Not stated");
    await page.getByLabel("Description").fill("Calm.\nLikes walks.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    assert.deepEqual((await listingOf(id)).profile, {
      species: "dog",
      breeds: ["A, B"],
      goodWith: { dogs: "no" },
      description: "Calm.\nLikes walks.",
      fee: { amount: 25_050, currency: "EUR" },
      tags: ["a, b", "calm"],
    });
  });

  await t.test("says so when no version of the animal is accepted, instead of trying forever", async (t) => {
    const id = await add("Momo");
    const page = await visit(t, { expected: [412] });
    let attempts = 0;
    // As behind a proxy that weakens ETags. It ends by itself, so that a console without a limit fails and does not hang.
    await page.route(`**/v1/pets/${id}/profile`, async (route) => {
      attempts += 1;
      const tag = attempts > 5 ? "*" : `W/${route.request().headers()["if-match"]}`;
      await route.continue({ headers: { ...route.request().headers(), "if-match": tag } });
    });
    await open(page, id);
    await page.getByLabel("Tags").fill("shy");
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByText("someone else has changed this animal in the meantime")
      .or(page.getByText("Saved."))
      .waitFor();
    assert.equal(attempts, 2);
    assert.equal(await page.getByLabel("Tags").inputValue(), "shy");
  });

  await t.test("keeps what is typed while it saves, and saves it next time", async (t) => {
    const id = await add("Nala");
    const page = await visit(t);
    await open(page, id);
    await page.getByLabel("Breed", { exact: true }).fill("Poodle");
    await page.getByLabel("Tags").fill("shy");
    const release = await hold(page, `**/v1/pets/${id}/profile`);
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("button", { name: "Save" }).click();
    await sent;
    await page.getByLabel("Tags").fill("shy, calm");
    await page.getByLabel("Colours").fill("black");
    release();
    await page.getByText("Saved.").waitFor();
    const fields = ["Breed", "Tags", "Colours"].map((label) => page.getByLabel(label, { exact: true }));
    assert.deepEqual(await Promise.all(fields.map((field) => field.inputValue())), [
      "Poodle",
      "shy, calm",
      "black",
    ]);
    assert.deepEqual((await listingOf(id)).profile, { breeds: ["Poodle"], tags: ["shy"] });
    const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
    await page.getByRole("button", { name: "Save" }).click();
    await saved;
    const expected = { breeds: ["Poodle"], colors: ["black"], tags: ["shy", "calm"] };
    assert.deepEqual((await listingOf(id)).profile, expected);
  });
});

testConsole("The state and history of an animal in the console", async (t, scene) => {
  const { app, visit, call, listingOf, add, open } = openScene(scene);

  await t.test("shows a new status at once, takes it back, and still saves what was typed", async (t) => {
    const id = await add("Tilda");
    const page = await visit(t);
    await open(page, id);
    await page.getByLabel("Tags").fill("calm");
    const status = page.getByRole("combobox", { name: "Status of Tilda" });
    const order = page.getByRole("button", { name: "Place an order" });
    await order.waitFor();
    const release = await hold(page, `**/v1/pets/${id}`);
    await status.selectOption("Pending");
    await order.waitFor({ state: "detached" });
    assert.equal((await listingOf(id)).status, "available");
    release();
    await notice(page, "Tilda is pending.").getByRole("button", { name: "Undo" }).click();
    await notice(page, "Tilda is available again.").waitFor();
    await order.waitFor();
    await status.selectOption("Pending");
    await notice(page, "Tilda is pending.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const { status: stored, profile } = await listingOf(id);
    assert.deepEqual([stored, profile], ["pending", { tags: ["calm"] }]);
  });

  await t.test("asks before it is left with changes that were not saved", async (t) => {
    const id = await add("Momo");
    const page = await visit(t);
    await open(page, id);
    await page.getByLabel("Tags").fill("x");
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    assert.equal(await page.getByLabel("Tags").inputValue(), "x");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Adoptions" }).waitFor();
    // The back button leaves the form without a question; later links have nothing to ask about.
    await open(page, id);
    await page.getByLabel("Tags").fill("y");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Adoptions" }).waitFor();
    page.once("dialog", () => assert.fail("there is nothing to lose"));
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("heading", { level: 1, name: "Categories" }).waitFor();
  });

  await t.test("shows the changes of others, but not over what is being typed", async (t) => {
    const id = await add("Bruno");
    const page = await visit(t, { expected: [404] });
    await open(page, id);
    await page.getByLabel("Tags").fill("mine");
    await page.locator(".animal-state").getByText("Category 1").waitFor();
    await call("PUT", "/categories/1", { body: { name: "Dogs" } });
    await page.locator(".animal-state").getByText("Category Dogs").waitFor();
    await call("PATCH", `/pets/${id}/profile`, { body: { colors: ["white"] } });
    await untilShown(() => page.getByLabel("Colours").inputValue(), "white");
    assert.equal(await page.getByLabel("Tags").inputValue(), "mine");
    await page.getByLabel("Tags").fill("");
    await call("DELETE", `/pets/${id}`);
    await page.getByText("There is no animal with the number").waitFor();
  });

  await t.test("shows the history in sentences, with the name of the key for admins", async (t) => {
    const id = await add("Flocke");
    const staff = await app.createKey({ name: "Front desk", access: "manage" });
    const asStaff = (method: string, path: string, body: object) =>
      call(method, path, { key: staff.key, body });
    await asStaff("PATCH", `/pets/${id}`, { name: "Flöckchen" });
    await asStaff("PATCH", `/pets/${id}/profile`, { size: "small", goodWith: { cats: "no" } });
    await asStaff("POST", "/store/orders", { petId: id });
    const page = await visit(t);
    await open(page, id);
    const entries = page.getByRole("region", { name: "History" }).getByRole("listitem");
    await untilShown(
      async () => (await entries.allInnerTexts()).map((text) => text.split(". ")[0]),
      [
        "Front desk placed order 1",
        "Front desk changed the status from “Available” to “Pending”",
        "Front desk changed the profile: Size, Good with cats",
        "Front desk changed the name from Flocke to Flöckchen",
        "The key of the operator added the animal",
      ],
    );
    await asStaff("PATCH", "/store/orders/1", { status: "approved" });
    await entries.filter({ hasText: "Front desk changed order 1 to “Approved”." }).waitFor();
  });
});

testConsole("The photos of an animal in the console", async (t, scene) => {
  const { visit, listingOf, add, open, photo, addPhotos } = openScene(scene);

  await t.test("adds, orders and deletes photos, with undo, and refuses other files", async (t) => {
    const id = await add("Minka");
    const page = await visit(t, { expected: [400] });
    await open(page, id);
    await page.getByText("There is no photo yet.").waitFor();
    const alt = page.getByLabel("What the next photos show");
    await alt.fill("Minka on a chair");
    await addPhotos(page, [
      await photo("a.png", "red"),
      { name: "notes.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF") },
      { name: "broken.png", mimeType: "image/png", buffer: Buffer.from("no image") },
      await photo("b.png", "blue"),
    ]);
    await page.getByText("notes.pdf is not a JPEG, PNG or WebP image.").waitFor();
    await page.getByText("broken.png was not added.").waitFor();
    const pictures = page.locator(".photos img");
    await untilShown(() => pictures.count(), 2);
    assert.equal(await alt.inputValue(), "Minka on a chair", "for the next attempt");
    assert.equal(await pictures.last().getAttribute("alt"), "Minka on a chair");
    const [red, blue] = (await listingOf(id)).photos.map((each: { id: number }) => each.id);
    await page.getByRole("button", { name: "Move photo 2 forward" }).click();
    const order = async () => (await listingOf(id)).photos.map((each: { id: number }) => each.id);
    await untilShown(order, [blue, red]);
    await page.locator(".photos li").nth(0).dragTo(page.locator(".photos li").nth(1));
    await untilShown(order, [red, blue]);
    await page.getByRole("button", { name: "Delete photo 1" }).dblclick();
    await untilShown(() => pictures.count(), 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await untilShown(() => pictures.count(), 2);
    await page.getByRole("button", { name: "Delete photo 2" }).click();
    await page.getByRole("button", { name: "Delete now" }).click();
    await untilShown(order, [red]);
  });

  await t.test("sends one order of the photos at a time, and the last one last", async (t) => {
    const id = await add("Trio");
    const page = await visit(t);
    await open(page, id);
    await addPhotos(
      page,
      await Promise.all(["red", "blue", "green"].map((name) => photo(`${name}.png`, name))),
    );
    await untilShown(() => page.locator(".photos img").count(), 3);
    const ids = async () => (await listingOf(id)).photos.map((each: { id: number }) => each.id);
    const [red, blue, green] = await ids();
    const held = Promise.withResolvers<void>();
    let running = 0;
    const together: number[] = [];
    await page.route(`**/v1/pets/${id}/photos`, async (route) => {
      running += 1;
      together.push(running);
      await held.promise;
      const response = await route.fetch();
      running -= 1;
      await route.fulfill({ response });
    });
    const ordered = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("button", { name: "Move photo 3 forward" }).click();
    await ordered;
    await page.getByRole("button", { name: "Move photo 2 forward" }).click();
    held.resolve();
    await untilShown(ids, [green, red, blue]);
    assert.deepEqual(together, [1, 1]);
  });

  await t.test("moves a photo while the deletion of another can be undone", async (t) => {
    const id = await add("Quartet");
    const page = await visit(t, { expected: [400] });
    await open(page, id);
    const colours = ["red", "blue", "green"];
    await addPhotos(page, await Promise.all(colours.map((name) => photo(`${name}.png`, name))));
    const pictures = page.locator(".photos img");
    await untilShown(() => pictures.count(), 3);
    const ids = async () => (await listingOf(id)).photos.map((each: { id: number }) => each.id);
    const [red, blue, green] = await ids();
    await page.getByRole("button", { name: "Delete photo 1" }).click();
    await untilShown(() => pictures.count(), 2);
    await page.getByRole("button", { name: "Move photo 2 forward" }).click();
    await untilShown(ids, [green, blue, red]);
    assert.equal(await page.locator(".notice.bad").count(), 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await untilShown(() => pictures.count(), 3);
    // An order that the service refuses is not shown any longer.
    await page.route(`**/v1/pets/${id}/photos`, (route) =>
      route.fulfill(refusal(400, "invalid_body", "Not now.")),
    );
    const first = () => pictures.first().getAttribute("src");
    const before = await first();
    await page.getByRole("button", { name: "Move photo 2 forward" }).click();
    await page.locator(".notice.bad").getByText("Not now.").waitFor();
    await untilShown(first, before);
    assert.deepEqual(await ids(), [green, blue, red]);
  });
});

testConsole("An animal in the console on a phone", async (t, scene) => {
  const { app, visit, call, photo } = openScene(scene);

  await t.test("adds, photographs, finds, orders and hands over an animal on a phone", async (t) => {
    const file = join(makeFolder(t), "animals.csv");
    const others = Array.from({ length: 3_000 }, (_, index) => `Animal ${index},1`);
    writeFileSync(file, ["name,categoryId", ...others].join("\n"));
    const { code, stderr } = await runInHost(["import", file], app.engines);
    assert.equal(code, 0, stderr);
    const page = await visit(t, { ownContext: PHONE });
    const assertNoSideways = async () =>
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.viewport.width);
    await page.getByRole("button", { name: "Add an animal" }).tap();
    await page.getByLabel("Name", { exact: true }).fill(LONG);
    await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).tap();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("searchbox").fill("www");
    await untilShown(() => page.locator("tbody tr").count(), 1);
    await page.getByRole("rowheader").getByRole("link").tap();
    await page.getByRole("heading", { level: 1 }).filter({ hasText: LONG }).waitFor();
    await assertNoSideways();
    const opening = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Take a photo" }).tap();
    const chooser = await opening;
    assert.equal(await chooser.element().getAttribute("capture"), "environment");
    await chooser.setFiles(await photo("camera.png", "green"));
    await untilShown(() => page.locator(".photos img").count(), 1);
    await page.getByRole("button", { name: "Place an order" }).tap();
    await page.getByRole("button", { name: "Place the order" }).tap();
    await notice(page, /is placed/).waitFor();
    await page.locator(".entries .status").getByText("Placed").waitFor();
    await keepScreenshot(page, "console-animal-phone-long");
    await page.getByRole("link", { name: "Adoptions", exact: true }).tap();
    const row = page.getByRole("row").filter({ hasText: LONG });
    await row.getByRole("button", { name: /^Approve order/ }).tap();
    await notice(page, "can be handed over").waitFor();
    // Two quick taps on the same place are a double click, which must not hand the animal over.
    await page.getByRole("heading", { name: "Adoptions" }).tap();
    await row.getByRole("button", { name: /^Hand over order/ }).tap();
    await page.getByRole("button", { name: "Hand over the animal" }).tap();
    await notice(page, "has found a home").waitFor();
    await row.waitFor({ state: "detached" });
    assert.equal((await call("GET", "/listings?status=sold")).json[0].name, LONG);
    // There are at most three: with the long name, they leave 50 % of the page free.
    const notices = page.locator(".notice");
    const heights = await notices.evaluateAll((each) => each.map((card) => card.clientHeight));
    assert.ok(Math.max(...heights) < PHONE.viewport.height / 6, heights.join(", "));
    await assertNoSideways();
    await keepScreenshot(page, "console-notices-phone");
  });
});
