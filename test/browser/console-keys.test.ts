// Keys in the console, for admins.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import {
  banKey,
  cancelConfirmation,
  keepScreenshot,
  openConsole,
  testConsole,
  untilShown,
} from "../harness/console.ts";

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const notice = (page: Page, text: string | RegExp) => page.getByRole("status").filter({ hasText: text });

testConsole("Keys in the console", async (t, { app, context }) => {
  const { url, call, createKey, adminKey: key } = app;
  const openKeys = async (t: Parameters<typeof openConsole>[0], options = {}) => {
    const page = await openConsole(t, context, { url, key, ...options });
    await page.getByRole("link", { name: "Keys" }).click();
    return page;
  };
  let secret = "";

  await t.test("creates a key, shows its secret once, and copies it by a button", async (t) => {
    const page = await openKeys(t, { ownContext: { permissions: ["clipboard-read", "clipboard-write"] } });
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Website");
    await page.getByLabel("Plan").selectOption("Enterprise");
    await page.getByLabel("Requests per minute").fill("3");
    await page.getByLabel("Requests per day").fill("500");
    await page.getByLabel("Access").selectOption("browse");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    secret = (await page.locator(".secret").textContent()) ?? "";
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
    const page = await openKeys(t, { expected: [404], ownContext: {} });
    await page.clock.install();
    await page.getByRole("button", { name: "Open Website" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 of 500 used").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Half a na");
    await call("GET", "/pets", { key: secret });
    await page.clock.runFor(11_000);
    await dialog.getByText("2 of 500 used").waitFor();
    await page.route("**/v1/keys/2", (route) =>
      route.fulfill({ status: 404, json: { code: "key_not_found", message: "Nowhere.", status: 404 } }),
    );
    await page.clock.runFor(11_000);
    await dialog.getByRole("alert").filter({ hasText: "Nowhere." }).waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Half a na");
    await page.unroute("**/v1/keys/2");
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.getByText("Nowhere.").waitFor({ state: "detached" });
  });

  await t.test("shows a ban and lifts it, and shows when lifting fails", async (t) => {
    await banKey(app, secret);
    const page = await openKeys(t, { expected: [404] });
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByRole("dialog").getByText("3 of 3 used").waitFor();
    await page
      .getByRole("dialog")
      .getByText(/^Banned until \d\d:\d\d/)
      .waitFor();
    await keepScreenshot(page, "console-banned");
    await page.route("**/unban", (route) =>
      route.fulfill({ status: 404, json: { code: "key_not_found", message: "Nowhere.", status: 404 } }),
    );
    await page.getByRole("button", { name: "Lift the ban" }).click();
    await page.getByRole("alert").and(page.locator(".failure")).filter({ hasText: "Nowhere." }).waitFor();
    await page.unroute("**/unban");
    await page.getByRole("button", { name: "Lift the ban" }).click();
    await notice(page, "The ban of Website is lifted").waitFor();
    await page.getByRole("button", { name: "Lift the ban" }).waitFor({ state: "detached" });
    assert.equal((await call("GET", "/pets", { key: secret })).json.code, "rate_limit_exceeded");
  });

  await t.test("changes plan, access, limits and expiry", async (t) => {
    const page = await openKeys(t);
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByLabel("Plan").selectOption("Pro");
    await page.getByLabel("Access").selectOption("adopt");
    await page.getByLabel("Expires").fill("2030-01-31T12:00");
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Website was changed").waitFor();
    const changed = (await call("GET", "/keys/2")).json;
    assert.deepEqual([changed.plan, changed.access, changed.perMinute], ["pro", "adopt", 300]);
    assert.ok(changed.expiresAt.startsWith("2030-01-31"));
    await page.getByLabel("Expires").fill("");
    await page.getByLabel("Plan").selectOption("Enterprise");
    await page.getByLabel("Requests per minute").fill("77");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByText("of 77 used").waitFor();
    assert.equal((await call("GET", "/keys/2")).json.expiresAt, undefined);
  });

  await t.test("rotates a key: the new secret works, the old one ends as chosen", async (t) => {
    const page = await openKeys(t);
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByLabel("The old secret keeps working").selectOption("not at all");
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const fresh = (await page.locator(".secret").textContent()) ?? "";
    assert.equal((await call("GET", "/usage", { key: fresh })).status, 200);
    assert.equal((await call("GET", "/usage", { key: secret })).status, 401);
  });

  await t.test("revokes a key after a confirmation, and then offers no actions for it", async (t) => {
    const page = await openKeys(t);
    await page.getByRole("button", { name: "Open Website" }).click();
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
    await rowOf(page, "Website").filter({ hasText: "Revoked" }).waitFor();
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByText("This key is revoked permanently").waitFor();
    assert.equal(await page.getByRole("button", { name: /Rotate|Revoke|Save/ }).count(), 0);
  });

  await t.test("keeps the secret on screen until it was copied or confirmed as stored", async (t) => {
    const page = await openKeys(t);
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
    await page.getByRole("button", { name: "Open Backup" }).click();
    await untilShown(() => page.getByLabel("Access").inputValue(), "admin");
    await page.getByRole("dialog").getByText("In your local time").waitFor();
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

  await t.test("rotating one's own key shows the new secret and continues with it", async (t) => {
    const own = await createKey({ plan: "pro", access: "admin", name: "Mine" });
    const page = await openKeys(t, { key: own.key });
    for (const grace of ["not at all", "for a day"]) {
      await rowOf(page, "Mine").filter({ hasText: "yours" }).waitFor();
      await page.getByRole("button", { name: "Open Mine" }).click();
      await page.getByRole("button", { name: "Rotate…" }).click();
      await page.getByLabel("The old secret keeps working").selectOption(grace);
      await page.getByRole("button", { name: "Rotate", exact: true }).click();
      const fresh = (await page.locator(".secret").textContent()) ?? "";
      assert.equal(await page.evaluate("Object.values(sessionStorage).join()"), fresh);
      const listed = page.waitForRequest((request) => request.url().endsWith("/v1/keys"));
      await page.getByRole("button", { name: "I have stored it" }).click();
      assert.equal((await listed).headers().authorization, `Bearer ${fresh}`);
    }
    await rowOf(page, "Mine").filter({ hasText: "yours" }).waitFor();
    await page.reload();
    await rowOf(page, "Mine").filter({ hasText: "yours" }).waitFor();
  });

  await t.test("lowering the access of one's own key hides the other places at once", async (t) => {
    const own = await createKey({ plan: "pro", access: "admin", name: "Too much" });
    const page = await openKeys(t, { key: own.key });
    await page.getByRole("button", { name: "Open Too much" }).click();
    await page.getByLabel("Access").selectOption("browse");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Animals" }).waitFor();
    await page.getByRole("link", { name: "Keys" }).waitFor({ state: "detached" });
  });

  await t.test("revoking one's own key signs out and says why", async (t) => {
    const own = await createKey({ plan: "pro", access: "admin", name: "Gone" });
    const page = await openKeys(t, { key: own.key });
    await page.getByRole("button", { name: "Open Gone" }).click();
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
    await notice(page, "You have revoked the key").waitFor();
    await page.getByLabel("API key").waitFor();
    assert.equal((await call("GET", "/usage", { key: own.key })).status, 401);
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
