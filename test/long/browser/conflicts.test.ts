// Two people change the same animal at once: nobody's text is overwritten unseen.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page, Request, Route } from "playwright-core";
import { type ConsoleScene, hold, notice, testConsole, untilShown } from "../../harness/clients/console.ts";
import { checkLooks, SIZES } from "../../harness/clients/looks.ts";

const MINE = "Likes long walks, and sleeps through the night.";
const THEIRS = "Needs a garden. Barks at bicycles.";

/** The buttons that open the sections of an animal's page. */
const EDIT = {
  identity: "Edit name, breed and age",
  traits: "Edit what is good to know",
  story: "Edit the story",
  records: "Edit the records",
};
type Section = keyof typeof EDIT;

const description = (page: Page) => page.getByLabel("Description", { exact: true });
const save = (page: Page) => page.getByRole("button", { name: "Save" });
const saved = (page: Page) => page.getByText("Saved.", { exact: true });
const conflict = (page: Page, field: string) =>
  page.getByRole("group", { name: `${field}: someone else has changed it too` });
const choose = (page: Page, field: string, choice: string) =>
  conflict(page, field).getByLabel(choice, { exact: true }).check();

async function edit(page: Page, ...sections: Section[]): Promise<void> {
  for (const section of sections) await page.getByRole("button", { name: EDIT[section] }).click();
}

/** The changes that the page sends from now on. */
function collectChanges(page: Page): Request[] {
  const changes: Request[] = [];
  page.on("request", (request) => request.method() === "PATCH" && changes.push(request));
  return changes;
}

async function openScene({ app, visit }: ConsoleScene) {
  const { adminKey: key, call } = app;
  const colleague = await app.createKey({ name: "Colleague", access: "manage" });
  for (const [id, name] of ["Dogs", "Cats"].entries())
    await call("PUT", `/categories/${id + 1}`, { body: { name } });
  const asColleague = (path: string, body: object) => call("PATCH", path, { key: colleague.key, body });
  const listingOf = async (id: number) => (await call("GET", `/listings/${id}`)).json;
  const add = async (name: string, profile: object = { description: "Old text." }) => {
    const { id } = (await call("POST", "/pets", { body: { name, categoryId: 1 } })).json;
    await call("PATCH", `/pets/${id}/profile`, { body: profile });
    return id as number;
  };
  const open = async (t: TestContext, id: number, sections: Section[], options = {}) => {
    const page = await visit(t, { at: `animals/${id}`, key, ...options });
    await edit(page, ...sections);
    return page;
  };
  return { ...app, visit, colleague, asColleague, listingOf, add, open };
}

testConsole("Two people who change one text in the console", async (t, scene) => {
  const { colleague, listingOf, add, open } = await openScene(scene);

  await t.test("two people write a description: both see both texts, and one chooses", async (t) => {
    const id = await add("Rex");
    const ann = await open(t, id, ["story"]);
    const bob = await open(t, id, ["story"], { key: colleague.key, ownContext: {} });
    const changes = collectChanges(ann);
    await description(ann).fill(MINE);
    await description(bob).fill(THEIRS);
    await save(bob).click();
    await saved(bob).waitFor();

    await t.test("a conflict is shown at the field, and named above the button, before a save", async () => {
      await conflict(ann, "Description").getByText(MINE).waitFor();
      await conflict(ann, "Description").getByText(THEIRS).waitFor();
      const named = notice(ann, "Someone else has also changed: Description.");
      const [field, box, name, button] = await Promise.all(
        [description(ann), conflict(ann, "Description"), named, save(ann)].map(async (part) => {
          const { y = 0, height = 0 } = (await part.boundingBox()) ?? {};
          return { top: y, end: y + height };
        }),
      );
      assert.ok(field && box && name && button);
      assert.ok(box.top > field.end && box.top - field.end < 60, "right below the field");
      assert.ok(button.top > name.end && button.top - name.end < 60, "right above the button");
      assert.equal(await description(ann).inputValue(), MINE);
    });

    await t.test("the first Save asks, sends nothing, and leads to the choice", async () => {
      await save(ann).click();
      await ann.getByRole("alert").filter({ hasText: "Choose what to keep, then save again." }).waitFor();
      await untilShown(() => ann.evaluate("document.activeElement.value"), "mine");
      assert.equal(changes.length, 0);
      assert.equal((await listingOf(id)).profile.description, THEIRS);
    });

    await t.test("a choice can be changed until it is saved, also by keyboard", async () => {
      await choose(ann, "Description", "Take theirs");
      assert.equal(await description(ann).inputValue(), THEIRS);
      await choose(ann, "Description", "Keep mine");
      assert.equal(await description(ann).inputValue(), MINE);
      await ann.keyboard.press("ArrowRight");
      await ann.keyboard.press("ArrowRight");
      assert.equal(await description(ann).inputValue(), `${MINE}\n\n${THEIRS}`);
      await description(ann).press("End");
      await description(ann).pressSequentially(" Both.");
    });

    await t.test("the chosen value is saved with If-Match", async () => {
      await save(ann).click();
      await saved(ann).waitFor();
      assert.equal((await listingOf(id)).profile.description, `${MINE}\n\n${THEIRS} Both.`);
      assert.deepEqual(
        changes.map((request) => request.headers()["if-match"] !== undefined),
        [true],
      );
      assert.equal(await conflict(ann, "Description").count(), 0);
    });

    await t.test("the history has the old and the new texts", async (t) => {
      const entries = bob.getByRole("region", { name: "History" }).getByRole("listitem");
      const newest = entries.filter({ hasText: "changed the profile: Description" });
      await untilShown(() => newest.count(), 3);
      await untilShown(
        async () => (await newest.first().locator("dd").allTextContents()).map((text) => text.trim()),
        [`Before: ${THEIRS}`, `After: ${MINE}\n\n${THEIRS} Both.`],
      );
      await newest.first().scrollIntoViewIfNeeded();
      await checkLooks(t, bob, "History-values");
    });
  });
});

testConsole("Changes of several members in the console", async (t, scene) => {
  const { visit, url, asColleague, listingOf, add, open } = await openScene(scene);

  await t.test("a change that the page has not seen is found by the 412, and shown", async (t) => {
    const id = await add("Luna", {});
    const page = await visit(t, { expected: [412] });
    const release = await hold(page, `**/v1/listings/${id}`, 1);
    await page.goto(`${url}/#animals/${id}`);
    await edit(page, "traits");
    await page.getByLabel("Size").selectOption("Small");
    await page.getByLabel("Tags").fill("shy");
    const refused = page.waitForResponse((response) => response.status() === 412);
    await asColleague(`/pets/${id}/profile`, { tags: ["brave"], colors: ["black"] });
    await save(page).click();
    await refused;
    release();
    await page.getByRole("alert").filter({ hasText: "someone else has changed this animal" }).waitFor();
    await conflict(page, "Tags").waitFor();
    await notice(page, "Someone else has changed: Colours. The form shows their entry.").waitFor();
    assert.equal(await page.getByLabel("Colours").inputValue(), "black");
    assert.deepEqual((await listingOf(id)).profile, { tags: ["brave"], colors: ["black"] });
    await choose(page, "Tags", "Both");
    assert.equal(await page.getByLabel("Tags").inputValue(), "shy, brave");
    await save(page).click();
    await saved(page).waitFor();
    const expected = { size: "small", colors: ["black"], tags: ["shy", "brave"] };
    assert.deepEqual((await listingOf(id)).profile, expected);
  });

  await t.test("changes of other members, and equal ones, are taken over without a question", async (t) => {
    const id = await add("Momo", { fee: { amount: 20_000, currency: "EUR" } });
    const page = await visit(t, { expected: [412] });
    const release = await hold(page, `**/v1/listings/${id}`, 1);
    await page.goto(`${url}/#animals/${id}`);
    await edit(page, "identity");
    await page.getByLabel("Breed", { exact: true }).fill("Poodle,Beagle");
    await page.getByLabel("Species").selectOption("Dog");
    await asColleague(`/pets/${id}/profile`, { breeds: ["Poodle", "Beagle"], sex: "female", size: "small" });
    const refused = page.waitForResponse((response) => response.status() === 412);
    await save(page).click();
    await refused;
    release();
    await saved(page).waitFor();
    await page.locator(".animal-state").getByText("Female · Poodle / Beagle").waitFor();
    const { fee, ...profile } = (await listingOf(id)).profile;
    const expected = { species: "dog", breeds: ["Poodle", "Beagle"], sex: "female", size: "small" };
    assert.deepEqual(profile, expected);
    assert.deepEqual(fee, { amount: 20_000, currency: "EUR" });
  });

  await t.test("amount and currency of the fee are one entry: they are never mixed", async (t) => {
    const id = await add("Fee", { fee: { amount: 20_000, currency: "EUR" } });
    const page = await open(t, id, ["records"]);
    await page.getByLabel("Adoption fee").fill("250");
    await asColleague(`/pets/${id}/profile`, { fee: { amount: 20_000, currency: "CHF" } });
    await conflict(page, "Adoption fee").getByText("250 EUR").waitFor();
    await conflict(page, "Adoption fee").getByText("200.00 CHF").waitFor();
    assert.equal(await conflict(page, "Adoption fee").getByLabel("Both").count(), 0);
    await choose(page, "Adoption fee", "Keep mine");
    await save(page).click();
    await saved(page).waitFor();
    assert.deepEqual((await listingOf(id)).profile.fee, { amount: 25_000, currency: "EUR" });
  });

  await t.test("a newer text of the colleague asks again, and taking it saves nothing else", async (t) => {
    const id = await add("Nala");
    const page = await open(t, id, ["story"]);
    const changes = collectChanges(page);
    await description(page).fill(MINE);
    await asColleague(`/pets/${id}/profile`, { description: "Their first text." });
    await conflict(page, "Description").waitFor();
    await choose(page, "Description", "Keep mine");
    await asColleague(`/pets/${id}/profile`, { description: THEIRS });
    await conflict(page, "Description").getByText(THEIRS).waitFor();
    await save(page).click();
    await page.getByRole("alert").filter({ hasText: "Choose what to keep" }).waitFor();
    await choose(page, "Description", "Take theirs");
    await save(page).click();
    await page.getByRole("button", { name: EDIT.story }).waitFor();
    assert.equal(await saved(page).count(), 0);
    assert.equal(changes.length, 0);
    assert.equal((await listingOf(id)).profile.description, THEIRS);
  });
});

testConsole("Conflicts of names in the console", async (t, scene) => {
  const { visit, asColleague, listingOf, add } = await openScene(scene);

  await t.test("name and category: what the other has changed stays, or is asked about", async (t) => {
    const id = await add("Bruno");
    const page = await visit(t, { expected: [412], at: `animals/${id}` });
    const changes = collectChanges(page);
    const name = page.getByLabel("Name", { exact: true });
    await edit(page, "identity");
    await name.fill("Bruno von Ann");
    await asColleague(`/pets/${id}`, { categoryId: 2 });
    await untilShown(() => page.getByLabel("Category", { exact: true }).inputValue(), "2");
    await save(page).click();
    await page.getByRole("heading", { level: 1, name: "Bruno von Ann" }).waitFor();
    const stored = await listingOf(id);
    assert.deepEqual([stored.name, stored.categoryId], ["Bruno von Ann", 2]);
    assert.deepEqual(
      changes.map((request) => [request.postDataJSON(), request.headers()["if-match"] !== undefined]),
      [[{ name: "Bruno von Ann" }, true]],
    );

    await edit(page, "identity");
    await name.fill("Bruno II");
    // The colleague is faster by a moment: before the change arrives.
    const overtake = async (route: Route) => {
      await asColleague(`/pets/${id}`, { name: "Bruno of Bob" });
      await route.continue();
    };
    await page.route(`**/v1/pets/${id}`, overtake, { times: 1 });
    await save(page).click();
    await page.getByRole("alert").filter({ hasText: "someone else has changed this animal" }).waitFor();
    const asked = conflict(page, "Name");
    await asked.getByText("Bruno of Bob").waitFor();
    await asked.getByText("Bruno II", { exact: true }).waitFor();
    assert.equal((await listingOf(id)).name, "Bruno of Bob");
    await save(page).click();
    await page.getByRole("alert").filter({ hasText: "Choose what to keep" }).waitFor();
    await checkLooks(t, page, "Conflict-name");
    await choose(page, "Name", "Keep mine");
    await save(page).click();
    await page.getByRole("heading", { level: 1, name: "Bruno II" }).waitFor();
    assert.equal((await listingOf(id)).name, "Bruno II");
  });

  await t.test("a section of two operations saves both, also when a colleague comes between", async (t) => {
    const id = await add("Lotte", {});
    const page = await visit(t, { expected: [412], at: `animals/${id}` });
    await edit(page, "identity");
    await page.getByLabel("Name", { exact: true }).fill("Lotte II");
    await page.getByLabel("Breed", { exact: true }).fill("Poodle");
    const overtake = async (route: Route) => {
      await asColleague(`/pets/${id}/profile`, { sex: "female" });
      await route.continue();
    };
    await page.route(`**/v1/pets/${id}/profile`, overtake, { times: 1 });
    await save(page).click();
    await saved(page).waitFor();
    const { name, profile } = await listingOf(id);
    assert.deepEqual([name, profile], ["Lotte II", { breeds: ["Poodle"], sex: "female" }]);
  });
});

testConsole("Conflicts of statuses in the console", async (t, scene) => {
  const { visit, url, asColleague, listingOf, add } = await openScene(scene);

  await t.test("asks about a status that others have changed, in the list and on the page", async (t) => {
    const id = await add("Tilda");
    const page = await visit(t);
    const changes = collectChanges(page);
    const status = page.getByRole("combobox", { name: "Status of Tilda" });
    const question = page.getByRole("dialog", { name: "Someone else has changed the status of Tilda" });
    await status.waitFor();
    // The list must not show the change before the choice is made.
    await status.focus();
    await page.keyboard.press("ArrowDown");
    await asColleague(`/pets/${id}`, { status: "sold" });
    await page.keyboard.press("Enter");
    await question.getByText("They have set “Adopted”, you have chosen “Pending”.").waitFor();
    assert.equal(changes.length, 0);
    await question.getByRole("button", { name: "Take theirs: Adopted" }).click();
    assert.equal(await status.inputValue(), "sold");
    assert.equal((await listingOf(id)).status, "sold");
    await page.goto(`${url}/#animals/${id}`);
    const release = await hold(page, "**/v1/events**");
    await page.reload();
    await status.waitFor();
    await asColleague(`/pets/${id}`, { status: "available" });
    await asColleague(`/pets/${id}`, { status: "pending" });
    await status.selectOption("Available");
    await question.getByRole("button", { name: "Keep mine: Available" }).click();
    await notice(page, "Tilda is available.").waitFor();
    release();
    assert.equal((await listingOf(id)).status, "available");
  });

  await t.test("a change whose answer is lost is made once, and no conflict with oneself", async (t) => {
    const id = await add("Frieda");
    const page = await visit(t, { isCut: true });
    const changes = collectChanges(page);
    const loseAnswer = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await page.route(`**/v1/pets/${id}`, loseAnswer, { times: 1 });
    await page.getByRole("combobox", { name: "Status of Frieda" }).selectOption("Pending");
    await notice(page, "Frieda is pending.").waitFor();
    await page.route(`**/v1/pets/${id}`, (route) => route.abort(), { times: 1 });
    await page.getByRole("combobox", { name: "Status of Frieda" }).selectOption("Adopted");
    await notice(page, "Frieda is adopted.").waitFor();
    assert.equal(changes.length, 3, "one was made before its answer was lost, one had to be sent again");
    assert.equal((await listingOf(id)).status, "sold");
  });
});

testConsole("Conflicts of many animals and long texts in the console", async (t, scene) => {
  const { visit, call, colleague, asColleague, listingOf, add, open } = await openScene(scene);

  await t.test("a change of many leaves out those that someone else has changed", async (t) => {
    const ids = [await add("Guppy 1"), await add("Guppy 2")];
    const page = await visit(t);
    for (const name of ["Guppy 1", "Guppy 2"]) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole("button", { name: "Change category" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Category", { exact: true }).selectOption("Another number…");
    await dialog.getByLabel("Category number").fill("7");
    await asColleague(`/pets/${ids[0]}`, { categoryId: 2 });
    await dialog.getByRole("button", { name: "Change 2 animals" }).click();
    await dialog.getByText("Someone else has changed it in the meantime.").waitFor();
    const categories = await Promise.all(ids.map(async (id) => (await listingOf(id)).categoryId));
    assert.deepEqual(categories, [2, 7]);
    await dialog.locator("footer").getByRole("button", { name: "Close" }).click();
    await asColleague(`/pets/${ids[1]}`, { categoryId: 2 });
    await notice(page, "1 animal moved to another category.").getByRole("button", { name: "Undo" }).click();
    await notice(page, "Not all could be changed back:").waitFor();
    assert.equal((await listingOf(ids[1] as number)).categoryId, 2);
  });

  await t.test("text typed into an animal that someone deletes stays, and can be copied", async (t) => {
    const id = await add("Hoppel");
    const options = { expected: [404], ownContext: { permissions: ["clipboard-write"] } };
    const page = await open(t, id, ["identity", "story"], options);
    await description(page).fill(MINE);
    await page.getByLabel("Species").selectOption("Rabbit");
    await call("DELETE", `/pets/${id}`, { key: colleague.key });
    await page.getByRole("heading", { level: 1, name: "Hoppel was deleted" }).waitFor();
    await page.getByRole("alert").filter({ hasText: "your changes could not be saved" }).waitFor();
    await page.getByText(MINE).waitFor();
    await page.getByText("Rabbit").waitFor();
    assert.equal(await page.evaluate("document.activeElement.localName"), "h1");
    await checkLooks(t, page, "Deleted-animal");
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    await page.getByText(MINE).waitFor();
    await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    await page.getByRole("button", { name: "Copy the text" }).click();
    await notice(page, "Copied.").waitFor();
    assert.equal(await page.evaluate("window.copied"), `Species: Rabbit\nDescription: ${MINE}`);
    await page.getByRole("link", { name: "← All animals" }).click();
    await page.getByRole("heading", { level: 1, name: "Animals" }).waitFor();
  });

  await t.test("a conflict fits and moves nothing that someone types into, in both languages", async (t) => {
    const id = await add("Shift", { description: "Old. ".repeat(90), tags: ["old"] });
    const page = await open(t, id, ["identity", "traits", "story"]);
    await page.setViewportSize(SIZES.phone);
    await page.getByLabel("Breed", { exact: true }).fill("Poodle");
    await page.getByLabel("Tags").fill("mine");
    await description(page).fill(`${"Old. ".repeat(90)}And mine.`);
    const video = page.getByLabel("Address of a video");
    await video.fill("https://example.org/");
    const before = await video.boundingBox();
    const theirs = { description: `${"Old. ".repeat(90)}${"And theirs. ".repeat(40)}`, breeds: ["Beagle"] };
    await asColleague(`/pets/${id}/profile`, theirs);
    await untilShown(() => page.locator(".conflict").count(), 2);
    const after = await video.boundingBox();
    assert.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 0)) < 1, "the field stays in its place");
    assert.equal(await video.evaluate((each) => each === document.activeElement), true);

    await t.test("a long text is shortened to what differs, and can be shown whole", async () => {
      const box = conflict(page, "Description");
      assert.match(
        (await box.locator("dd").last().textContent()) ?? "",
        /^… ?Old\. .*And theirs\. .*…Show all$/,
      );
      await box.getByRole("button", { name: "Show all" }).last().click();
      await box.getByRole("button", { name: "Show less" }).waitFor();
      assert.equal(await box.locator(".long-text").last().textContent(), theirs.description);
    });
    for (const section of ["identity", "story"]) {
      await page.locator(`section.${section}`).getByRole("button", { name: "Save" }).click();
      const alert = page.locator(`section.${section}`).getByRole("alert");
      await alert.filter({ hasText: "Choose what to keep" }).waitFor();
    }
    await checkLooks(t, page, "Conflict");
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.locator(".conflict").last().getByText("Andere übernehmen").waitFor();
    await checkLooks(t, page, "Conflict-de");
    await page.getByRole("button", { name: "English" }).click();
  });
});
