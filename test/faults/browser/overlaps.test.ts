// Overlapping actions in the console: deletions, pages, filters and views that change while a request runs.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import {
  act,
  button,
  type ConsoleScene,
  hold,
  holdResponse,
  refusal,
  signIn,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";

const rowOf = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });

async function openScene({ app, visit }: ConsoleScene) {
  const { call } = app;
  // The newest is first.
  for (let i = 66; i >= 1; i--) {
    const status = i <= 45 ? "available" : "sold";
    await call("POST", "/pets", { body: { name: `Guppy ${i}`, categoryId: 1, status } });
  }
  return { ...app, app, visit };
}

testConsole("Deletions and pages that overlap in the console", async (t, scene) => {
  const { visit, call } = await openScene(scene);

  await t.test("a deleted animal stays hidden in a view opened before the deletion was sent", async (t) => {
    const page = await visit(t);
    await act(page, "Guppy 1", "Delete");
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("link", { name: "Animals", exact: true }).click();
    await rowOf(page, "Guppy 2").waitFor();
    await button(page, "Delete now").click();
    await button(page, "All 65").waitFor();
    assert.equal(await rowOf(page, "Guppy 1").count(), 0);
  });

  await t.test("a deletion sent from another page leaves that page as it is", async (t) => {
    const page = await visit(t);
    await act(page, "Guppy 2", "Delete");
    await button(page, "Next →").click();
    await rowOf(page, "Guppy 30").waitFor();
    await button(page, "Delete now").click();
    await button(page, "All 64").waitFor();
    await page.getByText("Page 2").waitFor();
    await rowOf(page, "Guppy 30").waitFor();
    assert.equal(await rowOf(page, "Guppy 3").count(), 0);
  });

  await t.test("a deletion sent under another filter reads the list of that filter again", async (t) => {
    const page = await visit(t);
    await button(page, "Next →").click();
    await act(page, "Guppy 30", "Delete");
    await button(page, "Adopted 21").click();
    await rowOf(page, "Guppy 46").waitFor();
    await button(page, "Delete now").click();
    await button(page, "All 63").waitFor();
    await rowOf(page, "Guppy 46").waitFor();
  });

  await t.test("deleting an animal that another client has deleted before is not an error", async (t) => {
    const page = await visit(t, { expected: [404] });
    await act(page, "Guppy 5", "Delete");
    await call("DELETE", "/pets/62");
    const answered = page.waitForResponse((response) => response.request().method() === "DELETE");
    await button(page, "Delete now").click();
    assert.equal((await answered).status(), 404);
    await button(page, "All 62").waitFor();
    assert.equal(await page.getByText("was not deleted").count(), 0);
    assert.equal(await rowOf(page, "Guppy 5").count(), 0);
    await call("POST", "/pets", { body: { name: "Guppy 67", categoryId: 1, status: "available" } });
  });

  await t.test("a double-click on Next goes one page further", async (t) => {
    const page = await visit(t);
    await rowOf(page, "Guppy 3").waitFor();
    const release = await hold(page, "**/v1/listings?*cursor=*");
    await button(page, "Next →").dblclick();
    release();
    await rowOf(page, "Guppy 29").waitFor();
    await page.getByText("Page 2").waitFor();
  });

  await t.test("Next does nothing until the filtered list is loaded", async (t) => {
    const page = await visit(t);
    await rowOf(page, "Guppy 3").waitFor();
    const release = await hold(page, "**/v1/listings?*status=sold*");
    await button(page, "Adopted 21").click();
    // click() would wait until the button is enabled.
    await button(page, "Next →").dispatchEvent("click");
    release();
    await rowOf(page, "Guppy 46").waitFor();
    await page.getByText("Page 1").waitFor();
  });

  await t.test("goes to the previous page when the last animal of a page is deleted", async (t) => {
    const page = await visit(t);
    await button(page, "Adopted 21").click();
    await rowOf(page, "Guppy 46").waitFor();
    await button(page, "Next →").click();
    await act(page, "Guppy 66", "Delete");
    await page.getByText("There are no animals left on this page.").waitFor();
    await button(page, "Delete now").click();
    await rowOf(page, "Guppy 46").waitFor();
    await untilShown(() => page.getByRole("navigation", { name: "Pages" }).count(), 0);
  });
});

testConsole("Requests that overlap in the console", async (t, scene) => {
  const { visit, adminKey: key, call } = await openScene(scene);

  await t.test("closing a form while its request runs shows a warning until it is dismissed", async (t) => {
    const page = await visit(t, { ownContext: {} });
    await button(page, "Add an animal").click();
    await page.getByLabel("Name", { exact: true }).fill("Guppy 3 b");
    await page.route("**/v1/pets", () => {});
    await page.clock.install();
    await button(page, "Add").click();
    await page.getByText("One moment…").waitFor();
    await page.keyboard.press("Escape");
    const warning = page.getByText("The request was already sent and may have succeeded");
    await warning.waitFor();
    await page.clock.runFor(60_000);
    await warning.waitFor();
    await button(page, "Dismiss").click();
    await warning.waitFor({ state: "detached" });
  });

  await t.test("leaving a view aborts its requests", async (t) => {
    const page = await visit(t);
    await rowOf(page, "Guppy 3").waitFor();
    const release = await hold(page, "**/v1/listings?*");
    const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/listings"));
    await button(page, /^Adopted/).click();
    await page.getByRole("link", { name: "Categories" }).click();
    await ended;
    release();
  });

  await t.test("a status that is changed while the list is read again stays as it was chosen", async (t) => {
    const page = await visit(t);
    await act(page, "Guppy 3", "Delete");
    const { read, release } = await holdResponse(page, "**/v1/listings?*");
    await button(page, "Delete now").click();
    await read;
    const status = page.getByLabel("Status of Guppy 4");
    await status.selectOption("Pending");
    await page.getByRole("status").filter({ hasText: "Guppy 4 is pending." }).waitFor();
    release();
    await rowOf(page, "Guppy 21").waitFor();
    assert.equal(await status.inputValue(), "pending");
  });

  await t.test("names of categories that were requested earlier do not replace newer ones", async (t) => {
    await call("PUT", "/categories/1", { body: { name: "Fish" } });
    const page = await visit(t, { key: undefined });
    const { read, release } = await holdResponse(page, "**/v1/categories?*", { times: 1 });
    await signIn(page, key);
    await read;
    await call("PUT", "/categories/1", { body: { name: "Guppies" } });
    const names = page.getByLabel("Filter by category").getByRole("option");
    await untilShown(() => names.allInnerTexts(), ["All categories", "Guppies"]);
    const late = page.waitForEvent("requestfinished", (request) => request.url().includes("/categories"));
    release();
    await late;
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    assert.deepEqual(await names.allInnerTexts(), ["All categories", "Guppies"]);
  });
});

testConsole("People and notices that overlap in the console", async (t, scene) => {
  const { app, visit, call } = await openScene(scene);

  await t.test("a late 401 to the old key does not sign out the next person", async (t) => {
    const page = await visit(t, { expected: [401] });
    const held = Promise.withResolvers<void>();
    await page.route("**/v1/pets/*", async (route) => {
      await held.promise;
      await route.fulfill(refusal(401, "invalid_api_key", "Revoked."));
    });
    await act(page, "Guppy 6", "Delete");
    const sent = page.waitForRequest((request) => request.method() === "DELETE");
    await button(page, "Sign out").click();
    await sent;
    const { key: other } = await app.createKey({ name: "Next person", access: "manage" });
    await call("PUT", "/categories/1", { body: { name: "Swarm" } });
    await signIn(page, other);
    await rowOf(page, "Guppy 7").filter({ hasText: "Swarm" }).waitFor();
    const categories = page.getByLabel("Filter by category").getByRole("option");
    await untilShown(() => categories.allInnerTexts(), ["All categories", "Swarm"]);
    await rowOf(page, "Guppy 7").waitFor();
    held.resolve();
    await page.locator(".notice.bad").filter({ hasText: "Guppy 6 was not deleted." }).waitFor();
    await rowOf(page, "Guppy 6").waitFor();
    await button(page, "Sign out").waitFor();
  });

  await t.test("the next person does not see the names of keys that the one before could read", async (t) => {
    const { key: staff } = await app.createKey({ name: "Front desk", access: "manage" });
    const { id } = (await call("POST", "/pets", { key: staff, body: { name: "Carp", categoryId: 1 } })).json;
    const page = await visit(t, { at: `animals/${id}` });
    const entry = page.getByRole("region", { name: "History" }).getByRole("listitem");
    await entry.filter({ hasText: "Front desk added the animal." }).waitFor();
    await button(page, "Sign out").click();
    await signIn(page, staff);
    await entry.filter({ hasText: /^Key \d+ added the animal\./ }).waitFor();
    await call("DELETE", `/pets/${id}`);
  });

  await t.test("a failure stays on the screen when others push older notices away", async (t) => {
    const page = await visit(t, { expected: [400] });
    await page.route("**/v1/pets/*", (route) =>
      route.request().method() === "DELETE"
        ? route.fulfill(refusal(400, "bad_request", "Not now."))
        : route.continue(),
    );
    await act(page, "Guppy 7", "Delete");
    await button(page, "Delete now").click();
    const failure = page.locator(".notice.bad").filter({ hasText: "Guppy 7 was not deleted. Not now." });
    await failure.waitFor();
    for (const name of ["Guppy 8", "Guppy 9", "Guppy 10"]) {
      await page.getByLabel(`Status of ${name}`).selectOption("Pending");
      await page
        .locator(".notice")
        .filter({ hasText: `${name} is pending.` })
        .waitFor();
    }
    assert.equal(await page.locator(".notice").count(), 3);
    await failure.waitFor();
  });

  await t.test("a changed row stays under the filter where it was changed, and under no other", async (t) => {
    const page = await visit(t);
    await page.getByRole("button", { name: /^Pending/ }).click();
    await page.getByLabel("Status of Guppy 8").selectOption("Available");
    await page.locator(".notice").filter({ hasText: "Guppy 8 is available." }).waitFor();
    await rowOf(page, "Guppy 8").waitFor();
    await page.getByRole("button", { name: /^Adopted/ }).click();
    await rowOf(page, "Guppy 46").waitFor();
    assert.equal(await rowOf(page, "Guppy 8").count(), 0);
  });
});
