// People in the console: an admin invites them, changes them and ends their access.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import {
  button,
  type ConsoleScene,
  notice,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { invite, join } from "../../harness/clients/invitation.ts";
import { COUNT_SHIFTS, checkLooks, checkSizes } from "../../harness/clients/looks.ts";

const CLIPBOARD = { ownContext: { permissions: ["clipboard-read", "clipboard-write"] } };
/** As a browser that can share; what was shared is in `window.shared`. */
const SHARES = `navigator.share = async (data) => { window.shared = data.url; };`;

const dialog = (page: Page) => page.getByRole("dialog");
const linkOf = (page: Page) => dialog(page).locator("code");
const codeOf = (url: string | null) => (url ?? "").split("#join/")[1] ?? "";

testConsole("People in the console", async (t, scene) => {
  await testInvitations(t, scene);
  await testChanges(t, scene);
  await testLooks(t, scene);
});

async function testInvitations(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call } = app;
  const accept = async (code: string) =>
    (await call("POST", "/invitations/accept", { body: { code } })).status;

  await t.test("an invitation is a link and a code to scan, shown once", async (t) => {
    const page = await visit(t, { at: "people", ...CLIPBOARD });
    await page.addInitScript(SHARES);
    await page.reload();
    await button(page, "Invite someone").first().click();
    await page.getByLabel("Name", { exact: true }).fill("Mia Berger");
    await page.getByLabel("Access", { exact: true }).selectOption("admin");
    const lasts = dialog(page).getByLabel("The link works for");
    assert.deepEqual(await lasts.locator("option").allTextContents(), ["one day", "one hour"]);
    await page.getByLabel("Access", { exact: true }).selectOption("adopt");
    await lasts.selectOption("30 days");
    await button(page, "Create the link").click();
    await dialog(page).locator("svg path").waitFor({ state: "attached" });
    const url = (await linkOf(page).textContent()) ?? "";
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Copy the link");
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/#join\/\w{22}$/);
    await dialog(page).getByText("This address works on this computer only.").waitFor();
    await button(page, "Copy the link").click();
    await page.getByText("Copied.").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), url);
    await button(page, "Share…").click();
    await untilShown(() => page.evaluate("window.shared"), url);
    await page.keyboard.press("Escape");
    await rowOf(page, "Mia Berger").getByText("in 30 days").waitFor();
    assert.equal((await page.content()).includes(codeOf(url)), false);
    await page.reload();
    await rowOf(page, "Mia Berger").waitFor();
    assert.equal(await accept(codeOf(url)), 201);
    const [person] = (await call("GET", "/people")).json;
    assert.deepEqual([person.name, person.access], ["Mia Berger", "adopt"]);
  });

  await t.test("a link that was lost is replaced, and an open one is withdrawn", async (t) => {
    const { id, code } = await invite(call, { name: "Ole" });
    const page = await visit(t, { at: "people" });
    await button(page, "New link for Ole").click();
    const replaced = page.waitForResponse(async (response) => {
      const isList = response.url().includes("/invitations?status=open");
      return isList && (await response.json()).every((each: { id: number }) => each.id !== id);
    });
    await button(page, "New link").last().click();
    const fresh = codeOf(await linkOf(page).textContent());
    await replaced;
    await dialog(page).locator("footer").getByRole("button", { name: "Close" }).click();
    assert.deepEqual([await accept(code), fresh.length], [404, 22]);
    await button(page, "Withdraw the invitation of Ole").click();
    await button(page, "Withdraw the invitation").click();
    await notice(page, "The invitation of Ole is withdrawn.").waitFor();
    await page.getByText("No invitation is open.").waitFor();
    assert.equal(await accept(fresh), 404);
    await button(page, "Withdrawn").click();
    await untilShown(() => rowOf(page, "Ole").count(), 2);
  });
}

async function testChanges(t: TestContext, { app, visit }: ConsoleScene): Promise<void> {
  const { call, url } = app;
  const open = async (t: TestContext, name: string, options = {}) => {
    const page = await visit(t, { at: `people?q=${encodeURIComponent(name.slice(1, 4))}`, ...options });
    await rowOf(page, name).getByRole("link").click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    return page;
  };

  await t.test("changes name, access and shelter, for all devices of a person", async (t) => {
    const shelter = (await call("POST", "/shelters", { body: { name: "Hof Nord" } })).json;
    const { id, key } = await join(call, { name: "Tina" }, "iPhone, Safari");
    const page = await open(t, "Tina");
    await page.getByLabel("Name", { exact: true }).fill("Tina Lang");
    await page.getByLabel("Access", { exact: true }).selectOption("browse");
    await page.getByLabel("Shelter").selectOption("Hof Nord");
    await button(page, "Save").click();
    await page.getByText("It applies on all their devices at once.").waitFor();
    await page.getByRole("heading", { level: 1, name: "Tina Lang" }).waitFor();
    const usage = (await call("GET", "/usage", { key })).json;
    assert.deepEqual(
      [usage.person, usage.access, usage.shelterId],
      [{ id, name: "Tina Lang" }, "browse", shelter.id],
    );
    await button(page, "Save").click();
    await page.getByText("Nothing was changed.").waitFor();
  });

  await t.test("gives a person another device, and signs out one of them", async (t) => {
    const { key } = await join(call, { name: "Paul" }, "Old phone");
    const page = await open(t, "Paul");
    await button(page, "Another device…").click();
    await button(page, "Create the link").click();
    const code = codeOf(await linkOf(page).textContent());
    const body = { code, device: "Tablet" };
    const { json } = await call("POST", "/invitations/accept", { body });
    assert.deepEqual([json.person.name, json.person.devices], ["Paul", 2]);
    await page.reload();
    await button(page, "Sign out Old phone").click();
    await button(page, "Sign out").last().click();
    await notice(page, "Old phone is signed out.").waitFor();
    await untilShown(() => page.locator(".devices li").count(), 1);
    assert.equal((await call("GET", "/pets", { key })).status, 401);
    assert.equal((await call("GET", "/pets", { key: json.key })).status, 200);
  });

  await t.test("ends the access of a person, who stays in the list as ended", async (t) => {
    const { key } = await join(call, { name: "Nora" });
    const page = await open(t, "Nora");
    await button(page, "End access…").click();
    await page.getByText("All devices of Nora are signed out with their next request").waitFor();
    await button(page, "End access").click();
    await notice(page, "The access of Nora is ended.").waitFor();
    await untilShown(() => page.evaluate("document.activeElement.localName"), "main");
    assert.equal((await call("GET", "/pets", { key })).status, 401);
    await page.goto(`${url}/#people`);
    await rowOf(page, "Tina").waitFor();
    assert.equal(await rowOf(page, "Nora").count(), 0);
    await page.getByLabel("Also those whose access has ended (1)").check();
    await rowOf(page, "Nora").getByText("Access ended").waitFor();
  });

  await t.test("the end of one's own access must be typed, and signs out", async (t) => {
    const { key } = await join(call, { name: "Boss", access: "admin" });
    const page = await open(t, "Boss", { key });
    await button(page, "End access…").click();
    await button(page, "End access").click();
    assert.equal((await call("GET", "/pets", { key })).status, 200);
    await page.getByLabel("Type Boss to confirm").fill("Boss");
    await button(page, "End access").click();
    await page.getByRole("alert").filter({ hasText: "You have ended your own access." }).waitFor();
    assert.equal((await call("GET", "/pets", { key })).status, 401);
  });
}

async function testLooks(t: TestContext, { app, visit, context }: ConsoleScene): Promise<void> {
  const { call } = app;
  await context.addInitScript(COUNT_SHIFTS);

  await t.test("people and one of them have the right look, and nothing moves", async (t) => {
    for (const name of ["W".repeat(100), "龍".repeat(100), "متجر \u202Edrawkcab"])
      await invite(call, { name });
    const { id } = await join(call, { name: "W".repeat(100) }, "W".repeat(60));
    const page = await visit(t, { at: "people" });
    await checkSizes(page, rowOf(page, "drawkcab"));
    await checkLooks(t, page, "People");
    await button(page, "Invite someone").click();
    await page.getByLabel("Name", { exact: true }).fill("W".repeat(100));
    await button(page, "Create the link").click();
    await dialog(page).locator("svg path").waitFor({ state: "attached" });
    await checkLooks(t, page, "People-link");
    await page.keyboard.press("Escape");
    await page.goto(`${app.url}/#people/${id}`);
    await checkSizes(page, page.locator(".devices li"));
    await checkLooks(t, page, "Person");
  });
}
