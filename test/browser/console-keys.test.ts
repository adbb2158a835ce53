// Keys in the console, for admins.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { keepScreenshot, openConsole, testConsole, turnDown } from "../harness/console.ts";

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const notice = (page: Page, text: string | RegExp) => page.getByRole("status").filter({ hasText: text });

testConsole("Keys in the console", async (t, { service, browser }) => {
  const { url, call, adminKey: key } = service;
  const openKeys = async (t: Parameters<typeof openConsole>[0], options = {}) => {
    const page = await openConsole(t, browser, { url, key, ...options });
    await page.getByRole("link", { name: "Keys" }).click();
    return page;
  };
  let secret = "";

  await t.test("one is created, its secret shown once and copied by a button", async (t) => {
    const page = await openKeys(t, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Website");
    await page.getByLabel("Plan").selectOption("Enterprise");
    await page.getByLabel("Requests a minute").fill("3");
    await page.getByLabel("Requests a day").fill("500");
    await page.getByLabel("Access").selectOption("browse");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    secret = (await page.locator(".secret").textContent()) ?? "";
    assert.match(secret, /^ask_live_\w{36}$/);
    await keepScreenshot(page, "console-secret");
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), secret);
    assert.equal((await call("GET", "/pets", { key: secret })).status, 200);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await rowOf(page, "Website").filter({ hasText: "3 a minute, 500 a day" }).waitFor();
    assert.equal(await page.getByText(secret).count(), 0);
    await page.reload();
    await rowOf(page, "Website").waitFor();
    assert.ok(!(await page.content()).includes(secret));
  });

  await t.test("its usage is shown, and its ban is lifted", async (t) => {
    for (let i = 0; i < 60; i++) await call("GET", "/pets", { key: secret });
    assert.equal((await call("GET", "/pets", { key: secret })).json.code, "key_banned");
    const page = await openKeys(t);
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByRole("dialog").getByText("3 of 3 used").waitFor();
    await page.getByRole("dialog").getByText("3 of 500 used").waitFor();
    await page
      .getByRole("dialog")
      .getByText(/^Banned until \d\d:\d\d/)
      .waitFor();
    await keepScreenshot(page, "console-banned");
    await page.getByRole("button", { name: "Lift the ban" }).click();
    await notice(page, "The ban of Website is lifted").waitFor();
    await page.getByRole("button", { name: "Lift the ban" }).waitFor({ state: "detached" });
    assert.equal((await call("GET", "/pets", { key: secret })).json.code, "rate_limit_exceeded");
  });

  await t.test("its plan, access, limits and end are changed", async (t) => {
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
    await page.getByLabel("Requests a minute").fill("77");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByText("of 77 used").waitFor();
    assert.equal((await call("GET", "/keys/2")).json.expiresAt, undefined);
  });

  await t.test("it is rotated: a new secret, and the old one for as long as was chosen", async (t) => {
    const page = await openKeys(t);
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByLabel("The old secret goes on working").selectOption("not at all");
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const fresh = (await page.locator(".secret").textContent()) ?? "";
    assert.equal((await call("GET", "/usage", { key: fresh })).status, 200);
    assert.equal((await call("GET", "/usage", { key: secret })).status, 401);
  });

  await t.test("it is revoked after a question, and then offers nothing more", async (t) => {
    const page = await openKeys(t);
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByRole("button", { name: "Revoke…" }).click();
    await turnDown(page, "Revoke for good");
    assert.equal((await call("GET", "/keys/2")).json.state, "active");
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Revoke for good" }).click();
    await rowOf(page, "Website").filter({ hasText: "Revoked" }).waitFor();
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByText("This key is revoked for good").waitFor();
    assert.equal(await page.getByRole("button", { name: /Rotate|Revoke|Save/ }).count(), 0);
  });
});
