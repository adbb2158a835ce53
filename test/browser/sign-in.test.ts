// Signing in to the console and out of it, and how the console is served.

import assert from "node:assert/strict";
import { buildConsole } from "../../console/build.ts";
import { createCall } from "../harness/clients/call.ts";
import { hold, readSecret, refusal, signIn, testConsole, untilShown } from "../harness/clients/console.ts";
import { assertAccessible, assertFits } from "../harness/clients/looks.ts";

/** Nodes read the state of the site again after this. */
const STATE_MS = 250;

testConsole("Signing in to the console", async (t, { app, visit }) => {
  const { url, adminKey, call, clock } = app;

  await t.test("the console is not built again from the same sources", async () => {
    assert.equal(await buildConsole(), false);
  });

  await t.test("the console is served with a strict content security policy", async () => {
    const page = await createCall(url)("GET", "/");
    assert.equal(
      page.headers["content-security-policy"],
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    // The own public address is data for the script, and in no other place.
    const html = page.text.replace(`data-public-url="${url}"`, "");
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|style=|https?:\/\/(?!www\.w3\.org)/);
  });

  await t.test("shows visitors the way to the animals while the public pages are open", async (t) => {
    const page = await visit(t, { key: undefined });
    await page.getByLabel("API key").waitFor();
    const link = page.getByRole("link", { name: "See the animals" });
    assert.equal(await link.count(), 0);
    await call("PATCH", "/site", { body: { isPublic: true } });
    clock.advance(STATE_MS);
    await page.reload();
    await link.waitFor();
    await assertFits(page, "sign-in");
    await assertAccessible(page, "sign-in");
    await link.click();
    await page.getByRole("heading", { level: 1, name: "Our shelter" }).waitFor();
    await call("PATCH", "/site", { body: { isPublic: false } });
    clock.advance(STATE_MS);
  });

  await t.test("rejects an unknown key and does not store it", async (t) => {
    const page = await visit(t, { key: undefined, expected: [401] });
    await page.getByText("You run this service yourself?").click();
    await page.getByText("npm run -s animal-store -- keys create --name Console").waitFor();
    for (const wrong of [`${adminKey}x`, "kein Schlüssel"]) {
      await page.getByLabel("API key").fill(wrong);
      await page.keyboard.press("Enter");
      await page.getByRole("alert").filter({ hasText: "does not know this key" }).waitFor();
    }
    assert.equal(await page.evaluate("sessionStorage.length + localStorage.length"), 0);
  });

  await t.test("a reload asks for all that the header shows at the same time", async (t) => {
    const page = await visit(t);
    const release = await hold(page, "**/v1/usage");
    const asked = ["site", "shelters?limit=100"].map((path) => page.waitForRequest(`${url}/v1/${path}`));
    await page.reload();
    await Promise.all(asked);
    release();
    await page.getByRole("heading", { name: "Animals" }).waitFor();
  });

  await t.test("keeps the key over a reload, but not for another tab or after signing out", async (t) => {
    const page = await visit(t, { key: undefined });
    await signIn(page, adminKey);
    await page.reload();
    await page.getByRole("heading", { name: "Animals" }).waitFor();
    assert.equal(await page.evaluate("localStorage.length + document.cookie.length"), 0);
    assert.equal(page.url().includes(adminKey), false);
    // The storage name contains the path, so stores on one host stay apart.
    assert.deepEqual(await page.evaluate("Object.keys(sessionStorage)"), ["animal-store-key:/"]);
    const other = await page.context().newPage();
    await other.goto(`${url}/`);
    await other.getByLabel("API key").waitFor();
    await other.close();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    await untilShown(() => page.evaluate("document.activeElement.name"), "key");
    assert.equal(await page.title(), "Animal Store");
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
    await page.reload();
    await page.getByLabel("API key").waitFor();
  });
});

testConsole("Keys that the console remembers", async (t, { app, visit }) => {
  const { url, adminKey, call, createKey } = app;

  await t.test("remembers the key on the device when asked, until signing out in any tab", async (t) => {
    const page = await visit(t, { key: undefined, ownContext: {} });
    const stored = () => page.evaluate("[sessionStorage.length, ...Object.keys(localStorage)]");
    const remember = page.getByLabel("Remember on this device");
    assert.equal(await remember.isChecked(), false);
    await page.getByText("not for shared computers").waitFor();
    await remember.check();
    const { id, key } = await createKey({ name: "Tablet", plan: "pro", access: "admin" });
    await signIn(page, key);
    assert.deepEqual(await stored(), [0, "animal-store-key:/"]);
    const other = await page.context().newPage();
    await other.goto(`${url}/`);
    await other.getByRole("button", { name: "Sign out" }).waitFor();
    await page.goto(`${url}/#keys/${id}`);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const fresh = await readSecret(page);
    await page.getByRole("button", { name: "I have stored it" }).click();
    assert.equal(await page.evaluate("Object.values(localStorage).join()"), fresh);
    assert.deepEqual(await stored(), [0, "animal-store-key:/"]);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByLabel("API key").waitFor();
    assert.deepEqual(await stored(), [0]);
    await page.reload();
    await page.getByLabel("API key").waitFor();
  });

  await t.test("works without session storage, until the page is left", async (t) => {
    const page = await visit(t, { key: undefined });
    await page.addInitScript(() =>
      Object.defineProperty(globalThis, "sessionStorage", {
        get() {
          throw new DOMException("Storage is forbidden.", "SecurityError");
        },
      }),
    );
    await page.reload();
    await signIn(page, adminKey);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
  });

  await t.test("signs out and says why when the key was revoked", async (t) => {
    const { id, key } = await createKey();
    const page = await visit(t, { key, expected: [401] });
    await page.getByText("There are no animals yet.").waitFor();
    await call("DELETE", `/keys/${id}`);
    await page.getByRole("link", { name: "Adoptions" }).click();
    await page.getByRole("alert").filter({ hasText: "does not work any more" }).waitFor();
    await page.getByLabel("API key").waitFor();
    await signIn(page, adminKey);
  });

  await t.test("says when the service is unavailable, and continues when it is back", async (t) => {
    const page = await visit(t, { key: adminKey, expected: [502, 503] });
    await page.route("**/v1/**", (route) => route.fulfill(refusal(503, "unavailable", "Away.")));
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("alert").filter({ hasText: "cannot do this at the moment" }).waitFor();
    await page.unroute("**/v1/**");
    await page.route("**/v1/**", (route) => route.fulfill({ status: 502, body: "<h1>Bad Gateway</h1>" }));
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").filter({ hasText: "The response did not come from the service" }).waitFor();
    await page.unroute("**/v1/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No category has a name yet.").waitFor();
  });
});
