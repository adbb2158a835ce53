// The languages of the console: the browser chooses, the footer switches, and no text is left in English.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { DE } from "../../../console/src/shared/texts/first-view-de.ts";
import { EN } from "../../../console/src/shared/texts/first-view-en.ts";
import { PAGES_DE } from "../../../console/src/shared/texts/pages-de.ts";
import { PAGES_EN } from "../../../console/src/shared/texts/pages-en.ts";
import {
  act,
  type ConsoleScene,
  hold,
  keepScreenshot,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { join } from "../../harness/clients/invitation.ts";
import { assertFits, SIZES } from "../../harness/clients/looks.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";

/** Words of English sentences that are no German words. */
const ENGLISH =
  /\b(?:the|and|of|this|with|your|from|are|keys?|animals?|orders?|used|yes|open|add|create|save|cancel|delete|requests?|day|page|loading|until|ago|search|show)\b/i;
/** Names of programs and operations stay as they are. */
const READ_TEXTS = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (!parentElement.closest("code, noscript, .brand, [lang=en]")) texts.push(data);
  }
  for (const name of ["aria-label", "placeholder", "title"])
    for (const element of document.body.querySelectorAll("[" + name + "]")) texts.push(element.getAttribute(name));
  return texts.map((text) => text.trim()).filter((text) => text !== "" && text !== "Animal Store");
})()`;

type Dialog = [place: string, button: string];
const DIALOGS: Dialog[] = [
  ["Tiere", "Tier aufnehmen"],
  ["Kategorien", "Kategorie benennen"],
  ["Webhooks", "Webhook anlegen"],
  ["Personen", "Jemanden einladen"],
  ["Schlüssel", "Schlüssel erstellen"],
];

/** Each text by its path; a function with 2 for every parameter. */
function* listTexts(texts: unknown, path = ""): Generator<[path: string, text: string]> {
  if (typeof texts === "string") yield [path, texts];
  else if (typeof texts === "function") yield [path, flatten(texts(2, 2, 2, 2))];
  else
    for (const [name, each] of Object.entries(texts as object))
      yield* listTexts(each, path === "" ? name : `${path}.${name}`);
}

/** The text of a sentence, which has elements around its values. */
function flatten(part: unknown): string {
  if (Array.isArray(part)) return part.map(flatten).join("");
  if (typeof part !== "object" || part === null) return String(part ?? "");
  return flatten((part as { props: { children?: unknown } }).props.children);
}

test("every text of several words is translated", () => {
  const english = new Map(listTexts({ ...EN, ...PAGES_EN }));
  const german = new Map(listTexts({ ...DE, ...PAGES_DE }));
  assert.deepEqual([...german.keys()], [...english.keys()]);
  const same = [...english].filter(([path, text]) => german.get(path) === text);
  assert.deepEqual(
    same.filter(([, text]) => /[a-z]{2}\W+[a-z]{2}/i.test(text)),
    [],
  );
  assert.deepEqual(
    [...german].filter(([, text]) => ENGLISH.test(text)),
    [],
  );
});

async function assertGerman(page: Page, view: string): Promise<void> {
  const texts = (await page.evaluate(READ_TEXTS)) as string[];
  assert.ok(texts.length > 8, view);
  assert.deepEqual(
    texts.filter((text) => ENGLISH.test(text)),
    [],
    view,
  );
}

/** German words are longer. */
async function checkWidths(page: Page, view: string): Promise<void> {
  for (const [device, size] of Object.entries(SIZES)) {
    await page.setViewportSize(size);
    await keepScreenshot(page, `console-${view}-${device}`);
    await assertFits(page, `${view} at ${size.width} px`);
  }
  await page.setViewportSize(SIZES.desktop);
}

function openScene({ app, visit }: ConsoleScene) {
  const { adminKey } = app;
  const openGerman = async (t: TestContext, ...expected: number[]) => {
    const page = await visit(t, { key: undefined, expected, ownContext: { locale: "de-DE" } });
    await page.getByLabel("API-Schlüssel").fill(adminKey);
    await page.getByRole("button", { name: "Anmelden" }).click();
    return page;
  };
  return { ...app, visit, openGerman };
}

testConsole("The languages of the console", RECEIVER_SETTINGS, async (t, scene) => {
  const { visit, url, call, createKey, openGerman } = openScene(scene);

  await t.test("the browser chooses the language, the footer switches and keeps it", async (t) => {
    const page = await visit(t, { key: undefined, ownContext: { locale: "de-AT" } });
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    await assertGerman(page, "the sign-in form");
    await keepScreenshot(page, "console-sign-in-de");
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
  });

  await t.test("says in German why a stored key fails, also when the texts come last", async (t) => {
    const page = await visit(t, { key: undefined, expected: [401], ownContext: { locale: "de-DE" } });
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
    await page.evaluate("sessionStorage.setItem('animal-store-key:/', 'ask_live_unknown')");
    const release = await hold(page, "**/first-view-de-*.js");
    const refused = page.waitForResponse("**/v1/usage");
    await page.reload({ waitUntil: "commit" });
    await (await refused).finished();
    release();
    await page.getByRole("alert").getByText("Sie sind abgemeldet").waitFor();
    await assertGerman(page, "a key that has ended");
  });

  await t.test("no view has English words when the console is German", async (t) => {
    const receiver = await startReceiver(t, 500);
    await call("PUT", "/categories/1", { body: { name: "Hunde" } });
    for (const name of ["Bruno", "Mieze"]) await call("POST", "/pets", { body: { name, categoryId: 1 } });
    await call("POST", "/store/orders", { body: { petId: 1 } });
    await call("POST", "/webhooks", { body: { url: receiver.url, description: "Zentrale" } });
    await call("PUT", "/categories/2", { body: { name: "Katzen" } });
    await receiver.until(1);
    const used = await createKey({ name: "Webseite", access: "browse" });
    await call("GET", "/pets/1", { key: used.key });
    const { id: personId } = await join(call, { name: "Maria" }, "Telefon");
    await call("PATCH", "/keys/1", { body: { name: "Leitung", plan: "enterprise" } });
    const page = await openGerman(t);
    // Settings have a page and no place.
    const places = Object.entries(DE.placeNames).filter(
      ([place]) => !["shelters", "site", "account"].includes(place),
    );
    for (const [place, name] of places) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.getByRole("table").or(page.locator(".today li")).first().waitFor();
      await checkWidths(page, `${place}-de`);
      // "First key created" is in the audit log with its name of that time.
      if (place === "audit")
        await page.getByText("First key").evaluateAll((found) => found.map((each) => each.remove()));
      await assertGerman(page, name);
    }
    for (const [place, title] of [
      ["animals/1", "Bruno"],
      [`keys/${used.id}`, "Webseite"],
      ["webhooks/1", "Zentrale"],
      [`people/${personId}`, "Maria"],
      ["shelters", DE.shelters.ours],
      ["site", DE.placeNames.site],
    ] as const) {
      await page.goto(`${url}/#${place}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await page
        .locator(".operations, .entries li, #coordinates, #appearance, .devices li, .deliveries")
        .first()
        .waitFor();
      await checkWidths(page, `${place.replace("/", "-")}-de`);
      await assertGerman(page, place);
    }
    for (const [place, button] of DIALOGS) {
      await page.getByRole("link", { name: place, exact: true }).click();
      await page.getByRole("button", { name: button, exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Schließen" }).waitFor();
      await dialog.getByText("Wird geladen").waitFor({ state: "detached" });
      await assertFits(page, button);
      await assertGerman(page, button);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });
});

testConsole("Messages of the service in the German console", RECEIVER_SETTINGS, async (t, scene) => {
  const { call, openGerman } = openScene(scene);

  await t.test("says in German that someone else has deleted the animal", async (t) => {
    const { id } = (await call("POST", "/pets", { body: { name: "Flocke", categoryId: 1 } })).json;
    const page = await openGerman(t, 404);
    await act(page, "Flocke", DE.orders.place, "Aktionen für");
    await call("DELETE", `/pets/${id}`);
    await page.getByRole("button", { name: DE.orders.placeAction, exact: true }).last().click();
    await page.getByRole("alert").getByText("Dieses Tier gibt es nicht mehr.").waitFor();
    await assertGerman(page, "an animal that was deleted");
  });

  await t.test("says in German why the address of a webhook is refused", async (t) => {
    const page = await openGerman(t, 400);
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("button", { name: PAGES_DE.webhooks.add, exact: true }).click();
    await page.getByLabel("Adresse").fill("https://10.0.0.1/hook");
    await page.getByRole("button", { name: PAGES_DE.webhooks.addAction, exact: true }).click();
    await page.getByRole("alert").getByText("Die Adresse darf nicht zu 10.0.0.1 führen.").waitFor();
    await assertGerman(page, "a refused address");
  });

  await t.test("explains failed deliveries in German, and keeps an unknown sentence", async (t) => {
    const body = { url: `http://127.0.0.1:${await findFreePort()}/`, description: "Nachtdienst" };
    const { id } = (await call("POST", "/webhooks", { body })).json;
    const last = async () => (await call("GET", `/webhooks/${id}/deliveries`)).json[0];
    await call("POST", "/pets", { body: { name: "Uhu", categoryId: 1 } });
    await untilShown(async () => (await last())?.lastError, "The connection was refused.");
    const page = await openGerman(t);
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("link", { name: "Nachtdienst", exact: true }).click();
    const row = page.getByRole("row").nth(1);
    await row.getByText("Die Verbindung wurde abgelehnt.").waitFor();
    await page.getByRole("button", { name: "Probe senden" }).click();
    const failed = "Die Probe ist gescheitert: Die Verbindung wurde abgelehnt. (nach ";
    await page.getByRole("alert").filter({ hasText: failed }).waitFor();
    await assertGerman(page, "a webhook that fails");

    await call("PATCH", `/webhooks/${id}`, { body: { status: "disabled" } });
    await call("PATCH", `/webhooks/${id}`, { body: { status: "enabled", after: "now" } });
    await page.getByRole("button", { name: "Neu laden" }).click();
    await row.getByText("Übersprungen: Der Webhook wurde mit späteren").waitFor();

    // Skipped before an attempt of this time; the status is from the time before.
    const unknown = { ...(await last()), attempts: 0, lastStatus: 500, lastError: "The moon is full." };
    await page.route("**/deliveries?*", (route) => route.fulfill({ json: [unknown] }));
    await page.getByRole("button", { name: "Neu laden" }).click();
    await row.getByText("The moon is full.").waitFor();
  });
});
