// Webhooks in the console: list, creation, test, deliveries, settings, rotation and deletion.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { cancelConfirmation, openConsole, testConsole, untilShown } from "../harness/console.ts";
import { createWebhookStub } from "../harness/webhook-stub.ts";

const URL = "https://hooks.example.net/animals";
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const notice = (page: Page, text: string | RegExp) => page.getByRole("status").filter({ hasText: text });

testConsole("Webhooks in the console", async (t, { app, context }) => {
  const { url, adminKey: key, createKey } = app;
  const stub = createWebhookStub();
  const openWebhooks = async (t: TestContext, options = {}) => {
    const page = await openConsole(t, context, { url, ...options });
    await stub.serve(page);
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Webhooks" }).click();
    return page;
  };
  const lastRequest = (method: string) => stub.requests.findLast(([each]) => each === method)?.slice(1);
  const open = async (page: Page) => {
    await page.getByRole("button", { name: "Open Website" }).click();
    await page.getByRole("dialog").getByText("Waiting to be sent").waitFor();
  };

  await t.test("is offered for access manage, and only where the service has webhooks", async (t) => {
    for (const [access, isOffered] of [
      ["manage", true],
      ["adopt", false],
    ] as const) {
      const page = await openConsole(t, context, { url });
      await stub.serve(page);
      await page.getByLabel("API key").fill((await createKey({ plan: "pro", access })).key);
      await page.keyboard.press("Enter");
      await page.getByText("There are no animals yet.").waitFor();
      const link = page.getByRole("link", { name: "Webhooks" });
      if (isOffered) await link.waitFor();
      else assert.equal(await link.count(), 0);
    }
  });

  await t.test("adds a webhook and shows its secret once", async (t) => {
    const page = await openWebhooks(t, { expected: [400] });
    await page.getByText("There are no webhooks yet.").waitFor();
    await page.getByRole("button", { name: "Add a webhook" }).click();
    await page.getByLabel("Address").fill("http://hooks.example.net/animals");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "url must begin with https://" }).waitFor();
    await page.getByLabel("Address").fill(URL);
    await page.getByLabel("Description").fill("Website");
    await page.getByLabel("Animal added").check();
    await page.getByLabel("Order placed").check();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const secret = (await page.locator(".secret").textContent()) ?? "";
    assert.match(secret, /^whsec_/);
    await page.keyboard.press("Escape");
    await page.getByText("Copy the secret first").waitFor();
    await page.getByRole("button", { name: "I have stored it" }).click();
    await rowOf(page, "Website").filter({ hasText: "Animal added, Order placed" }).waitFor();
    assert.ok(!(await page.content()).includes(secret));
    const types = ["pet.created", "order.created"];
    assert.deepEqual(lastRequest("POST"), ["", { url: URL, description: "Website", types }]);
  });

  await t.test("sends a test and shows the result", async (t) => {
    const page = await openWebhooks(t);
    await open(page);
    await page.getByRole("button", { name: "Send a test" }).click();
    await notice(page, "The test arrived: the receiver answered 204 in 87 ms.").waitFor();
    await page.getByText("The response").click();
    await page.getByText("thanks").waitFor();
  });

  await t.test("shows deliveries with their results, in pages and by status", async (t) => {
    for (let number = 25; number >= 1; number--) {
      const status = number % 5 === 0 ? "failed" : "delivered";
      const result =
        status === "failed"
          ? { lastError: "Connection refused", attempts: 10 }
          : { lastStatus: 204, attempts: 1 };
      stub.deliveries.push({
        id: number,
        eventId: `evt_ab_12_${number}`,
        number,
        type: "pet.created",
        status,
        lastAttemptAt: "2026-11-16T08:00:00.000Z",
        ...result,
      });
    }
    const page = await openWebhooks(t);
    await open(page);
    await rowOf(page, "no. 25").filter({ hasText: "Connection refused, 10 attempts" }).waitFor();
    await rowOf(page, "no. 24").filter({ hasText: "Answer 204" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Next" }).click();
    await rowOf(page, "no. 15").waitFor();
    await page.getByLabel("Show").selectOption("Failed");
    await rowOf(page, "no. 25").waitFor();
    await untilShown(() => page.getByRole("dialog").getByRole("row").count(), 6);
  });

  await t.test("sends one event again, or it and all later ones", async (t) => {
    const page = await openWebhooks(t);
    await open(page);
    await page.getByRole("button", { name: "Send no. 25 again" }).click();
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await notice(page, "It will be sent again").waitFor();
    assert.deepEqual(lastRequest("POST"), ["/1/replay", { deliveryId: 25 }]);
    await page.getByRole("button", { name: "Send no. 20 again" }).click();
    await page.getByLabel("Send", { exact: true }).last().selectOption("this event and all later ones");
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await untilShown(async () => lastRequest("POST"), ["/1/replay", { after: "ab_12-19" }]);
  });

  await t.test("turns a webhook off and on, and asks where to continue", async (t) => {
    const page = await openWebhooks(t);
    await open(page);
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("It is turned off because someone turned it off.").waitFor();
    assert.deepEqual(lastRequest("PATCH"), ["/1", { status: "disabled" }]);
    await page.getByLabel("Send", { exact: true }).selectOption("new changes only");
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("button", { name: "Turn off" }).waitFor();
    assert.deepEqual(lastRequest("PATCH"), ["/1", { status: "enabled", after: "now" }]);
  });

  await t.test("saves only what was changed, and keeps patterns of types", async (t) => {
    Object.assign(stub.webhooks.get(1) ?? {}, { types: ["pet.*"] });
    const page = await openWebhooks(t);
    await open(page);
    assert.ok(await page.getByLabel("Animal deleted").isChecked());
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Nothing was changed.").waitFor();
    await page.getByLabel("Description").fill("Website II");
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Website II was changed.").waitFor();
    assert.deepEqual(lastRequest("PATCH"), ["/1", { description: "Website II" }]);
    for (const type of ["Animal added", "Animal changed", "Animal deleted"])
      await page.getByLabel(type).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await untilShown(async () => lastRequest("PATCH"), ["/1", { types: null }]);
  });

  await t.test("rotates the secret and shows the new one", async (t) => {
    const page = await openWebhooks(t);
    await open(page);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    assert.match((await page.locator(".secret").textContent()) ?? "", /^whsec_/);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await rowOf(page, "Website").waitFor();
  });

  await t.test("deletes a webhook after a confirmation", async (t) => {
    const page = await openWebhooks(t);
    await open(page);
    await page.getByRole("button", { name: "Delete…" }).click();
    await cancelConfirmation(page, "Delete permanently");
    assert.equal(stub.webhooks.size, 1);
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await notice(page, "Website II is deleted.").waitFor();
    await page.getByText("There are no webhooks yet.").waitFor();
  });

  await t.test("shows which setting is missing when the service cannot derive secrets", async (t) => {
    stub.unavailable = "Set WEBHOOK_SECRET_KEY.";
    const page = await openWebhooks(t, { expected: [503] });
    await page.getByRole("alert").filter({ hasText: "Set WEBHOOK_SECRET_KEY." }).waitFor();
    stub.unavailable = undefined;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("There are no webhooks yet.").waitFor();
  });
});
