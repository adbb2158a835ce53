// The photos on the page of an animal: added, chosen, enlarged, described, put into order and deleted.

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import {
  type ConsoleScene,
  notice,
  refusal,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { assertAccessible, SIZES } from "../../harness/clients/looks.ts";

const strip = (page: Page): Locator => page.getByRole("radio", { name: /^Photo/ });
const large = (page: Page): Locator => page.getByRole("button", { name: /^Enlarge/ }).getByRole("img");

/** Chooses an action of the large photo. */
async function act(page: Page, action: string): Promise<void> {
  await page.getByRole("button", { name: /^Actions for photo/ }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

function openScene({ app, visit }: ConsoleScene) {
  const { url, call } = app;
  const photosOf = async (id: number) => (await call("GET", `/listings/${id}`)).json.photos;
  const idsOf = async (id: number) => (await photosOf(id)).map((photo: { id: number }) => photo.id);
  /** An animal with a photo of each colour, each as wide as it is high. */
  const add = async (name: string, colours: string[] = []): Promise<number> => {
    const { id } = (await call("POST", "/pets", { body: { name, categoryId: 1 } })).json;
    for (const colour of colours) {
      const body = await drawImage(colour, { width: 64, height: 64 });
      await call("POST", `/pets/${id}/photos?alt=${colour}`, {
        body,
        headers: { "content-type": "image/png" },
      });
    }
    return id;
  };
  const open = (page: Page, id: number) => page.goto(`${url}/#animals/${id}`);
  const file = async (name: string, colour: string) => ({
    name,
    mimeType: "image/png",
    buffer: await drawImage(colour, { width: 64, height: 48 }),
  });
  const choose = async (page: Page, files: Parameters<Page["setInputFiles"]>[1]) => {
    const opening = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: /^(Choose|Add) photos$/ }).click();
    await (await opening).setFiles(files);
  };
  return { ...app, visit, add, open, file, choose, photosOf, idsOf };
}

testConsole("Photos of an animal are added and described", async (t, scene) => {
  const { visit, add, open, file, choose, photosOf } = openScene(scene);

  await t.test("adds photos, and refuses other files in a list that axe accepts", async (t) => {
    const id = await add("Minka");
    const page = await visit(t, { expected: [400] });
    await open(page, id);
    await page.getByText("There is no photo yet.").waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    // At one time, because the header changes with the width.
    const areApart = await page.getByText("There is no photo yet.").evaluate((words) => {
      const drawing = document.querySelector(".frame .silhouette");
      return words.getBoundingClientRect().top >= Number(drawing?.getBoundingClientRect().bottom);
    });
    assert.ok(areApart, "the words are below the drawing");
    await page.setViewportSize(SIZES.desktop);
    await choose(page, [
      await file("a.png", "red"),
      { name: "notes.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF") },
      { name: "broken.png", mimeType: "image/png", buffer: Buffer.from("no image") },
      await file("b.png", "blue"),
    ]);
    await page.getByText("notes.pdf is not a JPEG, PNG or WebP image.").waitFor();
    await page.getByText("broken.png was not added.").waitFor();
    await untilShown(() => strip(page).count(), 2);
    assert.equal(await large(page).getAttribute("alt"), "Minka", "until someone describes it");
    await assertAccessible(page, "refused files");
    await choose(page, [await file("c.png", "green")]);
    await untilShown(() => strip(page).count(), 3);
    assert.equal(await page.getByText("notes.pdf").count(), 0);
  });

  await t.test("enlarges a photo, goes through all of them, and describes one", async (t) => {
    const id = await add("Rex", ["red", "blue"]);
    const page = await visit(t);
    await open(page, id);
    await page.getByRole("radio", { name: "Photo 2: blue" }).check();
    assert.equal(await large(page).getAttribute("alt"), "blue");
    await large(page).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Photo 2 of 2" }).waitFor();
    await assertAccessible(page, "enlarged photo");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await dialog.getByRole("heading", { name: "Photo 1 of 2" }).waitFor();
    await dialog.getByRole("button", { name: "Next photo" }).click();
    await dialog.getByRole("button", { name: "Change the description" }).click();
    const field = dialog.getByLabel("What the photo shows");
    await untilShown(() => field.evaluate((each) => each === document.activeElement), true);
    assert.equal(await field.inputValue(), "blue");
    await field.fill("Rex on a blue sofa");
    await field.press("ArrowLeft");
    await field.press("Enter");
    await dialog.getByText("Rex on a blue sofa").waitFor();
    await untilShown(() => page.evaluate("document.activeElement.textContent"), "Change the description");
    const altsOf = async () => (await photosOf(id)).map(({ alt }: { alt: string }) => alt);
    assert.deepEqual(await altsOf(), ["red", "Rex on a blue sofa"]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Enlarge: Rex on a blue sofa");

    await act(page, "Describe…");
    await dialog.getByLabel("What the photo shows").fill("");
    const hidden = await dialog.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    assert.equal(hidden, 0, "its buttons are in view");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await altsOf(), ["red", "Rex"], "its name stands for a missing description");
    await large(page).click();
    await dialog.getByText("Nobody has described this photo yet.").waitFor();
  });

  await t.test("a key that may only browse sees the photos, and changes nothing", async (t) => {
    const id = await add("Luna", ["red", "blue"]);
    const { key } = await scene.app.createKey({ access: "browse" });
    const page = await visit(t, { key });
    await open(page, id);
    await large(page).click();
    await page.getByRole("dialog").getByText("red").waitFor();
    assert.equal(await page.getByRole("button", { name: /describ/i }).count(), 0);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("button", { name: /^(Actions|Add photos|Edit)/ }).count(), 0);
    assert.equal(await page.locator("[draggable='true']").count(), 0);
  });
});

testConsole("The order of photos, and their deletion", async (t, scene) => {
  const { visit, add, open, idsOf } = openScene(scene);

  await t.test(
    "photos move by the menu, by keyboard and by dragging, and the page says where the photo is",
    async (t) => {
      const id = await add("Trio", ["red", "blue", "green"]);
      const [red, blue, green] = await idsOf(id);
      const page = await visit(t);
      await open(page, id);
      await page.getByRole("radio", { name: "Photo 3: green" }).check();
      await act(page, "Make it the cover");
      await untilShown(() => idsOf(id), [green, red, blue]);
      await notice(page, "It is photo 1 of 3 now.").waitFor();
      await act(page, "Move back");
      await untilShown(() => idsOf(id), [red, green, blue]);
      await page.getByRole("radio", { name: "Photo 2: green" }).focus();
      await page.keyboard.press("Shift+ArrowRight");
      await untilShown(() => idsOf(id), [red, blue, green]);
      await page.keyboard.press("Shift+ArrowRight");
      await untilShown(() => page.evaluate("document.activeElement.ariaLabel"), "Photo 3: green");
      await page.keyboard.press("ArrowLeft");
      await untilShown(() => large(page).getAttribute("alt"), "blue");
      await page.locator(".strip label").nth(0).dragTo(page.locator(".strip label").nth(2));
      await untilShown(() => idsOf(id), [blue, green, red]);
    },
  );

  await t.test("deletes a photo with undo, and one of a double click", async (t) => {
    const id = await add("Duo", ["red", "blue"]);
    const [red] = await idsOf(id);
    const page = await visit(t);
    await open(page, id);
    await act(page, "Delete");
    await untilShown(() => large(page).getAttribute("alt"), "blue");
    assert.equal((await idsOf(id)).length, 2);
    await page.getByRole("button", { name: "Undo" }).click();
    await untilShown(() => strip(page).count(), 2);
    await page.getByRole("radio", { name: "Photo 2: blue" }).check();
    await page.getByRole("button", { name: "Actions for photo 2" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).dblclick();
    await untilShown(() => large(page).getAttribute("alt"), "red");
    await page.getByRole("button", { name: "Delete now" }).click();
    await untilShown(() => idsOf(id), [red]);
  });

  await t.test("sends one order of the photos at a time, and the last one last", async (t) => {
    const id = await add("Trio", ["red", "blue", "green"]);
    const [red, blue, green] = await idsOf(id);
    const page = await visit(t);
    await open(page, id);
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
    await page.getByRole("radio", { name: "Photo 3: green" }).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await ordered;
    await page.keyboard.press("Shift+ArrowLeft");
    held.resolve();
    await untilShown(() => idsOf(id), [green, red, blue]);
    assert.deepEqual(together, [1, 1]);
  });

  await t.test("moves a photo while the deletion of another can be undone", async (t) => {
    const id = await add("Quartet", ["red", "blue", "green"]);
    const [red, blue, green] = await idsOf(id);
    const page = await visit(t, { expected: [400] });
    await open(page, id);
    await act(page, "Delete");
    await untilShown(() => strip(page).count(), 2);
    await page.getByRole("radio", { name: "Photo 2: green" }).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await untilShown(() => idsOf(id), [green, blue, red]);
    assert.equal(await page.locator(".notice.bad").count(), 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await untilShown(() => strip(page).count(), 3);
    // An order that the service refuses is not shown any longer.
    await page.route(`**/v1/pets/${id}/photos`, (route) =>
      route.fulfill(refusal(400, "invalid_body", "Not now.")),
    );
    await page.getByRole("radio", { name: "Photo 2: blue" }).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await page.locator(".notice.bad").getByText("Not now.").waitFor();
    await page.getByRole("radio", { name: "Photo 2: blue" }).waitFor();
    assert.deepEqual(await idsOf(id), [green, blue, red]);
  });
});
