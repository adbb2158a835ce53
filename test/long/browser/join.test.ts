// Invitations that are opened in the browser: they sign in on the device, once, and leave no code behind.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import {
  button,
  type ConsoleScene,
  notice,
  type OpenOptions,
  refusal,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { invite, join } from "../../harness/clients/invitation.ts";
import { assertAccessible, COUNT_SHIFTS, checkLooks, SIZES } from "../../harness/clients/looks.ts";

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
/** All that the browser keeps, and all that it shows. */
const LEFT = `JSON.stringify([location.href, history.state, document.referrer, Object.entries(localStorage),
  Object.entries(sessionStorage), document.cookie, document.documentElement.outerHTML])`;

const stored = (page: Page) =>
  page.evaluate(
    "[Object.keys(sessionStorage), Object.keys(localStorage).filter((name) => name.includes('key'))]",
  );
const offer = (page: Page) => page.getByRole("heading", { name: "Sign in on this device" });

function openScene({ app, visit }: ConsoleScene) {
  /** A phone on which nobody is signed in. */
  const openLink = (t: TestContext, code: string, options: Partial<OpenOptions> = {}) =>
    visit(t, {
      key: undefined,
      at: `join/${code}`,
      ownContext: { viewport: SIZES.phone, userAgent: IPHONE },
      ...options,
    });
  return { ...app, visit, openLink };
}

testConsole("Invitations that are opened", async (t, scene) => {
  const { call, url, visit, openLink } = openScene(scene);

  await t.test("a reload before signing in leads to words that the link still works", async (t) => {
    const { code } = await invite(call, { name: "Ole" });
    const page = await openLink(t, code);
    await offer(page).waitFor();
    await page.reload();
    await page.getByText("You can open it again until it has signed you in.").waitFor();
  });

  await t.test(
    "a link is used by its button only, signs in for good, and leaves no code behind",
    async (t) => {
      const { id, code } = await invite(call, { name: "Mia" });
      const page = await openLink(t, code);
      const sent: string[] = [];
      page.on("request", (request) => sent.push(request.url()));
      await offer(page).waitFor();
      assert.equal(page.url(), `${url}/`);
      await untilShown(() => page.evaluate(`${LEFT}.includes(${JSON.stringify(code)})`), false);
      assert.deepEqual(
        sent.filter((address) => address.includes("/v1/")),
        [],
      );
      assert.equal(await page.getByLabel("Name of this device").inputValue(), "iPhone, Safari");
      await button(page, "Sign in").click();
      await notice(page, "Welcome, Mia.").waitFor();
      await page.getByRole("link", { name: "Mia" }).waitFor();
      assert.deepEqual(await stored(page), [[], ["animal-store-key:/"]]);
      assert.equal(await page.evaluate(`${LEFT}.includes(${JSON.stringify(code)})`), false);
      assert.equal(await page.evaluate("document.body.innerText.includes('ask_')"), false);
      assert.deepEqual(
        sent.filter((address) => address.includes(code)),
        [],
      );
      await page.goBack();
      assert.equal(page.url(), "about:blank");
      await page.goForward();
      await page.getByRole("link", { name: "Mia" }).waitFor();
      await untilShown(() => page.evaluate(`${LEFT}.includes(${JSON.stringify(code)})`), false);
      const { json } = await call("GET", "/invitations?status=accepted");
      assert.deepEqual(
        json.map((each: { id: number }) => each.id),
        [id],
      );
    },
  );

  await t.test("on a shared computer, the session ends with the tab", async (t) => {
    const page = await openLink(t, (await invite(call, { name: "Ole" })).code);
    await page.getByLabel("Name of this device").fill("Front desk");
    await page.getByLabel("Stay signed in on this device").uncheck();
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Ole" }).waitFor();
    assert.deepEqual(await stored(page), [["animal-store-key:/"], []]);
    const keys = (await call("GET", "/keys")).json;
    assert.ok(keys.some(({ name }: { name: string }) => name === "Front desk"));
  });

  await t.test("a link that was pasted as a key opens the invitation", async (t) => {
    const page = await visit(t, { key: undefined, ownContext: {} });
    await page.getByLabel("API key").fill((await invite(call, { name: "Pia" })).url);
    await page.keyboard.press("Enter");
    await offer(page).waitFor();
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Pia" }).waitFor();
  });

  await t.test("works with the keyboard alone, in German", async (t) => {
    const { code } = await invite(call, { name: "Jörg" });
    const page = await openLink(t, code, { ownContext: { viewport: SIZES.phone, locale: "de-DE" } });
    await page.getByRole("heading", { name: "Auf diesem Gerät anmelden" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await untilShown(() => page.getByRole("checkbox").isChecked(), false);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await notice(page, "Willkommen, Jörg.").waitFor();
  });
});

testConsole("Invitations that fail in the browser", async (t, scene) => {
  const { call, openLink } = openScene(scene);

  await t.test("every link that does not work shows the same page, which says what to do", async (t) => {
    const used = await invite(call, { name: "Used" });
    await call("POST", "/invitations/accept", { body: { code: used.code } });
    const revoked = await invite(call, { name: "Revoked" });
    await call("DELETE", `/invitations/${revoked.id}`);
    const texts = new Set<string>();
    for (const code of [used.code, revoked.code, "wrong", "%00 <b>"]) {
      const page = await openLink(t, code, { expected: [404] });
      await button(page, "Sign in").click();
      const heading = page.getByRole("heading", { name: "This link does not work" });
      await heading.waitFor();
      await untilShown(() => page.evaluate("document.activeElement.localName"), "h1");
      texts.add(await page.getByRole("main").innerText());
      assert.deepEqual(await stored(page), [[], []]);
      await button(page, "To the sign-in page").click();
      await page.getByLabel("API key").waitFor();
    }
    assert.equal(texts.size, 1);
    const page = await openLink(t, "");
    await page.getByRole("heading", { name: "This link does not work" }).waitFor();
  });

  await t.test("an outage after the code was used does not lose its key", async (t) => {
    const page = await openLink(t, (await invite(call, { name: "Kim" })).code, { expected: [500] });
    await page.route("**/v1/usage", (route) => route.fulfill(refusal(500, "internal_error", "Broken.")));
    await button(page, "Sign in").click();
    await page.getByRole("alert").filter({ hasText: "Something broke inside the service" }).waitFor();
    await page.unroute("**/v1/usage");
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Kim" }).waitFor();
  });
});

testConsole("Invitations on a device where someone is signed in", async (t, scene) => {
  const { app, visit } = scene;
  const { call, url } = app;

  await t.test("asks first, and changes nothing if the answer is no", async (t) => {
    const { key } = await join(call, { name: "Mia" });
    const { code } = await invite(call, { name: "Ole" });
    const page = await visit(t, { key, ownContext: {} });
    await page.goto(`${url}/#join/${code}`);
    await page.getByText("Mia is signed in on this device.").waitFor();
    assert.equal(page.url(), `${url}/`);
    await button(page, "Continue as before").click();
    await page.getByRole("link", { name: "Mia" }).waitFor();
    const open = (await call("GET", "/invitations?status=open")).json;
    assert.deepEqual(
      open.map(({ name }: { name: string }) => name),
      ["Ole"],
    );
  });

  await t.test("signs out the person who was signed in before, also at the service", async (t) => {
    const { key } = await join(call, { name: "Ann" });
    const page = await visit(t, { key, at: "categories", ownContext: {} });
    await page.goto(`${url}/#join/${(await invite(call, { name: "Ben" })).code}`);
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Ben" }).waitFor();
    await untilShown(async () => (await call("GET", "/pets", { key })).status, 401);
    assert.equal(
      await page.evaluate(`JSON.stringify({ ...localStorage, ...sessionStorage }).includes("${key}")`),
      false,
    );
  });

  await t.test("asks also while the service cannot say who it is", async (t) => {
    const page = await visit(t, { ownContext: {}, expected: [500] });
    const { code } = await invite(call, { name: "Eva" });
    await page.route("**/v1/usage", (route) => route.fulfill(refusal(500, "internal_error", "Broken.")));
    await page.goto(`${url}/?again#join/${code}`);
    await page.getByText("Someone is signed in on this device already.").waitFor();
    await page.unroute("**/v1/usage");
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Eva" }).waitFor();
    assert.equal((await call("GET", "/pets", { key: app.adminKey })).status, 200);
  });

  await testLooks(t, scene);
});

async function testLooks(t: TestContext, { app, visit, context }: ConsoleScene): Promise<void> {
  const { call } = app;
  await context.addInitScript(COUNT_SHIFTS);

  await t.test("the pages of an invitation have the right look, and nothing moves", async (t) => {
    const { code } = await invite(call, { name: "Mia" });
    const page = await visit(t, { key: undefined, at: "join/wrong", expected: [404] });
    await offer(page).waitFor();
    assert.equal(await page.evaluate("window.shift"), 0);
    await assertAccessible(page, "join");
    await button(page, "Sign in").click();
    await button(page, "To the sign-in page").waitFor();
    await assertAccessible(page, "join-refused");
    const { key } = await join(call, { name: "W".repeat(100) });
    const taken = await visit(t, { key, at: "usage" });
    await taken.goto(`${app.url}/#join/${code}`);
    await button(taken, "Continue as before").waitFor();
    await checkLooks(t, taken, "join-taken");
  });
}
