// Files of animals in the console: a person who never saw the program imports a spreadsheet, and the list is exported.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { Listing } from "../../../client/src/client.ts";
import { IMPORT_BYTES_MAX } from "../../../src/domain/basics/request-limits.ts";
import {
  button,
  type ConsoleApp,
  type ConsoleScene,
  hold,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { importAsPerson } from "../../harness/clients/import-as-person.ts";
import { choose, column, showsCounts } from "../../harness/clients/import-page.ts";
import { assertAccessible } from "../../harness/clients/looks.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { startProxy } from "../../harness/servers/proxy.ts";

async function save(t: TestContext, page: Page, label: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, label).click()]);
  const file = join(makeFolder(t), "saved.csv");
  await download.saveAs(file);
  return { name: download.suggestedFilename(), text: readFileSync(file, "utf8") };
}

async function putCategories({ call }: ConsoleApp): Promise<void> {
  for (const [id, name] of ["Dogs", "Cats"].entries())
    await call("PUT", `/categories/${id + 1}`, { body: { name } });
}

async function listAll({ call }: ConsoleApp, query: string): Promise<Listing[]> {
  return (await call("GET", `/listings?status=any&sort=oldest&limit=100${query}`)).json;
}

// Without the mouse on a desktop, without the keyboard on a phone; the long round has the other two.
testConsole("A person imports a German spreadsheet with 40 bad rows", async (t, scene) => {
  await putCategories(scene.app);
  await t.test("The keyboard is enough on a desktop", (t) =>
    importAsPerson(t, scene, { device: "desktop", means: "keyboard" }),
  );
  await t.test("The mouse is enough on a phone", (t) =>
    importAsPerson(t, scene, { device: "phone", means: "mouse" }),
  );
});

testConsole("The console checks a file before an import", async (t, { visit }) => {
  await t.test(
    "The rows with problems are saved with the reasons, and that file is read again",
    async (t) => {
      const page = await visit(t, { at: "animals/import" });
      await choose(page, 'Name;Tierart;Geburtsdatum\n"Käse, ""alt""";Hund;1.2.2024\nMöhre;Hund;31.2.2024\n');
      await showsCounts(page, 1, 0, 0, 1);
      const saved = await save(t, page, "Download these rows");
      assert.equal(saved.name, "rows-with-problems.csv");
      const reason = "Geburtsdatum: Must be a date, such as 2030-01-31";
      assert.equal(
        saved.text,
        `\uFEFFproblem;Name;Tierart;Geburtsdatum\r\n"${reason}";Möhre;Hund;31.2.2024\r\n`,
      );
      await button(page, "Choose another file").click();
      await choose(page, saved.text.replace("31.2.2024", "28.2.2024"));
      await showsCounts(page, 1, 0, 0, 0);
      await button(page, "Import 1").waitFor();
    },
  );

  await t.test("The page says that only the first 100 of many bad rows can be saved", async (t) => {
    const page = await visit(t, { at: "animals/import" });
    await choose(page, `Name;Tierart\nGut;Hund\n${"Schlecht;Drache\n".repeat(523)}`);
    await page.getByText("The first 100 of 523 rows are listed. When they are correct, choose").waitFor();
    const { text } = await save(t, page, "Download the first 100 of 523 rows");
    assert.equal(text.match(/Drache/g)?.length, 100);
    await button(page, "Import the good rows: 1").click();
    await page.getByText("These rows were not imported.").waitFor();
    await page.getByText("Your operator can save all of them with the command").waitFor();
  });

  await t.test("A file that is dropped on the list is checked", async (t) => {
    const page = await visit(t);
    await button(page, "Import").waitFor();
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["name,species\\nDropped,dog"], "dropped.csv"));
      for (const type of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await page.getByText("dropped.csv was checked.").waitFor();
  });

  await t.test("A file that cannot be read is refused with the reason", async (t) => {
    const page = await visit(t, { at: "animals/import", expected: [400] });
    const requests: string[] = [];
    page.on("request", (request) => request.method() === "POST" && requests.push(request.url()));
    for (const [content, reason] of [
      ["", "The file is empty"],
      ['name,species\n"Rex,dog\n', "The row on line 2 does not end"],
      [Buffer.from("PK\u0003\u0004"), "is a spreadsheet"],
    ] as const) {
      await choose(page, content);
      await page.getByRole("alert").filter({ hasText: reason }).waitFor();
    }
    assert.equal(requests.length, 3);
    await choose(page, "x", "Tiere.xlsx");
    await page.getByText("Tiere.xlsx cannot be read directly.").waitFor();
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(${IMPORT_BYTES_MAX + 1})], "large.csv"));
      const input = document.querySelector("input[type=file]");
      input.files = dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
    await page.getByText("The file has more than 32 MB. Split it").waitFor();
    assert.equal(requests.length, 3, "these are refused before they are sent");
  });
});

testConsole("The reading of a file in the console", async (t, { app, visit }) => {
  await t.test("A setting that does not fit the file keeps all choices", async (t) => {
    const page = await visit(t, { at: "animals/import", expected: [400] });
    await choose(page, "Rufname,Art\nRex,Hund\n");
    await column(page, "Rufname").selectOption("name");
    await page.getByLabel("Encoding").selectOption("utf-16le");
    await button(page, "Check again").click();
    await page.getByRole("alert").filter({ hasText: /./ }).waitFor();
    assert.equal(await column(page, "Rufname").inputValue(), "name");
    await page.getByLabel("Encoding").selectOption("auto");
    await column(page, "Art").selectOption("species");
    await button(page, "Check again").click();
    await showsCounts(page, 1, 0, 0, 0);
  });

  await t.test("A German page explains problems and columns in German", async (t) => {
    const page = await visit(t, { ownContext: { locale: "de-DE" }, key: undefined });
    await page.getByLabel("API-Schlüssel").fill(app.adminKey);
    await page.getByRole("button", { name: "Anmelden" }).click();
    await button(page, "Importieren").click();
    const rows = ["Rex,31.2.2024,03/04/2024,150,xx", "Luna,1.2.2024,03/04/2024,150 €,w"];
    const buffer = Buffer.from(["Name,Geboren,Aufnahmedatum,Fee,Geschlecht", ...rows].join("\n"));
    await page.getByLabel("Datei mit Tieren").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer });
    const texts = () => page.getByRole("table").allInnerTexts();
    await untilShown(async () => (await texts()).length, 2);
    const found = (await texts()).join("\n");
    for (const words of [
      "Das ist kein gültiges Datum",
      "Die Währung fehlt",
      "Erlaubt sind: male",
      "Datum, Tag zuerst",
    ])
      assert.ok(found.includes(words), `${words} is not in ${found}`);
    assert.doesNotMatch(found, /must be|Set |first|word for|required/);
  });
});

/**
 * An import whose request does not reach the service until the test ends. It may reach it when the page closes, so each
 * test imports another animal.
 */
async function beginHeldImport(t: TestContext, { visit }: ConsoleScene, name: string): Promise<Page> {
  const page = await visit(t, { at: "animals/import" });
  await choose(page, `name,categoryName\n${name},Fish\n`);
  await showsCounts(page, 1, 0, 0, 0);
  t.after(await hold(page, "**/v1/imports?*"));
  await button(page, "Import 1").click();
  await page.getByRole("heading", { name: "Importing the animals" }).waitFor();
  return page;
}

testConsole("An import in the console is interrupted", async (t, scene) => {
  const { app, visit } = scene;

  await t.test("An import that lost the server is continued, and no animal is there twice", async (t) => {
    const proxy = await startProxy(t, Number(new URL(app.url).port));
    const page = await visit(t, { url: `http://127.0.0.1:${proxy.port}`, at: "animals/import", isCut: true });
    const rows = Array.from({ length: 1_000 }, (_, index) => `Guppy ${index},Fish,G-${index}`);
    await choose(page, ["name,categoryName,externalId", ...rows].join("\n"));
    await button(page, "Import 1,000").waitFor();
    proxy.cutAtAnswer('"progress"');
    await button(page, "Import 1,000").click();
    await page.getByRole("heading", { name: "The import is not complete" }).waitFor();
    await page.getByRole("alert").filter({ hasText: "The service does not answer." }).waitFor();
    await assertAccessible(page, "interrupted");
    proxy.set("refuse");
    await button(page, "Continue").click();
    await page.getByRole("heading", { name: "The import is not complete" }).waitFor();
    proxy.cutAtAnswer(undefined);
    proxy.set("pass");
    await button(page, "Continue").click();
    await page.getByRole("heading", { name: "The import is complete" }).waitFor();
    const { count } = (await app.call("GET", "/listings/count?status=any&q=Guppy")).json;
    assert.equal(count, 1_000, "none is missing, and none is there twice");
  });

  await t.test("The page asks before a running import is left", async (t) => {
    const page = await beginHeldImport(t, scene, "Leaving");
    page.once("dialog", (dialog) => void dialog.dismiss());
    const asked = page.waitForEvent("dialog");
    await page.getByRole("link", { name: "Adoptions", exact: true }).click();
    assert.match((await asked).message(), /^The import is running\./);
    await page.getByRole("heading", { name: "Importing the animals" }).waitFor();
  });

  await t.test("A running import can be stopped", async (t) => {
    const page = await beginHeldImport(t, scene, "Stopped");
    await button(page, "Stop").click();
    await page.getByRole("heading", { name: "The import is not complete" }).waitFor();
  });
});

testConsole("Animals are exported in the console", async (t, { app, visit }) => {
  await t.test("An export has what the list shows, without formulas, and is read again", async (t) => {
    await putCategories(app);
    const { id } = (await app.call("POST", "/pets", { body: { name: '=HYPERLINK("x")', categoryId: 2 } }))
      .json;
    const profile = { description: 'Line 1\nLine 2; "quoted"', externalId: "A-1", species: "cat" };
    await app.call("PATCH", `/pets/${id}/profile`, { body: profile });
    const page = await visit(t, { at: "animals?category=2" });
    await page.getByRole("status").filter({ hasText: "1 animal found" }).waitFor();
    const { name, text } = await save(t, page, "Export");
    assert.match(name, /^animals-\d{4}-\d\d-\d\d\.csv$/);
    await page.getByRole("status").filter({ hasText: "1 animal exported." }).waitFor();
    assert.ok(text.startsWith("\uFEFFid,name,categoryId,categoryName,status,externalId,species,breeds,"));
    assert.ok(text.includes(`"'=HYPERLINK(""x"")"`), "a spreadsheet runs no formula");
    await button(page, "Import").click();
    await choose(page, text.replace("'=HYPERLINK", "Renamed"));
    await showsCounts(page, 0, 1, 0, 0);
    await button(page, "Import 1").click();
    await page.getByRole("heading", { name: "The import is complete" }).waitFor();
    await page.goto(`${app.url}/#animals`);
    await button(page, "Import").click();
    await choose(page, text.replace("'=HYPERLINK", "Renamed"));
    await page.getByText("There is nothing to do: it was imported before").waitFor();
    const [read] = await listAll(app, "&categoryId=2");
    assert.deepEqual([read?.name, read?.profile], ['Renamed("x")', profile]);
  });

  await t.test("A key that may only read can export, but not import", async (t) => {
    const { key: reader } = await app.createKey({ plan: "enterprise", access: "browse" });
    const page = await visit(t, { key: reader });
    await button(page, "Export").waitFor();
    assert.equal(await button(page, "Import").count(), 0);
    await page.goto(`${app.url}/#animals/import`);
    await page.getByText("There is no animal with the number import.").waitFor();
  });
});
