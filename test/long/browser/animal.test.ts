// The page of one animal in the console: photos, profile, orders.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { runInHost } from "../../harness/clients/commands.ts";
import {
  type ConsoleScene,
  hold,
  keepScreenshot,
  notice,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { PHONE } from "../../harness/clients/looks.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

/** The buttons that open the sections. */
const SECTIONS = {
  identity: "Edit name, breed and age",
  traits: "Edit what is good to know",
  story: "Edit the story",
  records: "Edit the records",
};
const LONG = `${"W".repeat(120)} ${"ب".repeat(134)}`;

/** Opens a section, and returns its place on the page. */
async function edit(page: Page, section: keyof typeof SECTIONS): Promise<Locator> {
  await page.getByRole("button", { name: SECTIONS[section] }).click();
  return page.locator(`section.${section}`);
}

/** Until the section shows what is stored. */
async function save(section: Locator): Promise<void> {
  await section.getByRole("button", { name: "Save" }).click();
  await section.getByRole("button", { name: /^Edit/ }).waitFor();
  await section.getByText("Saved.").waitFor();
}

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
  const { visit, call, add, open } = openScene(scene);

  await t.test("the story follows the photos, however long the facts beside them are", async (t) => {
    const id = await add("Ada");
    const page = await visit(t, { at: `animals/${id}` });
    for (const section of ["identity", "traits"] as const) await edit(page, section);
    const [photos, facts, story] = await Promise.all(
      [".profile > :nth-child(1)", ".profile > :nth-child(2)", "section.story"].map((part) =>
        page.locator(part).boundingBox(),
      ),
    );
    assert.ok(photos && facts && story && facts.height > photos.height + story.height);
    assert.ok(story.y < photos.y + photos.height + 60, `${story.y}`);
    assert.ok(story.x + story.width <= facts.x);
  });

  await t.test("says so when there is no such animal, also for an address that makes no sense", async (t) => {
    const page = await visit(t, { expected: [404] });
    for (const id of ["99999", "x%20y", "1/2"]) {
      await open(page, id);
      await page.getByText("There is no animal with the number").waitFor();
    }
    await page.getByRole("link", { name: "← All animals" }).click();
    await page.getByRole("heading", { level: 1, name: "Animals" }).waitFor();
  });

  await t.test("shows what is known as a line, as chips and as a story", async (t) => {
    const id = await add("Bruno");
    const profile = {
      species: "dog",
      breeds: ["Labrador"],
      mixed: true,
      sex: "male",
      bornOn: "2020-05-31",
      bornIsEstimated: true,
      size: "large",
      goodWith: { children: "yes", cats: "no", dogs: "unknown" },
      specialNeeds: "no",
      tags: ["calm"],
      description: "A gentle giant.",
      arrivedOn: "2026-01-02",
      custom: { kennel: "B 12" },
    };
    await call("PATCH", `/pets/${id}/profile`, { body: profile });
    const page = await visit(t);
    await open(page, id);
    const part = (name: string) => page.getByRole("region", { name, exact: true });
    const line = page.locator(".animal-state");
    await line.getByText("about 6 years · Male · Labrador (mixed breed)").waitFor();
    assert.deepEqual(await part("Good to know").getByRole("listitem").allTextContents(), [
      "Large",
      "Good with children",
      "Good with dogs: unknown",
      "Not good with cats",
      "No special needs",
      "calm",
    ]);
    await part("Story").getByText("A gentle giant.").waitFor();
    await part("At the shelter").getByText("2 January 2026").waitFor();
    await part("At the shelter").getByText("B 12").waitFor();
    await page.getByText("There is no photo yet.").waitFor();
  });
});

testConsole("The sections of an animal's page are saved", async (t, scene) => {
  const { visit, call, listingOf, add, open } = openScene(scene);

  await t.test("saves what was changed in a section, and nothing else", async (t) => {
    const id = await add("Rex");
    await call("PATCH", `/pets/${id}/profile`, { body: { breeds: ["A, B"], tags: ["a, b"], sex: "male" } });
    const page = await visit(t);
    const sent: object[] = [];
    page.on("request", (request) => request.method() === "PATCH" && sent.push(request.postDataJSON()));
    await open(page, id);
    await page.getByRole("heading", { level: 1, name: "Rex" }).waitFor();
    await untilShown(() => page.title(), "Rex – Animal Store");

    const identity = await edit(page, "identity");
    await identity.getByLabel("Species").selectOption("Dog");
    await identity.getByLabel("Sex").selectOption("Not stated");
    await save(identity);
    const traits = await edit(page, "traits");
    await traits.getByRole("group", { name: "Good with dogs" }).getByLabel("No", { exact: true }).check();
    assert.equal(await traits.getByLabel("Tags").inputValue(), "a, b;");
    await traits.getByLabel("Tags").press("End");
    await traits.getByLabel("Tags").pressSequentially(" calm");
    await save(traits);
    const records = await edit(page, "records");
    await records.getByLabel("Adoption fee").fill("250,50");
    await records.getByRole("button", { name: "Save" }).click();
    await page.getByText("Enter the three letters of the currency").waitFor();
    assert.equal((await listingOf(id)).profile.fee, undefined);
    await records.getByLabel("Currency").fill("eur");
    await save(records);
    const story = await edit(page, "story");
    await story.getByLabel("Description").fill("Calm.\nLikes walks.");
    await save(story);
    assert.deepEqual(sent, [
      { species: "dog", sex: null },
      { goodWith: { dogs: "no" }, tags: ["a, b", "calm"] },
      { fee: { amount: 25_050, currency: "EUR" } },
      { description: "Calm.\nLikes walks." },
    ]);
    assert.deepEqual((await listingOf(id)).profile, {
      species: "dog",
      breeds: ["A, B"],
      goodWith: { dogs: "no" },
      description: "Calm.\nLikes walks.",
      fee: { amount: 25_050, currency: "EUR" },
      tags: ["a, b", "calm"],
    });
  });

  await t.test("saves the name, the category and the breed with one Save", async (t) => {
    const id = await add("Nala");
    await call("PUT", "/categories/2", { body: { name: "Cats" } });
    const page = await visit(t, { ownContext: { viewport: { width: 390, height: 640 } } });
    await open(page, id);
    const identity = await edit(page, "identity");
    await identity.getByLabel("Name", { exact: true }).fill("  ");
    await identity.getByRole("button", { name: "Save" }).click();
    await identity.getByText("Enter a name").waitFor();
    await identity.getByLabel("Name", { exact: true }).fill("Nala II");
    await identity.getByLabel("Breed", { exact: true }).fill("Siamese");
    await identity.getByLabel("Category", { exact: true }).selectOption("Cats");
    await save(identity);
    const heading = page.getByRole("heading", { level: 1, name: "Nala II" });
    const top = () => heading.evaluate((each) => each.getBoundingClientRect().top);
    assert.ok((await top()) >= 0, "in view, although the form was higher than the window");
    const { name, categoryId, profile } = await listingOf(id);
    assert.deepEqual([name, categoryId, profile], ["Nala II", 2, { breeds: ["Siamese"] }]);
  });
});

testConsole("The drafts of an animal's page", async (t, scene) => {
  const { visit, call, listingOf, add, open } = openScene(scene);

  await t.test("Cancel leaves the animal as it is, and Undo brings back what was typed", async (t) => {
    const id = await add("Fips");
    const page = await visit(t);
    await open(page, id);
    const story = await edit(page, "story");
    await untilShown(() => page.evaluate("document.activeElement.localName"), "textarea");
    await story.getByLabel("Description").fill("Typed with care.");
    await story.getByRole("button", { name: "Cancel" }).click();
    await untilShown(() => page.evaluate("document.activeElement.ariaLabel"), "Edit the story");
    // Meanwhile, a colleague has filled in something else in the same section.
    await call("PATCH", `/pets/${id}/profile`, { body: { videoUrl: "https://example.org/fips" } });
    await page.getByRole("link", { name: "Watch the video" }).waitFor();
    await notice(page, "The changes were not saved.").getByRole("button", { name: "Undo" }).click();
    await untilShown(() => story.getByLabel("Description").inputValue(), "Typed with care.");
    assert.equal(await story.getByLabel("Address of a video").inputValue(), "https://example.org/fips");
    await save(story);
    const expected = { description: "Typed with care.", videoUrl: "https://example.org/fips" };
    assert.deepEqual((await listingOf(id)).profile, expected);
    await edit(page, "story");
    await story.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Edit the story" }).waitFor();
    assert.equal(await notice(page, "The changes were not saved.").count(), 0, "nothing was typed");
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
    const traits = await edit(page, "traits");
    await traits.getByLabel("Tags").fill("shy");
    await traits.getByRole("button", { name: "Save" }).click();
    await page
      .getByText("someone else has changed this animal in the meantime")
      .or(page.getByText("Saved."))
      .waitFor();
    assert.equal(attempts, 2);
    assert.equal(await traits.getByLabel("Tags").inputValue(), "shy");
  });

  await t.test("keeps what is typed while it saves, and saves it next time", async (t) => {
    const id = await add("Nala");
    const page = await visit(t);
    await open(page, id);
    const traits = await edit(page, "traits");
    const identity = await edit(page, "identity");
    await identity.getByLabel("Breed", { exact: true }).fill("Poodle");
    await traits.getByLabel("Size").selectOption("Small");
    await traits.getByLabel("Tags").fill("shy");
    const release = await hold(page, `**/v1/pets/${id}/profile`);
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await traits.getByRole("button", { name: "Save" }).click();
    await sent;
    await traits.getByLabel("Tags").fill("shy, calm");
    await traits.getByLabel("Colours").fill("black");
    release();
    await traits.getByText("Saved.").waitFor();
    const fields = ["Tags", "Colours"].map((label) => traits.getByLabel(label, { exact: true }));
    assert.deepEqual(await Promise.all(fields.map((field) => field.inputValue())), ["shy, calm", "black"]);
    assert.equal(await identity.getByLabel("Breed", { exact: true }).inputValue(), "Poodle");
    assert.deepEqual((await listingOf(id)).profile, { size: "small", tags: ["shy"] });
    await save(traits);
    await save(identity);
    const expected = { breeds: ["Poodle"], size: "small", colors: ["black"], tags: ["shy", "calm"] };
    assert.deepEqual((await listingOf(id)).profile, expected);
  });
});

testConsole("The state and history of an animal in the console", async (t, scene) => {
  const { app, visit, call, listingOf, add, open } = openScene(scene);

  await t.test("shows a new status at once, takes it back, and still saves what was typed", async (t) => {
    const id = await add("Tilda");
    const page = await visit(t);
    await open(page, id);
    const traits = await edit(page, "traits");
    await traits.getByLabel("Tags").fill("calm");
    const status = page.getByRole("combobox", { name: "Status of Tilda" });
    const order = page.getByRole("button", { name: "Start an adoption" });
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
    await save(traits);
    const { status: stored, profile } = await listingOf(id);
    assert.deepEqual([stored, profile], ["pending", { tags: ["calm"] }]);
  });

  await t.test("asks before it is left with changes that were not saved", async (t) => {
    const id = await add("Momo");
    const page = await visit(t);
    await open(page, id);
    await edit(page, "traits");
    await edit(page, "story");
    await page.getByLabel("Tags").fill("x");
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    assert.equal(await page.getByLabel("Tags").inputValue(), "x");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Adoptions" }).waitFor();
    // So does the back button. Once it was allowed, later links have nothing to ask about.
    await open(page, id);
    await edit(page, "traits");
    await page.getByLabel("Tags").fill("y");
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.goBack();
    await untilShown(() => page.evaluate("location.hash"), `#animals/${id}`);
    assert.equal(await page.getByLabel("Tags").inputValue(), "y");
    page.once("dialog", (dialog) => void dialog.accept());
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
    await edit(page, "traits");
    await page.getByLabel("Tags").fill("mine");
    const records = page.getByRole("region", { name: "At the shelter" });
    await records.getByText("Category1").waitFor();
    await call("PUT", "/categories/1", { body: { name: "Dogs" } });
    await records.getByText("CategoryDogs").waitFor();
    await call("PATCH", `/pets/${id}/profile`, { body: { colors: ["white"], description: "New." } });
    await untilShown(() => page.getByLabel("Colours").inputValue(), "white");
    await page.getByRole("region", { name: "Story", exact: true }).getByText("New.").waitFor();
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
        "Front desk started adoption 1",
        "Front desk changed the status from “Available” to “Pending”",
        "Front desk changed the profile: Size, Good with cats",
        "Front desk changed the name from Flocke to Flöckchen",
        "The key of the operator added the animal",
      ],
    );
    await asStaff("PATCH", "/store/orders/1", { status: "approved" });
    await entries.filter({ hasText: "Front desk changed adoption 1 to “Approved”." }).waitFor();
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
    // Its page follows, and the first thing on it is the camera.
    const heading = page.getByRole("heading", { level: 1 }).filter({ hasText: LONG });
    const [name, camera] = await Promise.all(
      [heading, page.getByRole("button", { name: "Take a photo" })].map((each) => each.boundingBox()),
    );
    const end = (camera?.y ?? Infinity) + (camera?.height ?? 0);
    assert.ok(name && end < name.y && end < 0.6 * PHONE.viewport.height, `${end}`);
    await page.getByRole("link", { name: "Animals", exact: true }).tap();
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
    await page.getByRole("button", { name: /^Enlarge/ }).waitFor();
    await page.getByRole("button", { name: "Start an adoption" }).tap();
    await page.getByRole("button", { name: "Start the adoption" }).tap();
    await notice(page, /has started/).waitFor();
    await page
      .getByRole("listitem")
      .filter({ hasText: "Placed" })
      .and(page.locator("[aria-current]"))
      .waitFor();
    await keepScreenshot(page, "console-animal-phone-long");
    await page.getByRole("link", { name: "Adoptions", exact: true }).tap();
    // The row leads to the animal, whose page has the next step.
    await page.getByRole("row").filter({ hasText: LONG }).tap();
    await page.getByRole("button", { name: /^Approve adoption/ }).tap();
    await notice(page, "can be handed over").waitFor();
    // Two quick taps on the same place are a double click, which must not hand the animal over.
    await page.getByRole("heading", { name: "Adoption", exact: true }).tap();
    await page.getByRole("button", { name: /^Hand over adoption/ }).tap();
    await page.getByRole("button", { name: "Hand over the animal" }).tap();
    await notice(page, "has found a home").waitFor();
    assert.equal((await call("GET", "/listings?status=sold")).json[0].name, LONG);
    // There are at most three: with the long name, they leave 50 % of the page free.
    const notices = page.locator(".notice");
    const heights = await notices.evaluateAll((each) => each.map((card) => card.clientHeight));
    assert.ok(Math.max(...heights) < PHONE.viewport.height / 6, heights.join(", "));
    await assertNoSideways();
    await keepScreenshot(page, "console-notices-phone");
  });
});
