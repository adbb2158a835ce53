// The budget of uploads: reserved as bytes arrive, limited for all keys and for one, and free again at the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createUploadBudget } from "../../../src/http/request/upload-budget.ts";
import { openUpload } from "../../harness/clients/uploads.ts";
import { startApp } from "../../harness/servers/app.ts";

const LARGEST = 12 * 1024 * 1024;

test("uploads that announce 12 MiB and send nothing leave the memory to others", async (t) => {
  const { url, call, createKey, addPet } = await startApp(t);
  await addPet();
  const { key } = await createKey({ plan: "business" });
  for (const length of [`Content-Length: ${LARGEST}`, "Transfer-Encoding: chunked"])
    for (let opened = 0; opened < 20; opened++)
      openUpload(t, url, { key, lines: [length, "Expect: 100-continue"] });
  const silent = openUpload(t, url, { key, lines: [`Content-Length: ${LARGEST}`, "Expect: 100-continue"] });
  await silent.nextData();
  const headers = { "content-type": "image/png" };
  const own = await call("POST", "/pets/1/photos", { body: "no image", headers, key });
  const other = await call("POST", "/pets/1/photos", { body: "no image", headers });
  assert.deepEqual([own.json.code, other.json.code], ["invalid_image", "invalid_image"]);
});

test("Memory of uploads", async (t) => {
  await t.test("half of the memory is for one key, all of it for all keys", () => {
    const open = createUploadBudget(100);
    const [first, second, other, last] = [open(1n), open(1n), open(2n), open(3n)];
    assert.deepEqual([first.grow(30), second.grow(21), second.grow(20)], [true, false, true]);
    assert.equal(other.grow(50), true, "the other half is free for others");
    assert.equal(last.grow(1), false);
    second.release();
    assert.equal(last.grow(20), true);
    assert.equal(first.grow(31), false, "others have what the key has left");
  });

  await t.test("an upload grows by the difference, and a refusal changes nothing", () => {
    const open = createUploadBudget(100);
    const [upload, other] = [open(1n), open(2n)];
    for (const bytes of [10, 20, 50]) assert.equal(upload.grow(bytes), true);
    assert.equal(upload.grow(51), false);
    assert.equal(other.grow(50), true);
    assert.deepEqual([upload.canHold(50), upload.canHold(51)], [true, false]);
  });

  await t.test("memory is free again after the release, once", () => {
    const open = createUploadBudget(100);
    const [upload, other] = [open(1n), open(1n)];
    upload.grow(50);
    upload.release();
    upload.release();
    assert.equal(upload.grow(1), false, "a late chunk reserves nothing");
    assert.equal(other.grow(50), true);
    assert.equal(open(1n).grow(1), false);
  });

  await t.test("memory stays reserved while an image is processed, also without its client", async () => {
    const open = createUploadBudget(100);
    const [upload, other] = [open(1n), open(1n)];
    upload.grow(50);
    const work = Promise.withResolvers<string>();
    const used = upload.use(() => work.promise);
    upload.release();
    assert.equal(other.grow(1), false);
    work.resolve("done");
    assert.equal(await used, "done");
    assert.equal(other.grow(50), true);
  });

  await t.test("no work begins after the release: its bytes would count as nothing", async () => {
    const open = createUploadBudget(100);
    const [upload, other] = [open(1n), open(1n)];
    upload.grow(50);
    upload.release();
    let isBegun = false;
    const used = upload.use(async () => {
      isBegun = true;
    });
    await assert.rejects(used, { code: "bad_request" });
    assert.equal(isBegun, false);
    assert.equal(other.grow(50), true, "the refusal has freed nothing twice");
    assert.equal(open(1n).grow(1), false);
  });

  await t.test("memory is free after work that fails, and not before the response has ended", async () => {
    const open = createUploadBudget(100);
    const [upload, other] = [open(1n), open(1n)];
    upload.grow(50);
    await assert.rejects(
      upload.use(() => Promise.reject(new Error("broken"))),
      /broken/,
    );
    assert.equal(other.grow(1), false);
    upload.release();
    assert.equal(other.grow(50), true);
  });
});
