// Photos: addPhoto, orderPhotos, updatePhoto, deletePhoto, and the files of images at /photos.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { type TestContext, test } from "node:test";
import sharp from "sharp";
import type { ErrorCode } from "../../src/domain/basics/errors.ts";
import type { Answer } from "../harness/clients/call.ts";
import { openEventStream } from "../harness/clients/event-stream.ts";
import { drawImage } from "../harness/clients/images.ts";
import { ADMIN_KEY, startApp } from "../harness/servers/app.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../harness/servers/receiver.ts";
import { assertError } from "./assertions.ts";

const DAY_MS = 86_400_000;
const TOO_LARGE = Buffer.alloc(12 * 1024 * 1024 + 1);
const PNG = { "content-type": "image/png" };
const PUBLIC_URL = "https://animals.example.org/shelter";

async function startScene(t: TestContext, environment: Record<string, string> = {}) {
  const app = await startApp(t, { environment: { PUBLIC_URL, TRUST_PROXY: "127.0.0.1", ...environment } });
  const addPetId = async (): Promise<number> => (await app.addPet()).id;
  const upload = (petId: number, body: Buffer, headers: Record<string, string> = {}, query = "") =>
    app.call("POST", `/pets/${petId}/photos${query}`, { body, headers: { ...PNG, ...headers } });
  const order = (petId: number, ids: unknown) =>
    app.call("PATCH", `/pets/${petId}/photos`, { body: { order: ids } });
  let addresses = 0;
  /** Reads the file from another client address than earlier ones. */
  const read = (url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> => {
    const client = { "x-forwarded-for": `192.0.2.${++addresses}` };
    return app.outside(method, url.replace(PUBLIC_URL, ""), { headers: { ...client, ...headers } });
  };
  const images = {
    red: await drawImage("red"),
    green: await drawImage("green", { width: 200, height: 100 }),
  };
  return { ...app, ...images, addPetId, upload, order, read };
}

test("POST /pets/{petId}/photos", async (t) => {
  const { call, addPetId, upload, order, read, red, green } = await startScene(t);

  await t.test("adds a photo, whose files are served without a key, immutable", async () => {
    const petId = await addPetId();
    const alt = 'Rex "runs" {public} 🐕';
    const added = await upload(petId, red, {}, `?alt=${encodeURIComponent(alt)}`);
    assert.equal(added.status, 201, added.text);
    const { id, urls, ...photo } = added.json;
    assert.deepEqual(photo, { width: 800, height: 600, alt });
    assert.equal(added.headers.location, `${PUBLIC_URL}/v1/pets/${petId}/photos/${id}`);
    assert.deepEqual(Object.keys(urls), ["320", "640"]);
    for (const [width, address] of Object.entries<string>(urls)) {
      assert.match(address, new RegExp(`^${PUBLIC_URL}/photos/[0-9a-f]{64}-${width}\\.webp$`));
      const { status, headers, bytes } = await read(address);
      assert.equal(status, 200);
      const { format, width: actual } = await sharp(bytes).metadata();
      assert.deepEqual([format, String(actual)], ["webp", width]);
      // All files of an image have the name of the largest, which is its hash.
      if (width === "640") assert.ok(address.includes(hash("sha256", bytes)));
      assert.equal(headers["content-type"], "image/webp");
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.match(headers["content-security-policy"] ?? "", /^default-src 'none';.*; sandbox$/);
      assert.equal(headers["content-length"], String(bytes.length));
      const known = await read(address, { "if-none-match": headers.etag ?? "" });
      assert.deepEqual([known.status, known.text], [304, ""]);
      assert.equal(known.headers["cache-control"], headers["cache-control"]);
      const head = await read(address, {}, "HEAD");
      assert.deepEqual([head.status, head.text, head.headers.etag], [200, "", headers.etag]);
      assert.equal(head.headers["content-length"], headers["content-length"]);
    }
  });

  await t.test("gives an image narrower than 320 pixels one address, with its own width", async () => {
    const { urls, width } = (await upload(await addPetId(), green)).json;
    assert.deepEqual([width, Object.keys(urls)], [200, ["320"]]);
    assert.match(urls[320], /-200\.webp$/);
  });

  await t.test("returns the first photo when the same image is added again", async () => {
    const petId = await addPetId();
    const first = await upload(petId, red, {}, "?alt=one");
    const again = await upload(petId, red, {}, "?alt=two");
    assert.deepEqual([again.status, again.json], [201, first.json]);
  });

  await t.test("adds a photo once for an Idempotency-Key", async () => {
    const petId = await addPetId();
    const once = { "idempotency-key": "a-photo" };
    const first = await upload(petId, red, once, "?alt=one");
    const replayed = await upload(petId, red, once, "?alt=one");
    assert.deepEqual([replayed.status, replayed.text], [201, first.text]);
    assert.equal(replayed.headers["idempotent-replayed"], "true");
    assertError(await upload(petId, green, once, "?alt=one"), "idempotency_key_reused");
    assertError(await upload(petId, red, once, "?alt=two"), "idempotency_key_reused");
  });

  const refused: Record<string, [code: ErrorCode, body: Buffer, headers?: Record<string, string>]> = {
    JSON: ["unsupported_media_type", Buffer.from("{}"), { "content-type": "application/json" }],
    "another type of image": ["unsupported_media_type", red, { "content-type": "image/gif" }],
    "a Content-Encoding": ["unsupported_media_type", red, { "content-encoding": "gzip" }],
    "an empty body": ["invalid_image", Buffer.alloc(0)],
    "text with the type of an image": ["invalid_image", Buffer.from("<svg/>")],
    "an image that ends too early": ["invalid_image", red.subarray(0, red.length / 2)],
    "12 MiB and one byte": ["body_too_large", TOO_LARGE],
    "12 MiB and one byte in chunks": ["body_too_large", TOO_LARGE, { "transfer-encoding": "chunked" }],
  };
  const formHint =
    /Content-Type: image\/jpeg, image\/png or image\/webp, and the image itself .*, not a form.*Received: /;
  for (const [what, [code, body, headers]] of Object.entries(refused))
    await t.test(`refuses ${what} with ${code}, and adds nothing`, async () => {
      const petId = await addPetId();
      const messages: Record<string, RegExp | string> = {
        unsupported_media_type: formHint,
        body_too_large: "The image is larger than 12 MiB.",
      };
      assertError(await upload(petId, body, headers), code, messages[code]);
      assert.deepEqual((await order(petId, [])).json, []);
    });

  await t.test("accepts a type with parameters, in any case, and an alt of 200 characters", async () => {
    const petId = await addPetId();
    const query = (length: number) => `?alt=${encodeURIComponent("🐕".repeat(length))}`;
    const type = { "content-type": "Image/PNG; name=x" };
    assert.equal((await upload(petId, green, type, query(200))).status, 201);
    assertError(await upload(petId, green, type, query(201)), "invalid_parameter");
  });

  await t.test("leaves the limit of all other bodies at 16 KiB", async () => {
    const body = JSON.stringify({ order: [], rest: "x".repeat(17_000) });
    assertError(await call("PATCH", "/pets/1/photos", { body }), "body_too_large");
    assertError(await call("POST", "/pets", { body }), "body_too_large");
  });
});

test("The photos of an animal", async (t) => {
  const { call, addPetId, upload, order, read, clock, service, red, green } = await startScene(t);

  await t.test("photos are part of the listing and its events, with complete addresses", async () => {
    const petId = await addPetId();
    const start = /after=([0-9a-f-]+)/.exec((await call("GET", "/events?after=now")).headers.link ?? "");
    const before = await call("GET", `/listings/${petId}`);
    clock.advance(60_000);
    const one = (await upload(petId, red)).json;
    const two = (await upload(petId, green)).json;
    await order(petId, [two.id, one.id]);
    const listing = await call("GET", `/listings/${petId}`);
    // Nothing changes.
    await order(petId, [two.id, one.id]);
    await upload(petId, red);
    assert.deepEqual(listing.json.photos, [two, one]);
    assert.equal(Date.parse(listing.json.updatedAt) - Date.parse(before.json.updatedAt), 60_000);
    assert.notEqual(listing.headers.etag, before.headers.etag);
    const page = await call("GET", `/listings?ids=${petId}`);
    assert.equal(page.text, `[${listing.text}]`);
    await call("DELETE", `/pets/${petId}/photos/${two.id}`);
    type Events = Array<{ type: string; data: { listing: { photos: unknown } } }>;
    const events: Events = (await call("GET", `/events?after=${start?.[1]}`)).json;
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.listing.photos]),
      [[one], [one, two], [two, one], [one]].map((photos) => ["listing.updated", photos]),
    );
    assert.deepEqual(events[2]?.data.listing, listing.json);
    const patched = await call("PATCH", `/pets/${petId}/profile`, { body: { species: "dog" } });
    assert.deepEqual(patched.json.photos, [one]);
    const { text } = await call("GET", `/pets/${petId}/history`);
    for (const answer of [listing.text, page.text, patched.text, text]) assert.ok(!answer.includes("\u007f"));
  });

  await t.test("photos can be ordered and deleted", async () => {
    const petId = await addPetId();
    const [one, two] = [(await upload(petId, red)).json, (await upload(petId, green)).json];
    const ordered = await order(petId, [two.id, one.id]);
    assert.deepEqual([ordered.status, ordered.json], [200, [two, one]]);
    const other = await addPetId();
    const foreign = (await upload(other, red)).json.id;
    const all = `order must contain every photo of the animal once: ${two.id}, ${one.id}`;
    for (const rest of [[], [two.id], [one.id, one.id], [foreign], [one.id, foreign]])
      assertError(await order(petId, [two.id, ...rest]), "invalid_body", all);
    assertError(await order(petId, ["x"]), "invalid_body");
    const remove = (id: unknown) => call("DELETE", `/pets/${petId}/photos/${id}`);
    assert.equal((await remove(one.id)).status, 204);
    for (const id of [one.id, foreign, "x"]) assertError(await remove(id), "photo_not_found");
    assert.deepEqual((await order(petId, [two.id])).json, [two]);
    const three = (await upload(petId, red)).json;
    assert.deepEqual((await call("GET", `/listings/${petId}`)).json.photos, [two, three], "at the end");
  });

  await t.test("photos of an unknown animal get 404, before an image is processed", async () => {
    for (const body of [red, Buffer.from("no image")]) assertError(await upload(999, body), "pet_not_found");
    assertError(await order(999, []), "pet_not_found");
    assertError(await call("DELETE", "/pets/999/photos/1"), "pet_not_found");
  });

  await t.test("photos are deleted with their animal, and their files 30 days later", async () => {
    const petId = await addPetId();
    const { urls } = (await upload(petId, await drawImage("blue"))).json;
    await call("DELETE", `/pets/${petId}`);
    await service.runMaintenance();
    clock.advance(30 * DAY_MS - 1_000);
    await service.runMaintenance();
    assert.equal((await read(urls[320])).status, 200);
    clock.advance(1_000);
    await service.runMaintenance();
    assertError(await read(urls[320]), "photo_not_found");
  });
});

test("The descriptions of photos", async (t) => {
  const { call, addPetId, upload, clock, red, green } = await startScene(t);

  await t.test("a photo can get another description, which changes the listing", async () => {
    const petId = await addPetId();
    const describe = (id: unknown, body: unknown) => call("PATCH", `/pets/${petId}/photos/${id}`, { body });
    const [one, two] = [(await upload(petId, red)).json, (await upload(petId, green)).json];
    clock.advance(1_000);
    const alt = 'Rex "sleeps" \\ 🐕';
    const described = await describe(two.id, { alt });
    assert.deepEqual([described.status, described.json], [200, { ...two, alt }]);
    const listing = await call("GET", `/listings/${petId}`);
    assert.deepEqual(listing.json.photos, [one, { ...two, alt }]);
    clock.advance(1_000);
    assert.deepEqual((await describe(two.id, { alt })).json, { ...two, alt });
    assert.equal((await call("GET", `/listings/${petId}`)).text, listing.text, "nothing changed");
    const events: Array<{ data: unknown }> = (await call("GET", `/events?type=listing.*&petId=${petId}`))
      .json;
    assert.deepEqual([events.length, events[2]?.data], [3, { listing: listing.json }]);
    assert.deepEqual((await describe(two.id, { alt: "" })).json, { ...two, alt: "" });
  });

  await t.test("an invalid description gets 400, and an unknown photo 404", async () => {
    const [petId, other] = [await addPetId(), await addPetId()];
    const { id } = (await upload(petId, red)).json;
    const describe = (pet: number, photo: unknown, body: unknown) =>
      call("PATCH", `/pets/${pet}/photos/${photo}`, { body });
    assertError(await describe(petId, id, {}), "invalid_body", /^alt is required$/);
    assertError(await describe(petId, id, { alt: "x".repeat(201) }), "invalid_body", /^alt must be text of/);
    for (const photo of [id + 100, "x"])
      assertError(await describe(petId, photo, { alt: "" }), "photo_not_found");
    assertError(await describe(other, id, { alt: "" }), "photo_not_found");
    assertError(await describe(999, id, { alt: "" }), "pet_not_found");
  });
});

test("Streams and webhooks send complete addresses of photos, of the past and as they happen", async (t) => {
  const { url, call, addPetId, upload, red } = await startScene(t, RECEIVER_SETTINGS);
  const receiver = await startReceiver(t);
  await call("POST", "/webhooks", { body: { url: receiver.url, types: ["listing.updated"] } });
  const petId = await addPetId();
  const photo = (await upload(petId, red)).json;
  const isShown = (text = "") => assert.deepEqual(JSON.parse(text).data.listing.photos, [photo]);
  const open = (after: string) =>
    openEventStream(`${url}/v1/events/stream?type=listing.updated${after}`, { key: ADMIN_KEY });
  const [past, live] = [await open(""), await open("&after=now")];
  t.after(() => [past, live].map((each) => each.close()));
  isShown((await past.next(true)).data);
  await call("PATCH", `/pets/${petId}/profile`, { body: { species: "dog" } });
  isShown((await live.next(true)).data);
  await receiver.until(2);
  for (const { body } of receiver.received) isShown(body);
});
