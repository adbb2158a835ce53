// People who are signed in: another device, signing out, the end of their access, and the first admin, who gets a name.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page, Route } from "playwright-core";
import {
  act,
  button,
  type ConsoleScene,
  notice,
  refusal,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { invite, join } from "../../harness/clients/invitation.ts";
import { assertAccessible, checkLooks, SIZES } from "../../harness/clients/looks.ts";

const account = (page: Page, name: string) => page.getByRole("banner").getByRole("link", { name });
const signOut = (page: Page) => page.getByRole("banner").getByRole("button", { name: "Sign out" }).click();

testConsole("People who are signed in", async (t, scene) => {
  await testOtherDevice(t, scene);
  await testSignOut(t, scene);
  await testEnd(t, scene);
  await testNames(t, scene);
});

/** The response of the service, with another end. */
async function answerEarlier(route: Route, endMs: number): Promise<void> {
  const response = await route.fetch();
  const json = { ...(await response.json()), expiresAt: new Date(endMs).toISOString() };
  await route.fulfill({ response, json });
}

async function testOtherDevice(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, clock } = app;

  await t.test("a link for another device works for ten minutes, and can be made again", async (t) => {
    const { key } = await join(call, { name: "Mia", access: "adopt" }, "Computer");
    const page = await visit(t, { key, ownContext: {} });
    await page.clock.install();
    await account(page, "Mia").click();
    await page.getByRole("heading", { level: 1, name: "Mia" }).waitFor();
    const endsSoon = { times: 1 };
    await page.route("**/v1/session/link", (route) => answerEarlier(route, clock.nowMs() + 5_000), endsSoon);
    await button(page, "Use on another device").click();
    const left = page.locator(".time-left");
    await untilShown(async () => /^\d s$/.test((await left.textContent()) ?? ""), true);
    await page.clock.runFor(10_000);
    await page.getByText("This link has ended.").waitFor();
    await button(page, "Make a new link").click();
    await untilShown(async () => /^(?:10 min 0|9 min \d\d?) s$/.test((await left.textContent()) ?? ""), true);
    const url = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
    const phone = await visit(t, { key: undefined, at: url.split("#")[1] ?? "", ownContext: {} });
    await button(phone, "Sign in").click();
    await account(phone, "Mia").waitFor();
    assert.deepEqual((await call("GET", "/people")).json[0].devices, 2);
  });

  await t.test("the account says what a person may do, and has the right look", async (t) => {
    const { key } = await join(call, { name: "W".repeat(100), access: "browse" });
    const page = await visit(t, { key, at: "account" });
    await page.getByText("Browse – sees all animals").waitFor();
    await checkLooks(t, page, "Account");
    await button(page, "Use on another device").click();
    await page.getByRole("dialog").locator("svg path").waitFor({ state: "attached" });
    await checkLooks(t, page, "Account-other-device");
  });
}

async function testSignOut(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, addPet } = app;
  const statusOf = async (key: string) => (await call("GET", "/categories", { key })).status;

  await t.test("signing out ends the key, after what was about to be deleted", async (t) => {
    const { id } = await addPet({ name: "Rex" });
    const { key } = await join(call, { name: "Ole" });
    const page = await visit(t, { key });
    await act(page, "Rex", "Delete");
    await notice(page, "Rex is being deleted.").waitFor();
    await signOut(page);
    await page.getByLabel("API key").waitFor();
    await untilShown(() => statusOf(key), 401);
    assert.equal((await call("GET", `/pets/${id}`)).status, 404);
    assert.equal(await page.evaluate("sessionStorage.length + localStorage.length"), 0);
    const { json } = await call("GET", "/audit?limit=1");
    assert.deepEqual([json[0].action, json[0].actor.person.name], ["session.ended", "Ole"]);
  });

  await t.test("signs out also while the service is away", async (t) => {
    const { key } = await join(call, { name: "Ina" });
    const page = await visit(t, { key, isCut: true, expected: [503] });
    await page.route("**/v1/**", (route) => route.fulfill(refusal(503, "unavailable", "Away.")));
    await signOut(page);
    await page.getByLabel("API key").waitFor();
    assert.equal(await page.evaluate("sessionStorage.length + localStorage.length"), 0);
    assert.equal(await statusOf(key), 200);
  });

  await t.test("the key of a program stays when its user signs out", async (t) => {
    const { key } = await app.createKey({ name: "Website" });
    const page = await visit(t, { key });
    await signOut(page);
    await page.getByLabel("API key").waitFor();
    assert.equal(await statusOf(key), 200);
  });
}

async function testEnd(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, url } = app;
  const reason = (page: Page) => page.getByRole("alert").filter({ hasText: "your access was ended" });

  await t.test(
    "a phone is signed out with its next request when the access of its person ends",
    async (t) => {
      const { code } = await invite(call, { name: "Uwe" });
      const phone = await visit(t, {
        key: undefined,
        at: `join/${code}`,
        expected: [401],
        ownContext: { viewport: SIZES.phone },
      });
      await button(phone, "Sign in").click();
      await account(phone, "Uwe").waitFor();
      const admin = await visit(t, { at: "people" });
      await rowOf(admin, "Uwe").getByRole("link").click();
      await button(admin, "End access…").click();
      await button(admin, "End access").click();
      await notice(admin, "The access of Uwe is ended.").waitFor();
      await phone.goto(`${url}/#categories`);
      await reason(phone).waitFor();
      await phone.getByText("ask for a new invitation").waitFor();
      assert.equal(await phone.evaluate("localStorage.length"), 0);
      await phone.getByText("You do not need one: ask an admin for an invitation").waitFor();
    },
  );

  await t.test("says so also when the page is opened later", async (t) => {
    const { id, key } = await join(call, { name: "Eva" });
    await call("DELETE", `/people/${id}`);
    const page = await visit(t, { key: undefined, expected: [401] });
    await page.evaluate(`sessionStorage.setItem("animal-store-key:/", "${key}")`);
    await page.reload();
    await reason(page).waitFor();
  });
}

async function testNames(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, addPet, adminKey } = app;

  await t.test("a key that belongs to nobody gets a name in one step, or later", async (t) => {
    const page = await visit(t, { at: "today", ownContext: { viewport: SIZES.phone } });
    const line = page.getByText("The key you signed in with belongs to nobody.");
    await line.waitFor();
    await button(page, "Later").click();
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(await line.count(), 0);
    await page.goto(`${app.url}/#people`);
    await button(page, "Enter your name").click();
    await page.getByLabel("Your name").fill("Anna Leitner");
    await assertAccessible(page, "Who are you?");
    await page.keyboard.press("Enter");
    await notice(page, "Welcome, Anna Leitner.").waitFor();
    await account(page, "Anna Leitner").waitFor();
    assert.equal(await line.count(), 0);
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
    await page.reload();
    await account(page, "Anna Leitner").waitFor();
    const person = (await call("GET", "/people")).json.at(-1);
    assert.deepEqual([person.name, person.access, person.devices], ["Anna Leitner", "admin", 1]);
    assert.equal((await call("GET", "/pets", { key: adminKey })).status, 200);
  });

  await t.test("history, audit log and keys name the person", async (t) => {
    const { id } = await addPet({ name: "Luna" });
    const { key } = await join(call, { name: "Tom Weber", access: "admin" }, "Tablet");
    await call("PATCH", `/pets/${id}`, { key, body: { name: "Lunah" } });
    await call("PATCH", "/shelters/1", { key, body: { name: "Pfotenhof" } });
    const page = await visit(t, { at: `animals/${id}` });
    await page.getByText("Tom Weber changed the name from Luna to Lunah.").waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    const changed = page.getByRole("row").filter({ hasText: "Shelter changed" });
    await changed.getByRole("link", { name: "Tom Weber" }).waitFor();
    await page.getByRole("row").filter({ hasText: "Invitation accepted" }).first().waitFor();
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("link", { name: "Tom Weber, Tablet" }).click();
    await page.getByText("signs a person in on one device").waitFor();
    const offered = await page.getByRole("main").getByRole("button").allTextContents();
    assert.deepEqual(offered, ["Revoke…", "Save"]);
    await page.getByLabel("Name", { exact: true }).fill("Old tablet");
    await button(page, "Save").click();
    await page.getByRole("heading", { level: 1, name: "Old tablet" }).waitFor();
    await button(page, "Revoke…").click();
    await page.getByText("The device is signed out with its next request.").waitFor();
    await button(page, "Revoke permanently").click();
    await notice(page, "Old tablet is revoked.").waitFor();
    assert.equal((await call("GET", "/pets", { key })).status, 401);
  });
}
