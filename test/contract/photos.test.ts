// Photos and images in the stores: shared files, limits, and images that no photo needs any more.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describePhoto, type Photo } from "../../src/domain/animals/photo.ts";
import { IMAGE_KEPT_MS } from "../../src/domain/animals/photo-limits.ts";
import type { ProcessedImage } from "../../src/domain/animals/stored-image.ts";
import { PHOTOS_PER_PET_MAX } from "../../src/domain/basics/count-limits.ts";
import type { Database } from "../../src/storage/database.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createPhotoStore } from "../../src/storage/stores/animals/photos.ts";
import { countRows, testOnEngines } from "./engines.ts";

const START_MS = Date.UTC(2027, 0, 1);
const DAY_MS = 86_400_000;
const ORIGIN = { keyId: 1n, atMs: START_MS };

function imageOf(text: string, widths = [640, 320]): ProcessedImage {
  const variants = widths.map((width) => ({ width, bytes: Buffer.from(`${text} in ${width}`) }));
  return { hash: createHash("sha256").update(text).digest("hex"), width: 900, height: 600, variants };
}

function scene(db: Database) {
  const pets = createPetStore(db);
  const photos = createPhotoStore(db);
  return {
    photos,
    addPet: async () => (await pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, ORIGIN)).id,
    async addPhoto(petId: bigint, text: string, alt = "") {
      const image = imageOf(text);
      await photos.storeImage(petId, image, START_MS);
      return photos.add(petId, { hash: image.hash, alt }, ORIGIN);
    },
    async listOf(petId: bigint): Promise<unknown> {
      const row = await db.first("SELECT photos FROM pets WHERE id = $1", [petId]);
      return JSON.parse((row?.photos as string | null) ?? "[]");
    },
  };
}

/** The photo as the column of the animal has it: nodes of release 1.1 expect this mark before a path. */
function shown(photo: Photo) {
  return { ...describePhoto(photo, "\u007f"), id: Number(photo.id) };
}

testOnEngines("Adding photos", async (t, db) => {
  const { photos, addPet, addPhoto, listOf } = scene(db);

  await t.test(
    "returns the existing photo for the same image, also when the animal has the most",
    async () => {
      const petId = await addPet();
      const added: Photo[] = [];
      for (let i = 0; i < PHOTOS_PER_PET_MAX; i++) added.push(await addPhoto(petId, `most ${i}`, "first"));
      assert.deepEqual(await addPhoto(petId, "most 3", "second"), added[3]);
      await assert.rejects(addPhoto(petId, "one too many"), { code: "too_many_photos" });
      const image = imageOf("one too many");
      await assert.rejects(photos.add(petId, { hash: image.hash, alt: "" }, ORIGIN), {
        code: "too_many_photos",
      });
      assert.equal(await photos.findFile({ hash: image.hash, width: 320 }), undefined, "nothing was stored");
      assert.deepEqual(await listOf(petId), added.map(shown));
    },
  );

  await t.test("adds no more than the limit when many add at the same time", async () => {
    const petId = await addPet();
    const tries = Array.from({ length: PHOTOS_PER_PET_MAX + 3 }, (_, i) => addPhoto(petId, `race ${i}`));
    const outcomes = await Promise.allSettled(tries);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 3);
    assert.equal(((await listOf(petId)) as unknown[]).length, PHOTOS_PER_PET_MAX);
  });

  await t.test(
    "stores an image once that several animals show, also when they add it at the same time",
    async () => {
      const before = await countRows(db, "image_files");
      const petIds = [await addPet(), await addPet(), await addPet()];
      const added = await Promise.all(petIds.map((petId) => addPhoto(petId, "shared")));
      assert.equal(await countRows(db, "image_files"), before + 2);
      assert.equal(new Set(added.map(({ id }) => id)).size, 3);
    },
  );
});

testOnEngines("Images without photos", async (t, db) => {
  const { photos, addPet, addPhoto } = scene(db);
  /** Runs maintenance at this time, until nothing is left to do. */
  const forgetAt = async (nowMs: number) => {
    while ((await photos.forget(nowMs)) > 0);
  };
  const isStored = async (text: string) => {
    const { hash, variants } = imageOf(text);
    const files = await Promise.all(variants.map(({ width }) => photos.findFile({ hash, width })));
    assert.equal(new Set(files.map((file) => file !== undefined)).size, 1, "all files or none");
    return files[0] !== undefined;
  };
  const keeps30Days = async (text: string, sinceMs: number) => {
    await forgetAt(sinceMs);
    await forgetAt(sinceMs + IMAGE_KEPT_MS - 1);
    assert.equal(await isStored(text), true);
    await forgetAt(sinceMs + IMAGE_KEPT_MS);
    assert.equal(await isStored(text), false);
  };

  await t.test("an image is deleted 30 days after its last photo", async () => {
    const [one, other] = [await addPet(), await addPet()] as const;
    const [first, second] = [await addPhoto(one, "two photos"), await addPhoto(other, "two photos")] as const;
    await photos.delete(one, first.id, ORIGIN);
    // The second run would delete what the first has found.
    for (const days of [100, 140]) await forgetAt(START_MS + days * DAY_MS);
    assert.equal(await isStored("two photos"), true, "another photo has the image");
    await photos.delete(other, second.id, ORIGIN);
    await keeps30Days("two photos", START_MS + 200 * DAY_MS);
  });

  await t.test("an image is deleted 30 days after an upload that was not finished", async () => {
    await photos.storeImage(await addPet(), imageOf("unfinished"), START_MS);
    await keeps30Days("unfinished", START_MS);
  });

  await t.test("an image that is uploaded again in time stays", async () => {
    const petId = await addPet();
    await photos.delete(petId, (await addPhoto(petId, "again")).id, ORIGIN);
    await forgetAt(START_MS);
    await addPhoto(petId, "again");
    await forgetAt(START_MS + 2 * IMAGE_KEPT_MS);
    assert.equal(await isStored("again"), true);
  });

  await t.test("an image that an animal gets twice stays, and others are deleted", async () => {
    const petId = await addPet();
    const [first, again] = [await addPhoto(petId, "twice"), await addPhoto(petId, "twice")];
    assert.equal(again.id, first.id);
    await photos.storeImage(petId, imageOf("never shown"), START_MS);
    await forgetAt(START_MS + 2 * IMAGE_KEPT_MS);
    assert.equal(await isStored("twice"), true);
    assert.equal(await isStored("never shown"), false);
  });

  await t.test("an image that is uploaded while maintenance deletes it is stored afterwards", async () => {
    const petId = await addPet();
    for (let round = 0; round < 20; round++) {
      const text = `round ${round % 2}`;
      const nowMs = START_MS + (1_000 + 31 * round) * DAY_MS;
      const image = imageOf(text);
      await photos.storeImage(petId, image, nowMs - IMAGE_KEPT_MS);
      const upload = async () => {
        await photos.storeImage(petId, image, nowMs);
        return photos.add(petId, { hash: image.hash, alt: "" }, ORIGIN);
      };
      const [photo] = await Promise.all([upload(), forgetAt(nowMs), forgetAt(nowMs)]);
      assert.equal(await isStored(text), true);
      await photos.delete(petId, photo.id, ORIGIN);
    }
  });

  await t.test("images are deleted in small steps", async () => {
    const nowMs = START_MS + 5_000 * DAY_MS;
    await forgetAt(nowMs);
    const petId = await addPet();
    for (let i = 0; i < 25; i++) await photos.storeImage(petId, imageOf(`step ${i}`), nowMs - IMAGE_KEPT_MS);
    const steps: number[] = [];
    do steps.push(await photos.forget(nowMs));
    while (steps.at(-1) !== 0);
    assert.deepEqual(steps, [10, 10, 5, 0]);
  });
});
