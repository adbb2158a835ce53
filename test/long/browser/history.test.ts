// The history on the page of an animal with more changes than the first view reads.

import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import {
  keepScreenshot,
  refusal,
  setVisible,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";

/** With the creation 620 changes: six full pages of the service, and a part of one. */
const RENAMES = 619;
const FULL_PAGES = 6;
const AT_A_TIME = 20;

const region = (page: Page) => page.getByRole("region", { name: "History" });
const entries = (page: Page) => region(page).getByRole("listitem");
const newer = (page: Page) => region(page).getByRole("button", { name: "Show newer changes" });
const focused = (page: Page) => page.evaluate("document.activeElement.textContent");

testConsole("The history in the console", async (t, { app, visit }) => {
  const { url, call } = app;
  const rename = async (id: number, name: string) => {
    const { status } = await call("PATCH", `/pets/${id}`, { body: { name } });
    assert.equal(status, 200);
  };

  await t.test("shows the newest of 620 changes after one press, and later ones by itself", async (t) => {
    const { id } = (await call("POST", "/pets", { body: { name: "Busy", categoryId: 1 } })).json;
    for (let done = 0; done < RENAMES - 1; done += AT_A_TIME) {
      const count = Math.min(AT_A_TIME, RENAMES - 1 - done);
      await Promise.all(Array.from({ length: count }, (_, index) => rename(id, `Busy ${done + index}`)));
    }
    await rename(id, "Newest");
    const page = await visit(t);
    const reads: string[] = [];
    page.on("request", (request) => request.url().includes("/history?") && reads.push(request.url()));
    await page.goto(`${url}/#animals/${id}`);
    await region(page).getByText("The oldest 500 changes are shown.").waitFor();
    assert.equal(await entries(page).count(), 500);
    assert.equal(reads.length, 5, "the first view is bounded");
    await keepScreenshot(page, "console-history-part");

    await newer(page).press("Enter");
    await region(page).getByText("All 620 changes are shown.").waitFor();
    await newer(page).waitFor({ state: "detached" });
    assert.equal(await focused(page), "All 620 changes are shown.");
    assert.equal(await entries(page).count(), 620);
    assert.match((await entries(page).first().textContent()) ?? "", / to Newest\./);
    assert.match((await entries(page).last().textContent()) ?? "", /added the animal/);

    await rename(id, "Newer than that");
    await entries(page).first().filter({ hasText: "to Newer than that." }).waitFor();
    await region(page).getByText("All 621 changes are shown.").waitFor();
    const full = new Set(reads.filter((each) => each !== reads.at(-1)));
    assert.equal(full.size, FULL_PAGES);
    for (const each of full)
      assert.equal(reads.filter((read) => read === each).length, 1, "a full page is read once");
  });

  await t.test("leaves a failed part out, and reads it after Try again", async (t) => {
    const page = await visit(t, { at: "animals/1", expected: [400] });
    await newer(page).waitFor();
    const refuse = (route: Route) => route.fulfill(refusal(400, "invalid_query", "Not now."));
    await page.route("**/history?*", refuse);
    await newer(page).click();
    await region(page).getByRole("alert").filter({ hasText: "Not now." }).waitFor();
    assert.equal(await entries(page).count(), 500);
    await page.unroute("**/history?*");
    await region(page).getByRole("button", { name: "Try again" }).click();
    await region(page).getByText("All 621 changes are shown.").waitFor();
  });

  await t.test("says nothing about parts where the first view has all changes", async (t) => {
    const { id } = (await call("POST", "/pets", { body: { name: "Calm", categoryId: 1 } })).json;
    const page = await visit(t, { at: `animals/${id}` });
    await entries(page).first().waitFor();
    assert.equal(await region(page).getByText("shown").count(), 0);
    assert.equal(await newer(page).count(), 0);
  });

  await t.test("reads the history from its start when the feed has begun anew", async (t) => {
    const { id } = (await call("POST", "/pets", { body: { name: "Restored", categoryId: 1 } })).json;
    let author = 7001;
    /** Two pages, as of a store whose data an operator replaces. */
    const answer = (route: Route) => {
      const isFirst = !route.request().url().includes("cursor=");
      const one = { what: "pet.created", petId: id, at: new Date().toISOString(), keyId: author };
      const numbers = isFirst ? Array.from({ length: PAGE_LIMIT_MAX }, (_, index) => index + 1) : [1_000];
      const link = `<${url}/v1/pets/${id}/history?limit=100&cursor=next>; rel="next"`;
      return route.fulfill({
        headers: isFirst ? { link } : {},
        json: numbers.map((number) => ({ number, ...one })),
      });
    };
    const page = await visit(t, { expected: [410] });
    await page.route("**/history?*", answer);
    await page.goto(`${url}/#animals/${id}`);
    await untilShown(() => entries(page).filter({ hasText: "Key 7001" }).count(), PAGE_LIMIT_MAX + 1);
    await setVisible(page, false);
    await page.route("**/v1/events/stream?after=*", (route) =>
      route.request().url().includes("after=now")
        ? route.continue()
        : route.fulfill(refusal(410, "feed_reset", "Anew.")),
    );
    author = 7002;
    await setVisible(page, true);
    await untilShown(() => entries(page).filter({ hasText: "Key 7002" }).count(), PAGE_LIMIT_MAX + 1);
  });
});
