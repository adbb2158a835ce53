// Photos: addPhoto, orderPhotos, deletePhoto, and the files of images at /photos.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { type TestContext, test } from "node:test";
import sharp from "sharp";
import type { ErrorCode } from "../../src/domain/basics/errors.ts";
import { type Answer, createCall } from "../harness/clients/call.ts";
import { openEventStream } from "../harness/clients/event-stream.ts";
import { drawImage } from "../harness/clients/images.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../harness/servers/receiver.ts";
import { assertError } from "./assertions.ts";

const DAY_MS = 86_400_000;
const MEBIBYTE = 1024 * 1024;
const PNG = { "content-type": "image/png" };

async function startScene(t: TestContext, environment: Record<string, string> = {}) {
  const app = await startApp(t, { environment });
  const addPet = async (): Promise<number> =>
    (await app.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } })).json.id;
  const upload = (petId: number, body: Buffer, headers: Record<string, string> = {}, query = "") =>
    app.call("POST", `/pets/${petId}/photos${query}`, { body, headers: { ...PNG, ...headers } });
  return { ...app, addPet, upload };
}

/** Remembers the end of the feed. */
async function startFeed(call: AppHarness["call"]) {
  const { headers } = await call("GET", "/events?after=now");
  const [, next = ""] = /after=([0-9a-f-]+)>; rel="next"/.exec(headers.link ?? "") ?? [];
  return { latest: () => call("GET", `/events?after=${next}`) };
}

/** The file behind the address of a photo, read from another client address than earlier ones. */
function createReader({ url }: AppHarness) {
  let addresses = 0;
  return (address: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> => {
    addresses += 1;
    const { pathname } = new URL(address);
    return createCall(url)(method, pathname, {
      headers: { "x-forwarded-for": `192.0.2.${addresses}`, ...headers },
    });
  };
}

test("Photos", async (t) => {
  const publicUrl = "https://animals.example.org/shelter";
  const scene = await startScene(t, { PUBLIC_URL: publicUrl, TRUST_PROXY: "127.0.0.1" });
  const { call, addPet, upload, service, clock, createKey } = scene;
  const read = createReader(scene);
  const [red, green] = [await drawImage("red"), await drawImage("green", { width: 200, height: 100 })];

  await t.test("are added, and their files served without a key, immutable", async () => {
    const petId = await addPet();
    const alt = 'Rex "runs" {public} 🐕';
    const added = await upload(petId, red, {}, `?alt=${encodeURIComponent(alt)}`);
    assert.equal(added.status, 201, added.text);
    const { id, urls, ...photo } = added.json;
    assert.deepEqual(photo, { width: 800, height: 600, alt });
    assert.equal(added.headers.location, `${publicUrl}/v1/pets/${petId}/photos/${id}`);
    assert.deepEqual(Object.keys(urls), ["320", "640"]);
    for (const [width, address] of Object.entries<string>(urls)) {
      assert.match(address, new RegExp(`^${publicUrl}/photos/[0-9a-f]{64}-${width}\\.webp$`));
      const file = await read(address.replace("/shelter", ""));
      assert.equal(file.status, 200);
      const { format, width: actual } = await sharp(file.bytes).metadata();
      assert.deepEqual([format, String(actual)], ["webp", width]);
      // All files of an image have the name of the largest, which is its hash.
      if (width === "640") assert.ok(address.includes(hash("sha256", file.bytes)));
      const { headers } = file;
      assert.equal(headers["content-type"], "image/webp");
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.match(headers["content-security-policy"] ?? "", /^default-src 'none';.*; sandbox$/);
      assert.equal(headers["content-length"], String(file.bytes.length));
      const known = await read(address.replace("/shelter", ""), { "if-none-match": headers.etag ?? "" });
      assert.deepEqual([known.status, known.text], [304, ""]);
      assert.equal(known.headers["cache-control"], headers["cache-control"]);
      const head = await read(address.replace("/shelter", ""), {}, "HEAD");
      assert.deepEqual([head.status, head.text, head.headers.etag], [200, "", headers.etag]);
      assert.equal(head.headers["content-length"], headers["content-length"]);
    }
  });

  await t.test(
    "of an image that is narrower than 320 pixels have one address, with its own width",
    async () => {
      const { urls, width } = (await upload(await addPet(), green)).json;
      assert.equal(width, 200);
      assert.deepEqual(Object.keys(urls), ["320"]);
      assert.match(urls[320], /-200\.webp$/);
    },
  );

  await t.test("are part of the listing and of its events, with complete addresses", async () => {
    const petId = await addPet();
    const { latest } = await startFeed(call);
    const before = await call("GET", `/listings/${petId}`);
    clock.advance(60_000);
    const one = (await upload(petId, red)).json;
    const two = (await upload(petId, green)).json;
    const order = { body: { order: [two.id, one.id] } };
    await call("PATCH", `/pets/${petId}/photos`, order);
    const listing = await call("GET", `/listings/${petId}`);
    // Nothing changes.
    await call("PATCH", `/pets/${petId}/photos`, order);
    await upload(petId, red);
    assert.deepEqual(listing.json.photos, [two, one]);
    assert.equal(Date.parse(listing.json.updatedAt) - Date.parse(before.json.updatedAt), 60_000);
    assert.notEqual(listing.headers.etag, before.headers.etag);
    const page = await call("GET", `/listings?ids=${petId}`);
    assert.equal(page.text, `[${listing.text}]`);
    await call("DELETE", `/pets/${petId}/photos/${two.id}`);
    const events = (await latest()).json as Array<{ type: string; data: { listing: { photos: unknown } } }>;
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

  await t.test("stay as they are when the same image is added again", async () => {
    const petId = await addPet();
    const first = await upload(petId, red, {}, "?alt=one");
    const again = await upload(petId, red, {}, "?alt=two");
    assert.deepEqual([again.status, again.json], [201, first.json]);
  });

  await t.test("are added once for an Idempotency-Key", async () => {
    const petId = await addPet();
    const once = { "idempotency-key": "a-photo" };
    const first = await upload(petId, red, once, "?alt=one");
    const replayed = await upload(petId, red, once, "?alt=one");
    assert.deepEqual([replayed.status, replayed.text], [201, first.text]);
    assert.equal(replayed.headers["idempotent-replayed"], "true");
    assertError(await upload(petId, green, once, "?alt=one"), "idempotency_key_reused");
    assertError(await upload(petId, red, once, "?alt=two"), "idempotency_key_reused");
  });

  await t.test("are ordered and deleted", async () => {
    const petId = await addPet();
    const [one, two] = [(await upload(petId, red)).json, (await upload(petId, green)).json];
    const order = (ids: unknown) => call("PATCH", `/pets/${petId}/photos`, { body: { order: ids } });
    const ordered = await order([two.id, one.id]);
    assert.deepEqual([ordered.status, ordered.json], [200, [two, one]]);
    const partial = await order([two.id]);
    assertError(partial, "invalid_body");
    assert.match(partial.json.message, /^order must contain every photo of the animal once: \d+, \d+$/);
    assertError(await order(["x"]), "invalid_body");
    const remove = (id: unknown) => call("DELETE", `/pets/${petId}/photos/${id}`);
    assert.equal((await remove(one.id)).status, 204);
    assertError(await remove(one.id), "photo_not_found");
    assertError(await remove("x"), "photo_not_found");
    assert.deepEqual((await order([two.id])).json, [two]);
  });

  await t.test("of an unknown animal are refused with 404", async () => {
    assertError(await upload(999, red), "pet_not_found");
    // Before the image is processed.
    assertError(await upload(999, Buffer.from("no image")), "pet_not_found");
    assertError(await call("PATCH", "/pets/999/photos", { body: { order: [] } }), "pet_not_found");
    assertError(await call("DELETE", "/pets/999/photos/1"), "pet_not_found");
  });

  await t.test("need access manage", async () => {
    const { key } = await createKey({ access: "adopt" });
    const refused = await call("POST", "/pets/1/photos", { key, body: red, headers: PNG });
    assertError(refused, "insufficient_access");
  });

  await t.test("are deleted with their animal, and their files 30 days later", async () => {
    const petId = await addPet();
    const { urls } = (await upload(petId, await drawImage("blue"))).json;
    const address = urls[320].replace("/shelter", "");
    await call("DELETE", `/pets/${petId}`);
    await service.runMaintenance();
    clock.advance(30 * DAY_MS - 1_000);
    await service.runMaintenance();
    assert.equal((await read(address)).status, 200);
    clock.advance(1_000);
    await service.runMaintenance();
    assertError(await read(address), "photo_not_found");
  });

  const refused: Record<string, { code: ErrorCode; body: Buffer; headers?: Record<string, string> }> = {
    JSON: {
      code: "unsupported_media_type",
      body: Buffer.from("{}"),
      headers: { "content-type": "application/json" },
    },
    "a type of image that is not supported": {
      code: "unsupported_media_type",
      body: red,
      headers: { "content-type": "image/gif" },
    },
    "a Content-Encoding": {
      code: "unsupported_media_type",
      body: red,
      headers: { "content-encoding": "gzip" },
    },
    nothing: { code: "invalid_image", body: Buffer.alloc(0) },
    "text with the type of an image": { code: "invalid_image", body: Buffer.from("<svg/>") },
    "an image that ends too early": { code: "invalid_image", body: red.subarray(0, red.length / 2) },
    "12 MiB and one byte": { code: "body_too_large", body: Buffer.alloc(12 * MEBIBYTE + 1) },
    "12 MiB and one byte in chunks": {
      code: "body_too_large",
      body: Buffer.alloc(12 * MEBIBYTE + 1),
      headers: { "transfer-encoding": "chunked" },
    },
  };
  for (const [what, { code, body, headers = {} }] of Object.entries(refused)) {
    await t.test(`refuse ${what} as body with ${code}`, async () => {
      const petId = await addPet();
      const answer = await upload(petId, body, headers);
      assertError(answer, code);
      if (code === "unsupported_media_type")
        assert.match(
          answer.json.message,
          /Content-Type: image\/jpeg, image\/png or image\/webp, and the image itself .*, not a form.*Received: /,
        );
      if (code === "body_too_large") assert.equal(answer.json.message, "The image is larger than 12 MiB.");
      assert.deepEqual((await call("PATCH", `/pets/${petId}/photos`, { body: { order: [] } })).json, []);
    });
  }

  await t.test(
    "accept a type with parameters, in any case, and an alternative text of 200 characters",
    async () => {
      const petId = await addPet();
      const query = (length: number) => `?alt=${encodeURIComponent("🐕".repeat(length))}`;
      const type = { "content-type": "Image/PNG; name=x" };
      assert.equal((await upload(petId, green, type, query(200))).status, 201);
      assertError(await upload(petId, green, type, query(201)), "invalid_parameter");
    },
  );

  await t.test("leave the limit of all other bodies at 16 KiB", async () => {
    const body = JSON.stringify({ order: [], rest: "x".repeat(17_000) });
    assertError(await call("PATCH", "/pets/1/photos", { body }), "body_too_large");
    assertError(await call("POST", "/pets", { body }), "body_too_large");
  });
});

test("The files of images", async (t) => {
  const scene = await startScene(t, { TRUST_PROXY: "127.0.0.1" });
  const outside = createCall(scene.url);
  const hash = "0".repeat(64);

  for (const name of [
    `${hash}-320.webp`,
    "x",
    `${hash}-320.png`,
    `${hash}-0.webp`,
    "%2e%2e%2fx",
    "a".repeat(9_000),
  ]) {
    await t.test(`answer 404 for the unknown name ${name.slice(0, 80)}`, async () => {
      const headers = { "x-forwarded-for": "192.0.2.1" };
      const answer = await outside("GET", `/photos/${name}`, { headers });
      assertError(answer, "photo_not_found");
      assert.equal(answer.headers["cache-control"], "private, no-cache");
    });
  }

  await t.test("a page with 110 photos loads all of them, and again with 304", async () => {
    const petId = await scene.addPet();
    const { urls } = (await scene.upload(petId, await drawImage("red", { width: 32, height: 32 }))).json;
    const { pathname } = new URL(urls[320]);
    const load = (conditions: Record<string, string> = {}) => {
      const headers = { "x-forwarded-for": "192.0.2.7", ...conditions };
      return Promise.all(Array.from({ length: 110 }, () => outside("GET", pathname, { headers })));
    };
    const [loaded, again] = [await load(), await load({ "if-none-match": "*" })];
    assert.deepEqual([...new Set(loaded.map(({ status }) => status))], [200]);
    assert.deepEqual([...new Set(again.map(({ status }) => status))], [304]);
    const left = again.map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
    assert.equal(Math.min(...left), 1_200 - 220, "304 counts too");
  });

  await t.test("have a budget of 1,200 a minute and address, apart from the one of /v1", async () => {
    const headers = { "x-forwarded-for": "192.0.2.2" };
    const ask = (method = "GET", path = "/photos/x") => outside(method, path, { headers });
    const first = await ask();
    assert.equal(first.headers["x-ratelimit-limit"], "1200");
    assert.equal(first.headers["ratelimit-policy"], '"minute";q=1200;w=60');
    assert.equal(first.headers["x-ratelimit-remaining"], "1199");
    assert.equal((await ask("HEAD")).headers["x-ratelimit-remaining"], "1198");
    for (let sent = 2; sent < 1_200; sent += 100)
      await Promise.all(Array.from({ length: Math.min(100, 1_200 - sent) }, () => ask()));
    const limited = await ask();
    assertError(limited, "rate_limit_exceeded");
    assert.equal(limited.headers["retry-after"], "60");
    assert.equal(limited.headers["x-ratelimit-remaining"], "0");

    const anonymous = await ask("GET", "/v1/pets");
    assert.deepEqual([anonymous.status, anonymous.headers["x-ratelimit-remaining"]], [401, "59"]);
    const other = await outside("GET", "/photos/x", { headers: { "x-forwarded-for": "192.0.2.3" } });
    assert.equal(other.headers["x-ratelimit-remaining"], "1199");
    scene.clock.advance(60_000);
    assertError(await ask(), "photo_not_found");
  });

  await t.test("are served while the budget of /v1 is used up", async () => {
    const headers = { "x-forwarded-for": "192.0.2.4" };
    for (let sent = 0; sent < 60; sent++) await outside("GET", "/v1/pets", { headers });
    assertError(await outside("GET", "/v1/pets", { headers }), "rate_limit_exceeded");
    assertError(await outside("GET", "/photos/x", { headers }), "photo_not_found");
  });

  await t.test("refuse other methods with 405, without a key", async () => {
    const answer = await outside("POST", `/photos/${hash}-320.webp`);
    assert.equal(answer.json.code, "method_not_allowed");
    assert.equal(answer.headers.allow, "GET, HEAD");
  });
});

test("Streams and webhooks send complete addresses of photos, of the past and as they happen", async (t) => {
  const publicUrl = "https://animals.example.org";
  const { url, call, addPet, upload } = await startScene(t, { PUBLIC_URL: publicUrl, ...RECEIVER_SETTINGS });
  const receiver = await startReceiver(t);
  await call("POST", "/webhooks", { body: { url: receiver.url, types: ["listing.updated"] } });
  const petId = await addPet();
  const photo = (await upload(petId, await drawImage("red"))).json;
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
