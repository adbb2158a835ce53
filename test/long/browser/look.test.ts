// The look of the console: every view at two widths, light and dark, without overflow or accessibility violations.

import type { TestContext } from "node:test";
import { banKey, type ConsoleApp, signIn, testConsole, untilShown } from "../../harness/clients/console.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { join } from "../../harness/clients/invitation.ts";
import { checkLooks, SIZES } from "../../harness/clients/looks.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";

const PLACES = ["Animals", "Adoptions", "Categories", "Webhooks", "People", "Keys", "Audit log", "Usage"];
/** The places with the buttons that open their dialogs. */
const DIALOGS = [
  ["Animals", "Add an animal"],
  ["Adoptions", "Start an adoption"],
  ["Webhooks", "Add a webhook"],
  ["Keys", "Create a key"],
  ["Adoptions", "Hand over adoption 2"],
] as const;

testConsole("The look of the console", RECEIVER_SETTINGS, async (t, { app, visit }) => {
  const open = async (t: TestContext) => {
    const page = await visit(t, { key: undefined });
    return { page, check: (view: string) => checkLooks(t, page, view) };
  };

  await t.test("an empty store has the right look", async (t) => {
    const { page, check } = await open(t);
    await signIn(page, app.adminKey);
    await page.getByText("There are no animals yet.").waitFor();
    await check("empty-store");
  });

  await fillStore(app);
  await describeLuna(app);
  await fillWebhooks(t, app);
  await t.test("every view of a full store has the right look", async (t) => {
    const { page, check } = await open(t);
    await check("sign-in");
    await signIn(page, app.adminKey);
    await page.getByRole("link", { name: "Today", exact: true }).click();
    await page.locator(".today li").first().waitFor();
    await untilShown(() => page.getByRole("main").getByText("Loading…").count(), 0);
    await check("Today");
    for (const place of PLACES) {
      await page.getByRole("link", { name: place, exact: true }).click();
      await page.getByRole("heading", { level: 1, name: place }).waitFor();
      await page.getByRole("table").first().waitFor();
      await check(place);
    }
    await page.getByRole("link", { name: "Animals", exact: true }).click();
    await page.setViewportSize(SIZES.desktop);
    await page.getByLabel("Select all animals of this page").check();
    await check("Animals-selected");
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByLabel("File with animals").waitFor();
    await check("Import");
    const rows = ["Rex,dog,3/4/2024,150", `${"W".repeat(200)},dog,3/4/2024,150 €`, "Luna,cat,,"];
    const buffer = Buffer.from(["name,species,arrivedOn,fee", ...rows].join("\n"));
    await page.getByLabel("File with animals").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer });
    await page.getByText("a.csv was checked.").waitFor();
    await check("Import-checked");
    await page.goto(`${app.url}/#animals/1`);
    await page.getByRole("heading", { level: 1, name: "Rex" }).waitFor();
    await page.locator(".entries li").first().waitFor();
    await check("Animal");
    for (const edit of ["name, breed and age", "what is good to know", "the story", "the records"])
      await page.getByRole("button", { name: `Edit ${edit}` }).click();
    await check("Animal-edited");
    await page.goto(`${app.url}/#animals/2`);
    await page.getByRole("button", { name: /^Enlarge/ }).waitFor();
    await page.locator(".entries li").first().waitFor();
    await check("Animal-photos");
    await page.getByRole("button", { name: "Actions for photo 1" }).click();
    await page.getByRole("menu").waitFor();
    await check("Photo-menu");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Enlarge/ }).click();
    await check("Photo-enlarged");
    await page.keyboard.press("Escape");
    for (const name of ["Website", "Crawler"]) {
      await page.getByRole("link", { name: "Keys", exact: true }).click();
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.locator(".operations").waitFor();
      await check(`Key-${name}`);
    }
    await page.goto(`${app.url}/#webhooks/1`);
    await page.getByRole("heading", { level: 1, name: "Website" }).waitFor();
    await check("Webhook");
    for (const [place, button] of DIALOGS) {
      await page.getByRole("link", { name: place, exact: true }).click();
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).waitFor();
      await page.getByRole("dialog").getByText("Loading").waitFor({ state: "detached" });
      await check(`${place}-${button}`.replaceAll(" ", "-"));
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Kiosk");
    await page.keyboard.press("Enter");
    await page.locator(".secret").waitFor();
    await check("secret");
  });
});

/** Photos and a profile of Luna, some of them hostile. */
async function describeLuna({ call }: ConsoleApp): Promise<void> {
  const sizes = [
    { width: 80, height: 60 },
    { width: 60, height: 120 },
    { width: 200, height: 40 },
  ];
  for (const [index, colour] of ["red", "green", "blue"].entries()) {
    const body = await drawImage(colour, sizes[index] ?? { width: 60, height: 60 });
    const alt = ["Luna", "W".repeat(200), "Luna \u202Eretsof"][index] ?? "";
    const headers = { "content-type": "image/png" };
    await call("POST", `/pets/2/photos?alt=${encodeURIComponent(alt)}`, { body, headers });
  }
  const profile = {
    species: "cat",
    breeds: ["Siamese \u202Eesemais", "B".repeat(100)],
    bornOn: "2021-05-31",
    goodWith: { children: "yes", dogs: "no", cats: "unknown" },
    specialNeeds: "yes",
    tags: ["calm", "G".repeat(40), "shy \u202Eyhs"],
    description: `Luna \u202Eanul. ${"K".repeat(300)}`,
    externalId: "H".repeat(64),
    custom: { kennel: "B 12" },
  };
  await call("PATCH", "/pets/2/profile", { body: profile });
}

/** Animals, orders, traffic, and a banned key. */
async function fillStore(app: ConsoleApp): Promise<void> {
  const { call, createKey } = app;
  await join(call, { name: "Mia Berger" });
  const names = ["Dogs", "Cats", `Small animals ${"x".repeat(86)}`];
  for (const [index, name] of names.entries())
    await call("PUT", `/categories/${index + 1}`, { body: { name } });
  const pets = [
    "Rex",
    "Luna",
    "Bruno",
    "Minka",
    "Momo",
    "Hoppel",
    "A cat with a very long name that does not fit into one line",
    "قطة صغيرة جدا",
    "龍".repeat(60),
    "W".repeat(255),
    "Max \u202Edrawkcab",
  ];
  for (let i = 0; i < 25; i++) {
    const name = pets[i % pets.length];
    const status = ["available", "available", "pending", "sold"][i % 4];
    await call("POST", "/pets", { body: { name, categoryId: (i % 4) + 1, status } });
  }
  for (const petId of [1, 2, 5, 6, 10])
    await call("POST", "/store/orders", { body: { petId, reference: `case ${4700 + petId}` } });
  for (const status of ["approved", "delivered", "returned"])
    await call("PATCH", "/store/orders/1", { body: { status } });
  await call("PATCH", "/store/orders/2", { body: { status: "approved" } });
  await call("PATCH", "/store/orders/3", { body: { status: "cancelled" } });
  const { key } = await createKey({ access: "browse", name: "Website" });
  for (let i = 0; i < 8; i++) await call("GET", `/pets/${i}`, { key });
  await call("GET", "/pets", { key: "wrong" });
  for (const name of ["W".repeat(100), "龍".repeat(100), "متجر \u202Edrawkcab"]) await createKey({ name });
  const crawler = await createKey({ name: "Crawler", plan: "enterprise", access: "browse", perMinute: 1 });
  await banKey(app, crawler.key);
}

/** A webhook with deliveries that fail, and a disabled one. */
async function fillWebhooks(t: TestContext, { call, clock }: ConsoleApp): Promise<void> {
  const receiver = await startReceiver(t, 500);
  const url = `${receiver.url}/with/a/long/path/that/does/not/fit/into/one/line/of/a/telephone`;
  await call("POST", "/webhooks", { body: { url, description: "Website" } });
  await call("POST", "/webhooks", { body: { url, types: ["pet.*"] } });
  await call("PATCH", "/webhooks/2", { body: { status: "disabled" } });
  for (let i = 0; i < 3; i++) await call("PUT", "/categories/9", { body: { name: `Fish ${i}` } });
  for (let attempts = 1; attempts <= 3; attempts++) {
    await receiver.until(attempts);
    // A failing webhook gets one attempt a second.
    clock.advance(1_000);
  }
}
