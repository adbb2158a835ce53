// Keys in the console, for admins.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import {
  banKey,
  cancelConfirmation,
  hold,
  keepScreenshot,
  notice,
  readSecret,
  refusal,
  rowOf,
  stopTimers,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";

const openKey = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();

testConsole("Keys are created and banned in the console", async (t, { app, visit }) => {
  const { call } = app;
  const openKeys = (t: TestContext, options = {}) => visit(t, { at: "keys", ...options });
  let secret = "";

  await t.test("creates a key, shows its secret once, and copies it by a button", async (t) => {
    const page = await openKeys(t, { ownContext: { permissions: ["clipboard-read", "clipboard-write"] } });
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Website");
    await page.getByLabel("Plan").selectOption("enterprise");
    await page.getByLabel("Requests per minute").fill("3");
    await page.getByLabel("Requests per day").fill("500");
    await page.getByLabel("Access").selectOption("browse");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    secret = await readSecret(page);
    assert.match(secret, /^ask_live_\w{36}$/);
    await keepScreenshot(page, "console-secret");
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), secret);
    assert.equal((await call("GET", "/pets", { key: secret })).status, 200);
    await page.keyboard.press("Escape");
    await rowOf(page, "Website").filter({ hasText: "3 a minute, 500 a day" }).waitFor();
    assert.equal(await page.getByText(secret).count(), 0);
    await page.reload();
    await rowOf(page, "Website").waitFor();
    assert.ok(!(await page.content()).includes(secret));
  });

  await t.test("shows the usage of a key and refreshes it without losing what was typed", async (t) => {
    const page = await openKeys(t, { expected: [500], ownContext: {} });
    await page.clock.install();
    await openKey(page, "Website");
    await page.getByText("1 of 500 used").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Half a na");
    await call("GET", "/pets", { key: secret });
    await page.clock.runFor(11_000);
    await page.getByText("2 of 500 used").waitFor();
    await page.route("**/v1/keys/2", (route) => route.fulfill(refusal(500, "internal_error", "Broken.")));
    await page.clock.runFor(11_000);
    const failure = page.getByRole("alert").filter({ hasText: "Something broke inside the service" });
    await failure.waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Half a na");
    await page.unroute("**/v1/keys/2");
    await page.getByRole("button", { name: "Try again" }).click();
    await failure.waitFor({ state: "detached" });
  });

  await t.test("shows a ban and lifts it, and shows when lifting fails", async (t) => {
    await banKey(app, secret);
    const page = await openKeys(t, { expected: [404] });
    await rowOf(page, "Website")
      .getByText(/^Banned$/)
      .waitFor();
    await rowOf(page, "Website")
      .getByText(/^until \d\d:\d\d$/)
      .waitFor();
    await openKey(page, "Website");
    await page.getByText("3 of 3 used").waitFor();
    await page.getByText(/^Banned until \d\d:\d\d, because/).waitFor();
    await keepScreenshot(page, "console-banned");
    await page.route("**/unban", (route) => route.fulfill(refusal(404, "key_not_found", "Nowhere.")));
    await page.getByRole("button", { name: "Lift the ban" }).click();
    await page
      .getByRole("alert")
      .and(page.locator(".failure"))
      .filter({ hasText: "This key no longer exists." })
      .waitFor();
    await page.unroute("**/unban");
    await page.getByRole("button", { name: "Lift the ban" }).click();
    await notice(page, "The ban of Website is lifted").waitFor();
    await page.getByRole("button", { name: "Lift the ban" }).waitFor({ state: "detached" });
    assert.equal((await call("GET", "/pets", { key: secret })).json.code, "rate_limit_exceeded");
  });
});

testConsole("Keys are changed in the console", async (t, { app, visit }) => {
  const { call, createKey } = app;
  const openKeys = (t: TestContext, options = {}) => visit(t, { at: "keys", ...options });
  const { key: secret } = await createKey({ name: "Website", plan: "enterprise" });

  await t.test("changes plan, access, limits and expiry", async (t) => {
    const page = await openKeys(t);
    await openKey(page, "Website");
    await page.getByLabel("Plan").selectOption("pro");
    await page.getByLabel("Access").selectOption("adopt");
    await page.getByLabel("Expires").fill("2030-01-31T12:00");
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Website was changed").waitFor();
    const changed = (await call("GET", "/keys/2")).json;
    assert.deepEqual([changed.plan, changed.access, changed.perMinute], ["pro", "adopt", 300]);
    assert.ok(changed.expiresAt.startsWith("2030-01-31"));
    await page.getByLabel("Expires").fill("");
    await page.getByLabel("Plan").selectOption("enterprise");
    await page.getByLabel("Requests per minute").fill("77");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("of 77 used").waitFor();
    assert.equal((await call("GET", "/keys/2")).json.expiresAt, undefined);
  });

  await t.test("rotates a key: the new secret works, the old one ends as chosen", async (t) => {
    const page = await openKeys(t);
    await openKey(page, "Website");
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByLabel("The old secret keeps working").selectOption("not at all");
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const fresh = await readSecret(page);
    assert.equal((await call("GET", "/usage", { key: fresh })).status, 200);
    assert.equal((await call("GET", "/usage", { key: secret })).status, 401);
  });

  await t.test("revokes a key after a confirmation, and then offers no actions for it", async (t) => {
    const page = await openKeys(t);
    await openKey(page, "Website");
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Revoke permanently" }).waitFor();
    assert.equal(
      await page.getByLabel(/to confirm/).count(),
      0,
      "only revoking one's own key asks for its name",
    );
    await cancelConfirmation(page, "Revoke permanently");
    assert.equal((await call("GET", "/keys/2")).json.state, "active");
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Revoke permanently" }).click();
    await notice(page, "Website is revoked.").waitFor();
    await page.getByText("This key is revoked permanently").waitFor();
    assert.equal(await page.getByRole("button", { name: /Rotate|Revoke|Save/ }).count(), 0);
    await page.getByRole("link", { name: "All keys" }).click();
    await rowOf(page, "Website").filter({ hasText: "Revoked" }).waitFor();
  });

  await t.test("keeps the secret on screen until it was copied or confirmed as stored", async (t) => {
    const page = await openKeys(t, { ownContext: {} });
    await stopTimers(page);
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Kiosk");
    await page.keyboard.press("Enter");
    await page.locator(".secret").waitFor();
    await untilShown(() => page.evaluate("document.activeElement.textContent"), "Copy");
    // At the second Escape the browser closes a dialog without asking the page.
    for (let i = 0; i < 3; i++) await page.keyboard.press("Escape");
    await page.getByText("Copy the secret first").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    assert.ok(await page.locator(".secret").isVisible());
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.locator(".secret").waitFor({ state: "detached" });
    await rowOf(page, "Kiosk").waitFor();
  });

  await t.test("saving sends the changed fields only", async (t) => {
    const body = {
      name: "Backup",
      plan: "enterprise",
      access: "admin",
      expiresAt: "2031-05-06T07:08:09.000Z",
    };
    const { id } = (await call("POST", "/keys", { body })).json;
    const page = await openKeys(t);
    await openKey(page, "Backup");
    await untilShown(() => page.getByLabel("Access").inputValue(), "admin");
    await page.getByText("In your local time").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Nothing was changed.").waitFor();
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByLabel("Name", { exact: true }).fill("Backups");
    await page.getByRole("button", { name: "Save" }).click();
    assert.deepEqual((await sent).postDataJSON(), { name: "Backups" });
    await notice(page, "Backups was changed").waitFor();
    const { access, expiresAt } = (await call("GET", `/keys/${id}`)).json;
    assert.deepEqual([access, expiresAt], ["admin", body.expiresAt]);
  });
});

testConsole("The own key in the list of keys", async (t, { app, visit }) => {
  const { call, createKey } = app;
  const openKeys = (t: TestContext, options = {}) => visit(t, { at: "keys", ...options });

  await t.test("rotating one's own key shows the new secret and continues with it", async (t) => {
    const own = await createKey({ plan: "pro", access: "admin", name: "Mine" });
    const page = await openKeys(t, { key: own.key });
    await rowOf(page, "Mine").filter({ hasText: "yours" }).waitFor();
    await openKey(page, "Mine");
    await page.getByRole("button", { name: "Rotate…" }).waitFor();
    // The second rotation begins before the page has read what the first has changed.
    const release = await hold(page, `**/v1/keys/${own.id}`);
    for (const grace of ["not at all", "for a day"]) {
      await page.getByRole("button", { name: "Rotate…" }).click();
      await page.getByLabel("The old secret keeps working").selectOption(grace);
      await page.getByRole("button", { name: "Rotate", exact: true }).click();
      const fresh = await readSecret(page);
      assert.equal(await page.evaluate("Object.values(sessionStorage).join()"), fresh);
      const read = page.waitForRequest((request) => request.url().endsWith(`/v1/keys/${own.id}`));
      await page.getByRole("button", { name: "I have stored it" }).click();
      assert.equal((await read).headers().authorization, `Bearer ${fresh}`);
    }
    release();
    await page.getByText("the key you are signed in with").waitFor();
    await page.reload();
    await page.getByText("the key you are signed in with").waitFor();
  });

  await t.test("lowering the access of one's own key hides the other places at once", async (t) => {
    const own = await createKey({ plan: "pro", access: "admin", name: "Too much" });
    const page = await openKeys(t, { key: own.key });
    await openKey(page, "Too much");
    await page.getByLabel("Access").selectOption("browse");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Animals" }).waitFor();
    await page.getByRole("link", { name: "Keys" }).waitFor({ state: "detached" });
  });

  await t.test("revoking one's own key signs out and says why", async (t) => {
    const own = await createKey({ plan: "pro", access: "admin", name: "Gone" });
    const page = await openKeys(t, { key: own.key });
    await openKey(page, "Gone");
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByText("It is the key you are signed in with").waitFor();
    const confirm = page.getByLabel("Type Gone to confirm");
    const isActive = async () => (await call("GET", "/usage", { key: own.key })).status === 200;
    await page.getByRole("button", { name: "Revoke permanently" }).click();
    await untilShown(() => page.locator("input[name=phrase]:invalid").count(), 1);
    await confirm.fill("gone");
    await page.getByRole("button", { name: "Revoke permanently" }).click();
    await page.getByRole("alert").filter({ hasText: "Nothing was changed. Type Gone" }).waitFor();
    assert.ok(await isActive());
    await keepScreenshot(page, "console-revoke-own");
    await confirm.fill("Gone");
    await page.getByRole("button", { name: "Revoke permanently" }).click();
    await page.getByRole("alert").filter({ hasText: "You have revoked the key" }).waitFor();
    await page.getByLabel("API key").waitFor();
    assert.equal((await call("GET", "/usage", { key: own.key })).status, 401);
  });

  await t.test("shows the limits of each plan where one is chosen", async (t) => {
    const page = await openKeys(t);
    await page.getByRole("button", { name: "Create a key" }).click();
    const choices = await page.getByLabel("Plan").locator("option").allTextContents();
    assert.deepEqual(choices, [
      "Free – 60 a minute, 1,000 a day",
      "Pro – 300 a minute, 10,000 a day",
      "Business – 1,000 a minute, 100,000 a day",
      "Enterprise – 10,000 a minute, 1,000,000 a day, or limits of its own",
    ]);
  });
});

testConsole("Keys are found in the console", async (t, { app, visit }) => {
  const { url, call, createKey } = app;
  const openKeys = (t: TestContext, options = {}) => visit(t, { at: "keys", ...options });

  await t.test("the page of a key shows its use by day and operation, and what it has open", async (t) => {
    const used = await createKey({ name: "Kiosk app", access: "manage" });
    for (let i = 0; i < 3; i++) await call("GET", "/pets", { key: used.key });
    await call("GET", "/store/orders/999", { key: used.key });
    const page = await visit(t, { at: `keys/${used.id}`, expected: [404] });
    await page.getByRole("heading", { level: 1, name: "Kiosk app" }).waitFor();
    await untilShown(() => page.title(), "Kiosk app – Animal Store");
    const table = page.getByRole("table", { name: "By operation" });
    const counts = (operation: string) =>
      table.getByRole("row").filter({ hasText: operation }).getByRole("cell").allTextContents();
    await untilShown(() => counts("listPets"), ["3", "0", "0", "0"]);
    assert.deepEqual(await counts("getOrder"), ["0", "1", "0", "0"]);
    await page.getByRole("img", { name: /^4 requests of this key in the last 30 days/ }).waitFor();
    await page.getByText("Requests per day", { exact: true }).first().waitFor();
    await page.getByText("4 of 1,000 used").waitFor();
    const facts = page.locator(".facts");
    await facts.getByText("60 a minute, 1,000 a day").waitFor();
    await facts.getByText("Live connections now").waitFor();
    await page.getByText("This key has no webhooks.").waitFor();
    await page.goto(`${url}/#keys/4711`);
    await page.getByText("There is no key with the number 4711.").waitFor();
  });

  await t.test("finds keys by name or beginning, and keeps a pasted secret out of the address", async (t) => {
    const { id, key: secret } = await createKey({ name: "Ünique" });
    const page = await openKeys(t);
    const search = page.getByRole("searchbox");
    await search.fill("ünIQ");
    await untilShown(() => page.locator("tbody tr").count(), 1);
    await rowOf(page, "Ünique").waitFor();
    await page.waitForURL(/#keys\?q=/);
    await search.fill("no such key");
    await page.getByText("No key found for “no such key”.").waitFor();
    await page.getByRole("button", { name: "Show all keys" }).click();
    await rowOf(page, "First key").waitFor();
    await search.fill(secret);
    await untilShown(() => page.locator("tbody tr .number").allTextContents(), [String(id)]);
    assert.ok(!page.url().includes(secret.slice(0, 14)), page.url());
    // As if every page had a next one.
    await page.route("**/v1/keys?*", (route) =>
      route.fulfill({ json: [], headers: { link: `<${url}/v1/keys?limit=100&cursor=x>; rel="next"` } }),
    );
    await search.fill("far away");
    await page.getByText("Only the first 1,000 keys were searched.").waitFor();
  });

  await t.test("goes through the pages, forwards and back", async (t) => {
    for (let i = 1; i <= 20; i++)
      await call("POST", "/keys", { body: { name: `Branch no. ${i}`, plan: "free" } });
    const page = await openKeys(t);
    await rowOf(page, "First key").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await rowOf(page, "Branch no. 20").waitFor();
    await page.getByText("Page 2").waitFor();
    await untilShown(() => page.getByRole("button", { name: "Next" }).isDisabled(), true);
    await page.getByRole("button", { name: "Previous" }).click();
    await rowOf(page, "First key").waitFor();
  });
});
