// A first day: a volunteer opens an invitation on a phone and adds an animal, a colleague completes its adoption, and an admin ends the
// volunteer's access.

import assert from "node:assert/strict";
import {
  button,
  type ConsoleApp,
  notice,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { invite, join } from "../../harness/clients/invitation.ts";
import { PHONE } from "../../harness/clients/looks.ts";

const historyOf = async ({ call }: ConsoleApp, id: number) =>
  (await call("GET", `/pets/${id}/history`)).json.map(
    ({ what, person }: { what: string; person?: { name: string } }) => `${person?.name}: ${what}`,
  );

testConsole("A first day with the console", async (t, { app, visit }) => {
  const { call, url } = app;
  const volunteer = await visit(t, {
    key: undefined,
    at: `join/${(await invite(call, { name: "Vera Volunteer" })).code}`,
    expected: [401],
    ownContext: PHONE,
  });

  await t.test("a volunteer opens an invitation on a phone, and adds an animal with a photo", async () => {
    await button(volunteer, "Sign in").click();
    await notice(volunteer, "Welcome, Vera Volunteer.").waitFor();
    await volunteer.getByRole("navigation").getByRole("link", { name: "Animals" }).click();
    await button(volunteer, "Add an animal").click();
    await volunteer.getByLabel("Name", { exact: true }).fill("Fussel");
    await volunteer.keyboard.press("Enter");
    await notice(volunteer, "Fussel was added").waitFor();
    await volunteer.goto(`${url}/#animals/1`);
    await volunteer.getByRole("heading", { level: 1, name: "Fussel" }).waitFor();
    const buffer = await drawImage("sienna", { width: 64, height: 48 });
    const file = { name: "fussel.png", mimeType: "image/png", buffer };
    await volunteer.locator("input[type=file]").first().setInputFiles(file);
    await untilShown(async () => (await call("GET", "/listings/1")).json.photos.length, 1);
    const changes = await historyOf(app, 1);
    assert.deepEqual(changes, ["Vera Volunteer: pet.created", "Vera Volunteer: listing.updated"]);
  });

  await t.test("a colleague finds it by a fragment of its name, and completes its adoption", async (t) => {
    const { key } = await join(call, { name: "Kai Colleague" });
    const page = await visit(t, { key, at: "" });
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("usse");
    await page.getByRole("option", { name: "Fussel" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Fussel" }).waitFor();
    await button(page, "Start an adoption").click();
    await page.getByLabel("Reference").fill("Family Lang");
    await button(page, "Start the adoption").click();
    await untilShown(async () => (await call("GET", "/store/orders/1")).json.status, "placed");
    await page.goto(`${url}/#orders`);
    await button(page, "Approve adoption 1").click();
    await button(page, "Hand over adoption 1").click();
    await button(page, "Hand over the animal").click();
    await notice(page, "Fussel has found a home.").waitFor();
    assert.equal((await call("GET", "/listings/1")).json.status, "sold");
    const changes = await historyOf(app, 1);
    assert.ok(changes.slice(2).every((change: string) => change.startsWith("Kai Colleague: ")));
  });

  await t.test("an admin ends the volunteer's access, and the phone is signed out", async (t) => {
    // With the console open, the phone would be signed out by a request of its own.
    await volunteer.goto("about:blank");
    const page = await visit(t, { at: "people" });
    await rowOf(page, "Vera Volunteer").getByRole("link").click();
    await button(page, "End access…").click();
    await button(page, "End access").click();
    await notice(page, "The access of Vera Volunteer is ended.").waitFor();
    await volunteer.goto(url);
    await volunteer.getByRole("alert").filter({ hasText: "your access was ended" }).waitFor();
    assert.equal(await volunteer.evaluate("sessionStorage.length + localStorage.length"), 0);
  });
});
