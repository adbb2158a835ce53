// Webhooks in the console: list, creation, test, deliveries, settings, rotation and deletion, with a real receiver.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { Webhook as Standard } from "standardwebhooks";
import {
  type ConsoleScene,
  cancelConfirmation,
  hold,
  notice,
  readSecret,
  rowOf,
  testConsole,
  untilShown,
} from "../../harness/clients/console.ts";
import { COUNT_SHIFTS, checkSizes } from "../../harness/clients/looks.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";

const dialog = (page: Page) => page.getByRole("dialog");
const open = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();

/** The bodies of the PATCHes that the page sends from now on. */
function collectPatches(page: Page): unknown[] {
  const bodies: unknown[] = [];
  page.on("request", (request) => request.method() === "PATCH" && bodies.push(request.postDataJSON()));
  return bodies;
}

async function openScene(t: TestContext, { app, visit }: ConsoleScene) {
  const { call } = app;
  const receiver = await startReceiver(t);
  const { received } = receiver;
  const openWebhooks = (t: TestContext, options = {}) => visit(t, { at: "webhooks", ...options });
  return {
    ...app,
    app,
    visit,
    receiver,
    received,
    openWebhooks,
    addPet: (name: string) => call("POST", "/pets", { body: { name, categoryId: 1 } }),
    sentNames: () => received.map(({ event }) => event.data.pet?.name ?? event.type),
    addWebsite: () =>
      call("POST", "/webhooks", {
        body: { url: receiver.url, description: "Website", types: ["pet.created", "order.created"] },
      }),
    async openDetails(t: TestContext, name = "Website") {
      const page = await openWebhooks(t);
      await open(page, name);
      await page.getByText("Waiting to be sent").waitFor();
      return page;
    },
  };
}

testConsole("Webhooks are added and tested in the console", RECEIVER_SETTINGS, async (t, scene) => {
  const { app, visit, url, call, receiver, received, openWebhooks, addPet, openDetails } = await openScene(
    t,
    scene,
  );

  await t.test("shows at once which setting is missing when the service has no webhooks", async (t) => {
    const page = await visit(t, { expected: [503] });
    const message = "An operator must set WEBHOOK_SECRET_KEY.";
    await page.route("**/v1/webhooks", (route) =>
      route.fulfill({
        status: 503,
        headers: { "retry-after": "60" },
        json: { code: "unavailable", message, status: 503 },
      }),
    );
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("alert").filter({ hasText: message }).waitFor();
    await page.unroute("**/v1/webhooks");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("There are no webhooks yet.").waitFor();
  });

  await t.test("adds a webhook and shows its secret once; the secret signs what it sends", async (t) => {
    const page = await openWebhooks(t, { expected: [400] });
    await page.getByText("There are no webhooks yet.").waitFor();
    await page.getByRole("button", { name: "Add a webhook" }).click();
    await page.getByLabel("Address").fill("https://10.0.0.1/hook");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "url" }).waitFor();
    await page.getByLabel("Address").fill(receiver.url);
    await page.getByLabel("Description").fill("Website");
    await page.getByLabel("Animal added").check();
    await page.getByLabel("Adoption started").check();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const secret = await readSecret(page);
    await page.keyboard.press("Escape");
    await page.getByText("Copy the secret first").waitFor();
    await page.getByRole("button", { name: "I have stored it" }).click();
    await rowOf(page, "Website").filter({ hasText: "Animal added, Adoption started" }).waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await addPet("Rex");
    await receiver.until(1);
    const { body, headers, event } = received[0] as (typeof received)[0];
    assert.deepEqual(new Standard(secret).verify(body, headers), event);
    // The page of the key shows this webhook, and none of another key.
    const other = await app.createKey({ name: "Other", access: "manage" });
    await call("POST", "/webhooks", { key: other.key, body: { url: `${receiver.url}/other` } });
    await page.goto(`${url}/#keys/1`);
    const webhooks = page.getByRole("region", { name: "Webhooks" });
    assert.equal(await webhooks.getByRole("link", { name: "Website" }).getAttribute("href"), "#webhooks/1");
    await untilShown(() => webhooks.getByRole("listitem").allInnerTexts(), [`On Website\n${receiver.url}`]);
    await call("DELETE", "/webhooks/2");
    await webhooks.getByRole("link", { name: "All webhooks" }).click();
    await rowOf(page, "Website").waitFor();
  });

  await t.test("sends a test and shows the result", async (t) => {
    receiver.react((response) => response.end("thanks"));
    const page = await openDetails(t);
    await page.getByRole("button", { name: "Send a test" }).click();
    await notice(page, /The test arrived: the receiver answered 200 in \d+ ms\./).waitFor();
    await page.getByText("The response").click();
    await page.getByText("thanks").waitFor();
    assert.equal(received.at(-1)?.event.type, "webhook.test");
    receiver.react(500);
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByRole("alert").filter({ hasText: "The test failed: the receiver answered 500" }).waitFor();
    assert.equal(await page.locator(".success").filter({ hasText: "failed" }).count(), 0, "not in green");
  });

  await t.test("says why a webhook of a revoked key cannot be turned on", async (t) => {
    const other = await app.createKey({ name: "Gone", access: "manage" });
    const body = { url: `${receiver.url}/gone`, description: "Of a revoked key" };
    const { id } = (await call("POST", "/webhooks", { key: other.key, body })).json;
    await call("PATCH", `/webhooks/${id}`, { body: { status: "disabled" } });
    await call("DELETE", `/keys/${other.id}`);
    const page = await openWebhooks(t, { expected: [409] });
    await open(page, "Of a revoked key");
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("alert").filter({ hasText: "Create the webhook with another key." }).waitFor();
    await call("DELETE", `/webhooks/${id}`);
  });
});

testConsole("Deliveries of a webhook in the console", RECEIVER_SETTINGS, async (t, scene) => {
  const { app, url, service, receiver, received, openWebhooks, addPet, addWebsite, openDetails } =
    await openScene(t, scene);
  await addWebsite();
  await addPet("Rex");
  await receiver.until(1);

  await t.test("shows deliveries with their results, in pages and by status", async (t) => {
    const before = received.length;
    receiver.react(500);
    await addPet("Luna");
    await receiver.until(before + 1);
    receiver.react(204);
    // A failing webhook gets one attempt a second.
    app.clock.advance(1_000);
    for (let i = 1; i <= 10; i++) await addPet(`Guppy ${i}`);
    await receiver.until(before + 11);
    await service.runDeliveries();
    const page = await openDetails(t);
    await rowOf(page, "no. 12").filter({ hasText: "Delivered" }).filter({ hasText: "Answer 204" }).waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await rowOf(page, "no. 2").filter({ hasText: "Pending" }).filter({ hasText: "Answer 500" }).waitFor();
    await page.getByLabel("Show").selectOption("Delivered");
    await rowOf(page, "no. 12").waitFor();
    await page.getByLabel("Show").selectOption("Pending");
    await rowOf(page, "no. 2").waitFor();
    await untilShown(() => page.getByRole("row").count(), 2);
    await page.getByLabel("Show").selectOption("Failed");
    await page.getByText("None is failed.").waitFor();
  });

  await t.test("calls what was just done past, though the service's clock seems behind", async (t) => {
    const page = await openWebhooks(t);
    await page.route("**/deliveries?*", async (route) => {
      const response = await route.fetch();
      const lastAttemptAt = new Date(Date.now() + 30_000).toISOString();
      const json = ((await response.json()) as object[]).map((one) => ({ ...one, lastAttemptAt }));
      await route.fulfill({ response, json });
    });
    await open(page, "Website");
    await rowOf(page, "no. 12").getByText("just now").waitFor();
    assert.equal(await page.getByText("within a minute").count(), 0);
  });

  await t.test("shows the buttons together with the deliveries, which would move them", async (t) => {
    const page = await openWebhooks(t);
    const release = await hold(page, "**/deliveries?*");
    const webhookRead = page.waitForResponse((response) => response.url().endsWith("/v1/webhooks/1"));
    await open(page, "Website");
    await (await webhookRead).finished();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const turnOff = page.getByRole("button", { name: "Turn off" });
    assert.equal(await turnOff.count(), 0);
    release();
    await turnOff.waitFor();
    assert.equal(await rowOf(page, "no. 12").count(), 1);
    assert.equal(await page.evaluate("scrollY"), 0);
    assert.equal(await page.evaluate("document.activeElement.localName"), "main");
  });

  await t.test(
    "has an address for each webhook, status and page, which reload, back and a colleague use",
    async (t) => {
      const page = await openDetails(t);
      await page.getByRole("button", { name: "Next" }).click();
      await rowOf(page, "no. 2").waitFor();
      await page.reload();
      await rowOf(page, "no. 2").waitFor();
      await page.getByText("Page 2").waitFor();
      await page.getByLabel("Show").selectOption("Delivered");
      await rowOf(page, "no. 12").waitFor();
      assert.equal(new URL(page.url()).hash, "#webhooks/1?status=delivered");
      assert.equal(await page.title(), "Website – Animal Store");
      await page.goBack();
      await rowOf(page, "no. 2").waitFor();
      await page.goBack();
      await rowOf(page, "no. 12").waitFor();
      await page.goBack();
      await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
      const { key } = await app.createKey({ access: "manage" });
      const other = await openWebhooks(t, { key, at: "webhooks/1?status=pending", expected: [404] });
      await other.getByText("There is no webhook with the number 1.").waitFor();
      const colleague = await openWebhooks(t, { at: "webhooks/1?status=pending" });
      await rowOf(colleague, "no. 2").waitFor();
      assert.equal(await colleague.getByLabel("Show").inputValue(), "pending");
      for (const unknown of ["404", "12x", "-"]) {
        await other.goto(`${url}/#webhooks/${unknown}`);
        await other.getByText(`There is no webhook with the number ${unknown}.`).waitFor();
      }
      await other.getByRole("main").getByRole("link", { name: "All webhooks" }).click();
      await other.getByText("There are no webhooks yet.").waitFor();
    },
  );

  await t.test("moves nothing while the page of a webhook loads, and fits at both widths", async (t) => {
    const page = await openWebhooks(t, { at: "webhooks/1" });
    await page.addInitScript(COUNT_SHIFTS);
    await checkSizes(page, rowOf(page, "no. 12"));
  });
});

testConsole(
  "A webhook sends again, and is turned off, in the console",
  RECEIVER_SETTINGS,
  async (t, scene) => {
    const { service, receiver, received, addPet, sentNames, addWebsite, openDetails } = await openScene(
      t,
      scene,
    );
    await addWebsite();
    for (let i = 1; i <= 4; i++) await addPet(`Guppy ${i}`);
    await receiver.until(4);

    await t.test("sends one event again, or it and all later ones", async (t) => {
      const page = await openDetails(t);
      const before = received.length;
      await page.getByRole("button", { name: "Send again: no. 2" }).click();
      await dialog(page).last().getByRole("button", { name: "Send again", exact: true }).click();
      await receiver.until(before + 1);
      assert.deepEqual(sentNames().slice(before), ["Guppy 2"]);
      assert.equal(received.filter(({ headers }) => headers["webhook-id"] === idOf("Guppy 2")).length, 2);
      await page.getByRole("button", { name: "Send again: no. 3" }).click();
      await page.getByLabel("Send", { exact: true }).last().selectOption("this event and all later ones");
      await dialog(page).last().getByRole("button", { name: "Send again", exact: true }).click();
      await receiver.until(before + 3);
      await service.runDeliveries();
      assert.deepEqual(sentNames().slice(before).toSorted(), ["Guppy 2", "Guppy 3", "Guppy 4"]);
    });

    function idOf(name: string): string | undefined {
      return received.find(({ event }) => event.data.pet?.name === name)?.event.id;
    }

    await t.test("turns a webhook off and on, and asks where to continue", async (t) => {
      const page = await openDetails(t);
      const styleOf = (name: string) => page.getByRole("button", { name }).getAttribute("class");
      assert.equal(await styleOf("Turn off"), "danger");
      await page.getByRole("button", { name: "Turn off" }).click();
      await page.getByText("It is turned off because someone turned it off.").waitFor();
      await untilShown(() => page.evaluate("document.activeElement.name"), "resume");
      assert.equal(await styleOf("Turn on"), "primary");
      await addPet("Missed");
      await page.getByLabel("Send", { exact: true }).selectOption("new changes only");
      await page.getByRole("button", { name: "Turn on" }).click();
      await page.getByRole("button", { name: "Turn off" }).waitFor();
      const before = received.length;
      await addPet("New");
      await receiver.until(before + 1);
      await page.getByRole("button", { name: "Turn off" }).click();
      await page.getByRole("button", { name: "Turn on" }).waitFor();
      await addPet("Kept");
      await page.getByRole("button", { name: "Turn on" }).click();
      await receiver.until(before + 2);
      assert.deepEqual(sentNames().slice(before), ["New", "Kept"]);
    });
  },
);

testConsole("Webhooks are changed and deleted in the console", RECEIVER_SETTINGS, async (t, scene) => {
  const { call, receiver, received, openWebhooks, addPet, addWebsite, openDetails } = await openScene(
    t,
    scene,
  );
  await addWebsite();

  await t.test("keeps the focus in a field when the webhook is turned off elsewhere", async (t) => {
    const page = await openWebhooks(t, { ownContext: {} });
    await page.clock.install();
    await open(page, "Website");
    await page.getByLabel("Description").fill("Web");
    await call("PATCH", "/webhooks/1", { body: { status: "disabled" } });
    await page.clock.runFor(10_000);
    await page.getByText("It is turned off because someone turned it off.").waitFor();
    await page.clock.runFor(1_000);
    await page.keyboard.type("shop");
    assert.equal(await page.getByLabel("Description").inputValue(), "Webshop");
    await call("PATCH", "/webhooks/1", { body: { status: "enabled" } });
  });

  await t.test("saves only what was changed, and keeps patterns of types", async (t) => {
    await call("PATCH", "/webhooks/1", { body: { types: ["pet.*"] } });
    const page = await openDetails(t);
    const patches = collectPatches(page);
    assert.ok(await page.getByLabel("Animal deleted").isChecked());
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Nothing was changed.").waitFor();
    await page.getByLabel("Description").fill("Website II");
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Website II was changed.").waitFor();
    for (const type of ["Animal added", "Animal changed", "Animal deleted"])
      await page.getByLabel(type).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Website II was changed.").waitFor();
    await untilShown(async () => patches.length, 2);
    assert.deepEqual(patches, [{ description: "Website II" }, { types: null }]);
  });

  await t.test("rotates the secret and shows the new one, which signs the next request", async (t) => {
    const page = await openDetails(t, "Website II");
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const secret = await readSecret(page);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await untilShown(() => page.locator(".secret").count(), 0);
    const before = received.length;
    await addPet("Signed anew");
    await receiver.until(before + 1);
    const { body, headers } = received.at(-1) as (typeof received)[0];
    new Standard(secret).verify(body, headers);
  });

  await t.test("deletes a webhook after a confirmation", async (t) => {
    const page = await openDetails(t, "Website II");
    await page.getByRole("button", { name: "Delete…" }).click();
    await cancelConfirmation(page, "Delete permanently");
    assert.equal((await call("GET", "/webhooks")).json.length, 1);
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await notice(page, "Website II is deleted.").waitFor();
    await page.getByText("There are no webhooks yet.").waitFor();
    assert.deepEqual((await call("GET", "/webhooks")).json, []);
  });
});
