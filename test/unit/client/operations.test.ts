// Every operation of the service through the client, on the real program; pages and base URLs.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Client, createClient, etagOf, OPERATIONS } from "../../../client/src/client.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { column } from "../../harness/clients/pages.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../../harness/servers/app.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";
import { startService } from "../../harness/servers/service.ts";

test("every operation has a method of the same name that works", async (t) => {
  const { url, adminKey = "" } = await startService(t, RECEIVER_SETTINGS);
  const warnings: string[] = [];
  const used = new Set<string>();
  const onWarning = (message: string) => void warnings.push(message);
  const client = recording(used, { baseUrl: url, apiKey: adminKey, onWarning });
  await useAnimals(client, warnings);
  await useCategories(client);
  await useShelters(client);
  await useWebhooks(t, client);
  await useKeys(client);
  await usePeople(client, (apiKey) => recording(used, { baseUrl: url, apiKey }));
  assert.deepEqual([...used].sort(), Object.keys(OPERATIONS).sort());
});

async function useAnimals(client: Client, warnings: string[]): Promise<void> {
  const rex = await client.createPet({ name: " Rex ", categoryId: 3 });
  assert.deepEqual(rex, { id: 1, name: "Rex", categoryId: 3, status: "available" });
  assert.deepEqual((await client.listPets({ status: "available" }).page()).items, [rex]);
  for (const id of [1n, 1]) assert.deepEqual(await client.getPet(id), rex);
  assert.deepEqual(warnings, [
    "getPet is deprecated. Will be removed on 5 December 2030. Use `listPets` with a `status` filter instead, or `getListing` for one animal.",
  ]);
  assert.equal((await client.updatePet(rex.id, { name: "Rexi" })).name, "Rexi");
  assert.deepEqual(await client.getInventory(), { available: 1, pending: 0, sold: 0 });

  const changed = await client.updateProfile(rex.id, { species: "dog", goodWith: { cats: "yes" } });
  assert.deepEqual(changed.profile, { species: "dog", goodWith: { cats: "yes" } });
  assert.deepEqual(await client.getListing(rex.id), changed);
  assert.deepEqual((await client.listListings({ goodWith: "cats" }).page()).items, [changed]);
  assert.deepEqual(await client.countListings({ goodWith: "cats" }), { count: 1, exact: true });

  const file = new Blob(["name,categoryId\nBella,3\n"]);
  assert.equal((await client.importAnimals(file, { dryRun: true, settings: { skipBad: true } })).added, 1);

  assert.match(await client.getExport("petfinder.csv", { skip: true }), /^ID,Internal,[^\n]*\r\n$/);
  await assert.rejects(client.getExport("petfinder.csv"), { code: "file_has_bad_rows", status: 409 });

  const order = await client.createOrder({ petId: rex.id, reference: "case 4711" });
  assert.equal((await client.updateOrder(order.id, { status: "cancelled" })).status, "cancelled");
  assert.equal((await client.getOrder(order.id)).reference, "case 4711");
  assert.equal((await client.getOrderCounts()).cancelled, 1);
  assert.deepEqual((await client.listOrders({ petId: 1n, status: "cancelled" }).page()).items.length, 1);
  const [expanded] = (await client.listOrders({ expand: "pet", sort: "newest" }).page()).items;
  assert.deepEqual(expanded?.pet, { ...rex, name: "Rexi" });

  const [red, green] = [
    await drawImage("red"),
    new Blob([new Uint8Array(await drawImage("green"))], { type: "image/png" }),
  ];
  const first = await client.addPhoto(rex.id, red, { alt: "Red & round" });
  assert.deepEqual([first.alt, first.width, first.height], ["Red & round", 800, 600]);
  assert.equal((await fetch(first.urls[320])).headers.get("content-type"), "image/webp");
  const second = await client.addPhoto(rex.id, green);
  const ordered = await client.orderPhotos(rex.id, { order: [second.id, first.id] });
  assert.deepEqual(ordered, [second, first]);
  const described = await client.updatePhoto(rex.id, second.id, { alt: "Green" });
  assert.deepEqual(described, { ...second, alt: "Green" });
  assert.equal(await client.deletePhoto(rex.id, first.id), undefined);

  assert.equal(await client.deletePet(rex.id), undefined);
  const changes = await Array.fromAsync(client.listPetHistory(rex.id, { limit: 2 }));
  // Two photos were added and ordered, one was described, and one was deleted.
  const photos = Array(5).fill("listing.updated");
  const orders = ["order.created", "order.updated"];
  const before = ["pet.created", "pet.updated", "listing.updated", "pet.updated", ...orders, "pet.updated"];
  assert.deepEqual(column(changes, "what"), [...before, ...photos, "pet.deleted"]);
  assert.deepEqual(changes.at(-1)?.number, 13);
}

async function useCategories(client: Client): Promise<void> {
  const category = { id: -(2n ** 63n), name: "Dogs" };
  assert.deepEqual(await client.putCategory(category.id, { name: "Dogs" }), category);
  assert.deepEqual((await client.listCategories().page()).items, [category]);
  assert.equal(await client.deleteCategory(category.id), undefined);

  const events = await client.listEvents({ type: "category.*", limit: 1 });
  const [{ number, type, data } = {}] = events as Partial<(typeof events)[number]>[];
  assert.deepEqual([events.length, number, type, data], [1, 14, "category.updated", { category }]);
}

async function useShelters(client: Client): Promise<void> {
  const location = { latitude: 52.53, longitude: 13.38 };
  const created = await client.createShelter({ name: "Riverside", location });
  assert.deepEqual([created.id, created.location], [2, location]);
  assert.deepEqual((await client.listShelters({ near: "52.5,13.4", within: 2.5 }).page()).items, []);
  assert.deepEqual((await client.listShelters({ near: "52.5,13.4", within: 20 }).page()).items, [created]);
  const seen = await client.getShelter(2);
  const changed = await client.updateShelter(2, { location: null }, { ifMatch: etagOf(seen) });
  assert.equal(changed.location, undefined);
  assert.equal(await client.deleteShelter(2, { ifMatch: etagOf(changed) }), undefined);
  const site = await client.updateSite({ isPublic: true });
  assert.deepEqual(await client.getSite(), site);
  const events = await client.listEvents({ type: "shelter.*" });
  assert.deepEqual(column(events, "type"), ["shelter.created", "shelter.updated", "shelter.deleted"]);
}

async function useWebhooks(t: TestContext, client: Client): Promise<void> {
  const receiver = await startReceiver(t);
  const hook = await client.createWebhook({ url: receiver.url, types: ["pet.*"] });
  assert.match(hook.secret, /^whsec_/);
  assert.equal((await client.updateWebhook(hook.id, { description: "Mine", types: null })).types, undefined);
  assert.equal((await client.getWebhook(hook.id)).description, "Mine");
  assert.equal((await client.listWebhooks().page()).items.length, 1);
  assert.equal((await client.testWebhook(hook.id)).status, 204);
  assert.notEqual((await client.rotateWebhook(hook.id)).secret, hook.secret);
  await client.putCategory(1, { name: "Cats" });
  // The test event was the first.
  await receiver.until(2);
  const [delivery] = (await client.listDeliveries(hook.id).page()).items;
  assert.equal(delivery?.type, "category.updated");
  await client.replayWebhook(hook.id, { deliveryId: delivery?.id ?? 0 });
  await receiver.until(3);
  assert.equal(await client.deleteWebhook(hook.id), undefined);
}

async function useKeys(client: Client): Promise<void> {
  const issued = await client.createKey({ name: "Website", plan: "free", access: "browse" });
  assert.match(issued.key, /^ask_live_/);
  assert.equal((await client.updateKey(issued.id, { plan: "pro", expiresAt: null })).perMinute, 300);
  assert.notEqual((await client.rotateKey(issued.id)).key, issued.key);
  assert.ok((await client.rotateKey(issued.id, { graceSeconds: 60 })).oldEndsAt);
  assert.equal((await client.unbanKey(issued.id)).id, issued.id);
  assert.equal(await client.revokeKey(issued.id), undefined);
  assert.equal((await client.getKey(issued.id)).state, "revoked");
  assert.equal((await client.listKeys().page()).items.length, 2);
  const [newest] = (await client.listAudit({ limit: 1 }).page()).items;
  assert.deepEqual([newest?.action, newest?.target], ["key.revoked", { keyId: issued.id }]);
  assert.equal((await client.getUsage()).plan, "enterprise");
  assert.equal((await client.getTraffic()).length, 60);
  assert.equal((await client.getTrafficPeriods({ per: "day", last: 7, keyId: issued.id })).length, 7);
  const usage = await client.getKeyUsage(issued.id, { days: 1 });
  assert.deepEqual([usage.lastDays[0]?.answers, usage.webhooks, usage.streams], [[], 0, 0]);
}

async function usePeople(client: Client, signIn: (apiKey: string) => Client): Promise<void> {
  const invitation = await client.createInvitation({ name: "Maria", access: "manage" });
  const [, code = ""] = invitation.url.split("#join/");
  const surplus = await client.createInvitation({ name: "Jo", access: "browse" });
  assert.equal(await client.revokeInvitation(surplus.id), undefined);
  assert.equal((await client.listInvitations({ status: "revoked" }).page()).items[0]?.name, "Jo");

  const { key, person } = await client.acceptInvitation({ code, device: "Phone" });
  assert.deepEqual([person.name, person.devices], ["Maria", 1]);
  assert.deepEqual((await client.listPeople().page()).items, [person]);
  assert.equal((await client.updatePerson(person.id, { access: "adopt" })).access, "adopt");
  const maria = signIn(key);
  assert.deepEqual((await maria.getUsage()).person, { id: person.id, name: "Maria" });
  assert.match((await maria.createDeviceLink()).url, /#join\/\w{22}$/);
  assert.equal(await maria.endSession(), undefined);
  assert.equal(await client.endPerson(person.id), undefined);
}

test("pages can be read one by one, and again only if they have changed", async (t) => {
  const client = createClient(options(await startApp(t)));
  for (const name of ["Rex", "Luna", "Momo"]) await client.createPet({ name, categoryId: 3 });

  const first = await client.listPets({ limit: 2 }).page();
  assert.deepEqual([first.items.map(({ name }) => name), typeof first.next], [["Rex", "Luna"], "string"]);
  const second = await client.listPets({ limit: 2, cursor: first.next }).page();
  assert.deepEqual([second.items.map(({ name }) => name), second.next], [["Momo"], undefined]);
  const sizes: number[] = [];
  for await (const { items } of client.listPets({ limit: 2 }).pages()) sizes.push(items.length);
  assert.deepEqual(sizes, [2, 1]);

  const list = client.listPets({ limit: 2 });
  assert.equal(await list.page({ ifNoneMatch: first.etag }), undefined);
  await client.updatePet(1, { name: "Rexi" });
  assert.equal((await list.page({ ifNoneMatch: first.etag }))?.items[0]?.name, "Rexi");
  assert.equal((await list.page({ ifNoneMatch: undefined }))?.items.length, 2);

  const before = client.rate?.remaining as number;
  for await (const { id } of client.listPets({ limit: 1 })) if (id === 2) break;
  assert.equal(client.rate?.remaining, before - 2, "stopping early requests no further page");
});

test("accepts a baseUrl with or without /v1 and trailing slashes", async (t) => {
  const app = await startApp(t);
  for (const path of ["", "/", "/v1", "/v1/"]) {
    const client = createClient({ ...options(app), baseUrl: `${app.url}${path}` });
    assert.equal((await client.getUsage()).access, "admin", path);
  }
});

function options({ url }: AppHarness) {
  return { baseUrl: url, apiKey: ADMIN_KEY };
}

/** A client that records which of its operations are used. */
function recording(used: Set<string>, given: Parameters<typeof createClient>[0]): Client {
  return new Proxy(createClient(given), {
    get(client, name, receiver) {
      used.add(String(name));
      return Reflect.get(client, name, receiver);
    },
  });
}
