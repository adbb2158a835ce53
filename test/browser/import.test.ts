// Import of CSV files in the console, with a dry run and errors by line, and export of the current list.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Page, Route } from "playwright-core";
import { button, keepScreenshot, testConsole, untilShown } from "../harness/clients/console.ts";
import { makeFolder } from "../harness/runner/folder.ts";

const dialog = (page: Page) => page.getByRole("dialog", { name: "Import animals" });
const items = (page: Page) => dialog(page).getByRole("listitem").allInnerTexts();

/** As a spreadsheet in Germany writes it. */
const GERMAN = Buffer.from(
  [
    "\uFEFFName;categoryName;status;externalId;species;breeds;bornOn;goodWith.cats",
    'Bär;Dogs;pending;N-1;dog;"Labrador; Beagle";2024-02-03;no',
    '"Zoe ""die Große""";dogs;;N-2;;;2024-02-30;',
    ";Dogs;;N-3;;;;",
    "Rex neu;Dogs;;A-1;dog;;;yes",
    "Luna;Cats;available;A-2;cat;;;",
    "Nandu;Emus;;N-4;bird;;;",
    "Doppelt;Dogs;;N-1;;;;",
    "Leo;Cats;adopted;N-5;lion;;;maybe",
    "",
  ].join("\r\n"),
);

/** The text in UTF-8, with a byte that is no character for each question mark. */
function damage(text: string): Buffer {
  return Buffer.from(Buffer.from(text).map((byte) => (byte === 0x3f ? 0xff : byte)));
}

async function choose(page: Page, buffer: Buffer, name = "animals.csv"): Promise<void> {
  await dialog(page).getByLabel("CSV file").setInputFiles({ name, mimeType: "text/csv", buffer });
}

async function save(t: TestContext, page: Page): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export").click()]);
  assert.match(download.suggestedFilename(), /^animals-\d{4}-\d\d-\d\d\.csv$/);
  const file = join(makeFolder(t), "animals.csv");
  await download.saveAs(file);
  return readFileSync(file, "utf8");
}

testConsole("Files of animals in the console", async (t, { app, visit }) => {
  const { call, createKey } = app;
  for (const [id, name] of ["Dogs", "Cats"].entries())
    await call("PUT", `/categories/${id + 1}`, { body: { name } });
  for (const [name, categoryId, externalId, species] of [
    ["Rex", 1, "A-1", "dog"],
    ["Luna", 2, "A-2", "cat"],
  ]) {
    const { id } = (await call("POST", "/pets", { body: { name, categoryId } })).json;
    await call("PATCH", `/pets/${id}/profile`, { body: { externalId, species } });
  }
  const listings = async (): Promise<Array<Record<string, unknown>>> =>
    (await call("GET", "/listings?status=any&sort=oldest&limit=100")).json;

  await t.test("shows what a file would do, with errors by line, and then does it", async (t) => {
    const page = await visit(t);
    const changes: string[] = [];
    page.on("request", (request) => request.method() !== "GET" && changes.push(request.url()));
    await button(page, "Import").click();
    await choose(page, GERMAN);
    await untilShown(
      () => items(page),
      ["add: 2", "change: 1", "leave as they are: 1", "leave out because of errors: 4"],
    );
    const lines = await dialog(page).getByRole("table").getByRole("row").allInnerTexts();
    assert.deepEqual(lines.slice(1), [
      "3\tbornOn: must be a date such as 2030-01-31",
      "4\tname: enter a name",
      "8\texternalId: the same as on line 2",
      "9\tstatus: must be one of available, pending, sold; species: must be one of dog, cat, rabbit, bird, horse, reptile, small_animal, farm_animal, other; goodWith.cats: must be one of yes, no, unknown",
    ]);
    await keepScreenshot(page, "console-import");
    await page.setViewportSize({ width: 390, height: 844 });
    const heading = dialog(page).getByRole("columnheader", { name: "Line" });
    const lineHeight = await heading.evaluate((each) => Number.parseFloat(getComputedStyle(each).lineHeight));
    assert.ok(
      (await heading.evaluate((each) => each.clientHeight)) < 2 * lineHeight,
      "the word is not broken",
    );
    await page.setViewportSize({ width: 1280, height: 720 });
    await dialog(page).getByLabel("Create the missing categories: Emus").uncheck();
    await dialog(page).getByText("there is no category “Emus”").waitFor();
    await dialog(page).getByLabel("Create the missing categories: Emus").check();
    assert.deepEqual(changes, [], "nothing is changed before it is confirmed");
    await button(page, "Import the other 3").click();
    await dialog(page).getByText("Done. Added: 2. Changed: 1.").waitFor();
    await dialog(page).locator("footer").getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Bär" }).waitFor();
    const found = (await listings()).map(({ name, categoryName, status, profile }) => [
      name,
      categoryName,
      status,
      profile,
    ]);
    assert.deepEqual(
      new Map(found.map((each) => [each[0], each])),
      new Map([
        [
          "Rex neu",
          ["Rex neu", "Dogs", "available", { species: "dog", goodWith: { cats: "yes" }, externalId: "A-1" }],
        ],
        ["Luna", ["Luna", "Cats", "available", { species: "cat", externalId: "A-2" }]],
        [
          "Bär",
          [
            "Bär",
            "Dogs",
            "pending",
            {
              species: "dog",
              breeds: ["Labrador", "Beagle"],
              bornOn: "2024-02-03",
              goodWith: { cats: "no" },
              externalId: "N-1",
            },
          ],
        ],
        ["Nandu", ["Nandu", "Emus", "available", { species: "bird", externalId: "N-4" }]],
      ] as never),
    );
  });

  await t.test("reads a file that was dropped on the page, and says why it cannot be read", async (t) => {
    const page = await visit(t);
    await page.getByRole("link", { name: "Bär" }).waitFor();
    const drop = (text: string) =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([${JSON.stringify(text)}], "dropped.csv"));
        for (const type of ["dragover", "drop"])
          document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }`);
    await drop("name,status\nRex,available\n");
    await dialog(page).getByText("The first line has no column “categoryName”.").waitFor();
    for (const [text, reason] of [
      ["", "The file is empty"],
      ['name,categoryName\n"Rex,Dogs\n', "The row on line 2 does not end"],
      [damage("n?me,categoryName\nBär,Dogs\n"), "The first line has damaged characters."],
      ["name,Name,categoryName\n", "The first line has the column “name” more than once."],
      [`name,categoryName\n${"Rex,Dogs\n".repeat(10_001)}`, "Ask the operator to import it with the command"],
    ] as const) {
      await choose(page, Buffer.from(text));
      await dialog(page).getByText(reason).waitFor();
    }
    await choose(page, Buffer.from("name,categoryName\nRex,Dogs\n"), "other.csv");
    await dialog(page).getByText("other.csv").waitFor();
    await dialog(page).getByText("Rows without an externalId are added as new animals").waitFor();
    await button(page, "Choose another file").click();
    await choose(page, damage("name,categoryName\nB?r,Dogs\nBär,Dogs\n"));
    await untilShown(() => items(page), ["add: 1", "change: 0", "leave out because of errors: 1"]);
    await dialog(page).getByText("the row has damaged characters").waitFor();
    await button(page, "Choose another file").click();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
  });

  await t.test("finds few known animals of a large store without reading all of it", async (t) => {
    const { id } = (await call("POST", "/pets", { body: { name: "Oldest", categoryId: 3 } })).json;
    await call("PATCH", `/pets/${id}/profile`, { body: { externalId: "Ölf 2026/7" } });
    const many = Array.from({ length: 110 }, () => ({ body: { name: "Guppy", categoryId: 3 } }));
    const guppies = await Promise.all(many.map((guppy) => call("POST", "/pets", guppy)));
    const page = await visit(t);
    await button(page, "Import").click();
    const pages: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith("/v1/listings")) pages.push(searchParams.get("q") ?? "all");
    });
    await choose(page, Buffer.from("name,externalId\nOlf,Ölf 2026/7\n"));
    await untilShown(() => items(page), ["add: 0", "change: 1"]);
    assert.deepEqual(pages, ["Ölf 2026/7"]);
    await button(page, "Choose another file").click();
    // A search would look for "7" in names only.
    await choose(page, Buffer.from("name,categoryId,externalId\nOlf,3,Ölf 7\n"));
    await untilShown(() => items(page), ["add: 1", "change: 0"]);
    assert.deepEqual(pages, ["Ölf 2026/7", "all", "all"]);
    for (const { json } of guppies) await call("DELETE", `/pets/${json.id}`);
    await call("DELETE", `/pets/${id}`);
  });

  await t.test("waits for a limit, can be stopped, and says what was done", async (t) => {
    const { key: small } = await createKey({ plan: "enterprise", perMinute: 20, perDay: 1_000 });
    const page = await visit(t, { key: small, expected: [429] });
    await button(page, "Import").click();
    await choose(page, Buffer.from(`name,categoryId\n${"Guppy,3\n".repeat(30)}`));
    await dialog(page).getByText("This needs about 30 requests.").waitFor();
    await button(page, "Import 30").click();
    await dialog(page).getByText("The limit of this key is reached.").waitFor();
    await dialog(page).getByRole("button", { name: "Stop", exact: true }).click();
    await dialog(page).getByText("rows were not imported").waitFor();
    const added = (await listings()).filter(({ name }) => name === "Guppy").length;
    assert.ok(added > 0 && added < 30, `${added} of 30`);
    await dialog(page).getByText(`Done. Added: ${added}. Changed: 0.`).waitFor();
    await dialog(page)
      .getByText(`Stopped: ${30 - added} rows`)
      .waitFor();
    for (const { id, name } of await listings()) if (name === "Guppy") await call("DELETE", `/pets/${id}`);
  });

  await t.test("leaves no half animal where the profile is refused, or says which one is left", async (t) => {
    const page = await visit(t, { expected: [409, 500] });
    const refuse = (status: number, code: string) => (route: Route) =>
      route.fulfill({ status, json: { code, message: "No.", status } });
    const importOne = async (name: string) => {
      await button(page, "Import").click();
      await choose(page, Buffer.from(`name,categoryId,externalId\n${name},3,H-1\n`));
      await button(page, "Import 1").click();
      await dialog(page).getByText("Not imported: 1").waitFor();
    };
    const close = () => dialog(page).locator("footer").getByRole("button", { name: "Close" }).click();
    const idsOf = async (name: string) =>
      (await listings()).filter((pet) => pet.name === name).map(({ id }) => id);
    // Someone else has taken the number since the file was compared with the store.
    await page.route("**/v1/pets/*/profile", refuse(409, "external_id_taken"));
    await importOne("Half");
    await dialog(page).getByText("Another animal already has this number.").waitFor();
    assert.deepEqual(await idsOf("Half"), []);
    await close();
    await page.route(/\/v1\/pets\/\d+$/, refuse(500, "internal_error"));
    await importOne("Left");
    const [left] = await idsOf("Left");
    await dialog(page).getByText(`Animal no. ${left} was added without its profile.`).waitFor();
    await close();
    await page.unrouteAll();
    await call("DELETE", `/pets/${left}`);
  });

  await t.test("exports what the list shows, without formulas, and reads it again", async (t) => {
    await call("POST", "/pets", { body: { name: '=HYPERLINK("x")', categoryId: 2 } });
    await call("PATCH", "/pets/2/profile", { body: { description: 'Line 1\nLine 2; "quoted"' } });
    const page = await visit(t);
    await page.getByRole("link", { name: "=HYPERLINK" }).waitFor();
    const all = await save(t, page);
    await page.getByRole("status").filter({ hasText: "5 animals were exported." }).waitFor();
    assert.ok(all.startsWith("\uFEFFid,name,categoryId,categoryName,status,externalId,species,breeds,"));
    assert.ok(all.includes(`"'=HYPERLINK(""x"")"`), "a spreadsheet runs no formula");
    await page.getByLabel("Filter by category").selectOption("Cats");
    await page.getByRole("status").filter({ hasText: "2 animals found" }).waitFor();
    const cats = await save(t, page);
    assert.deepEqual(cats.match(/^\d+,/gm)?.length, 2);
    const before = await listings();
    await button(page, "Import").click();
    await choose(page, Buffer.from(all));
    // The animal without an externalId is the only new one.
    await untilShown(() => items(page), ["add: 1", "change: 0", "leave as they are: 4"]);
    await button(page, "Import 1").click();
    await dialog(page).getByText("Done. Added: 1.").waitFor();
    const after = await listings();
    assert.deepEqual(after.slice(0, -1), before);
    assert.equal(after.at(-1)?.name, '=HYPERLINK("x")');
  });

  await t.test("gives new categories numbers that no animal and no row of the file has", async (t) => {
    for (const categoryId of [4, 8, 9])
      await call("POST", "/pets", { body: { name: "Nameless", categoryId } });
    const page = await visit(t);
    await button(page, "Import").click();
    const rows = ["Pip,,6,", "Nandu,Rheas,,", "Ozzy,Ostriches,,", "Faulty,,7,unknown"];
    await choose(page, Buffer.from(["name,categoryName,categoryId,status", ...rows].join("\n")));
    await dialog(page).getByLabel("Create the missing categories: Rheas, Ostriches").waitFor();
    await button(page, "Import the other 3").click();
    await dialog(page).getByText("Done. Added: 3.").waitFor();
    const found = (await listings()).slice(-6).map(({ name, categoryName }) => [name, categoryName]);
    assert.deepEqual(found.sort(), [
      ...Array(3).fill(["Nameless", undefined]),
      ["Nandu", "Rheas"],
      ["Ozzy", "Ostriches"],
      ["Pip", undefined],
    ]);
    const categories: Array<{ id: number }> = (await call("GET", "/categories")).json;
    const ids = categories.map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id) => [4, 6, 7, 8, 9].includes(id)),
      [],
    );
  });

  await t.test("a key that may only read can export, but not import", async (t) => {
    const { key: reader } = await createKey({ plan: "enterprise", access: "browse" });
    const page = await visit(t, { key: reader });
    await button(page, "Export").waitFor();
    assert.equal(await button(page, "Import").count(), 0);
  });
});
