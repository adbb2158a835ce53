// Photos of animals in SQL, with the files of their images.

import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import { requirePet } from "../../../domain/animals/pet.ts";
import {
  findNewImages,
  type ImageFile,
  type Photo,
  type PhotoStore,
  reorderPhotos,
  requirePhoto,
} from "../../../domain/animals/photo.ts";
import { IMAGE_KEPT_MS } from "../../../domain/animals/photo-limits.ts";
import type { ProcessedImage } from "../../../domain/animals/stored-image.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../../database.ts";
import { toJsonRows } from "../../tables.ts";
import { keyShelterColumn, requireOwnShelter } from "../shelters/own-shelter.ts";
import { type ChangeListener, createRecordedTransactions, type NewChange, recordChanges } from "./history.ts";
import { listingChange, lockOwnListing } from "./listings.ts";
import { readPhotos, writePhotos } from "./photo-column.ts";

/** An image has about a megabyte, and SQLite blocks the process while it deletes. */
const FORGOTTEN_PER_TRANSACTION = 10;

const FIND_PET = `SELECT shelter_id, ${keyShelterColumn("$2")} FROM pets WHERE id = $1`;
const UPDATE_PET = "UPDATE pets SET photos = $2, updated_at_ms = $3 WHERE id = $1";
const LIST = `SELECT photos.id, photos.hash, photos.alt, images.width, images.height, image_files.width AS file_width
  FROM photos JOIN images ON images.hash = photos.hash JOIN image_files ON image_files.hash = photos.hash
  WHERE pet_id = $1 ORDER BY position, photos.id, image_files.width`;

const HASHES = `SELECT photos.hash FROM pets JOIN photos ON photos.pet_id = pets.id
  WHERE external_id = $1 AND external_id IS NOT NULL`;

/** Also keeps maintenance from deleting the image until its photo is added. */
const TOUCH_IMAGE = `UPDATE images
  SET unreferenced_at_ms = CASE WHEN unreferenced_at_ms IS NULL THEN NULL ELSE CAST($2 AS BIGINT) END WHERE hash = $1`;
/** Another upload may have added the image since it was looked for. */
const ADD_IMAGE = `INSERT INTO images (hash, width, height, unreferenced_at_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT (hash) DO NOTHING`;
const ADD_FILE = `INSERT INTO image_files (hash, width, bytes) VALUES ($1, $2, $3)
  ON CONFLICT (hash, width) DO NOTHING`;

const ADD_PHOTO = `INSERT INTO photos (pet_id, position, hash, alt)
  VALUES ($1, (SELECT coalesce(max(position), 0) + 1 FROM photos WHERE pet_id = $1), $2, $3) RETURNING id`;
const ORDER = `UPDATE photos SET position = CAST(key AS BIGINT) + 1 FROM jsonb_each($1)
  WHERE photos.id = CAST(value ->> 0 AS BIGINT)`;

/** Without photos since $1 or longer; 0 if maintenance has not seen it yet. */
const UNREFERENCED = "unreferenced_at_ms <= $1";

export function createPhotoStore(db: Database, changed: ChangeListener = async () => {}): PhotoStore {
  const change = createRecordedTransactions(db, changed);

  const changePhotos = (petId: bigint, origin: ChangeOrigin, work: PhotoWork): Promise<Photo[]> =>
    change((tx, { record }) => changePhotosOf(tx, { petId, origin, record }, work));

  return {
    async requirePet(petId, { keyId = null }) {
      requireOwnShelter(requirePet(await db.first(FIND_PET, [petId, keyId])));
    },

    async storeImage(petId, image, atMs) {
      // The shelter of the key is checked when the photo is added.
      requirePet(await db.first("SELECT id FROM pets WHERE id = $1", [petId]));
      findNewImages(await listPhotos(db, petId), [image.hash]);
      await putImage(db, image, atMs);
    },

    async add(petId, { hash, alt }, origin) {
      const photos = await changePhotos(petId, origin, (tx, before) =>
        addEach(tx, { petId, before, hashes: [hash], alt }),
      );
      return photos.find((photo) => photo.hash === hash) as Photo;
    },

    order: (petId, ids, origin) =>
      changePhotos(petId, origin, async (tx, before) => {
        const after = reorderPhotos(before, ids);
        if (after.every((photo, index) => photo === before[index])) return undefined;
        await tx.run(ORDER, [toJsonRows(ids.map((id) => [id]))]);
        return after;
      }),

    async setAlt(petId, photoId, alt, origin) {
      const photos = await changePhotos(petId, origin, async (tx, before) => {
        const photo = requirePhoto(before, photoId);
        if (photo.alt === alt) return undefined;
        await tx.run("UPDATE photos SET alt = $2 WHERE id = $1", [photoId, alt]);
        return before.map((each) => (each === photo ? { ...photo, alt } : each));
      });
      return requirePhoto(photos, photoId);
    },

    async delete(petId, photoId, origin) {
      await changePhotos(petId, origin, async (tx, before) => {
        const photo = requirePhoto(before, photoId);
        await tx.run("DELETE FROM photos WHERE id = $1", [photoId]);
        return before.filter((each) => each !== photo);
      });
    },

    findFile: (file) => findImageFile(db, file),

    forget: (nowMs) => forgetImages(db, nowMs),
  };
}

async function forgetImages(db: Database, nowMs: number): Promise<number> {
  const values: SqlValue[] = [Math.max(0, nowMs - IMAGE_KEPT_MS), FORGOTTEN_PER_TRANSACTION];
  const old = `SELECT hash FROM images WHERE ${UNREFERENCED} LIMIT $2`;
  if ((await db.first(old, values)) === undefined) return 0;
  return db.transaction(async (tx) => {
    const seen = await tx.run("UPDATE images SET unreferenced_at_ms = $1 WHERE unreferenced_at_ms = 0", [
      nowMs,
    ]);
    // The time is checked twice: an image that is uploaded again while the statement waits for its lock stays.
    return seen + (await tx.run(`DELETE FROM images WHERE hash IN (${old}) AND ${UNREFERENCED}`, values));
  });
}

/** The bytes of a WebP file. */
export async function findImageFile(db: Queries, { hash, width }: ImageFile): Promise<Buffer | undefined> {
  const sql = "SELECT bytes FROM image_files WHERE hash = $1 AND width = $2";
  return (await db.first(sql, [Buffer.from(hash, "hex"), width]))?.bytes as Buffer | undefined;
}

/**
 * Stores the files of an image whose photo follows. In a transaction of its own: a photo takes its place in the order of
 * changes, for which all others wait.
 */
export async function putImage(
  db: Database,
  { hash, width, height, variants }: ProcessedImage,
  atMs: number,
): Promise<void> {
  const key = Buffer.from(hash, "hex");
  await db.transaction(async (tx) => {
    if ((await tx.run(TOUCH_IMAGE, [key, atMs])) > 0) return;
    await tx.run(ADD_IMAGE, [key, width, height, atMs]);
    for (const file of variants) await tx.run(ADD_FILE, [key, file.width, file.bytes]);
  });
}

/**
 * Needs an `inOrder` transaction. Adds photos of stored images after the others, as one change. Images that the animal has stay
 * as they are. Resolves to the number of new photos. Throws `too_many_photos`.
 */
export async function addPhotos(
  tx: Transaction,
  petId: bigint,
  hashes: string[],
  origin: ChangeOrigin,
): Promise<number> {
  let added = 0;
  const record = (changes: NewChange[]) => recordChanges(tx, changes);
  await changePhotosOf(tx, { petId, origin, record }, async (_, before) => {
    const after = await addEach(tx, { petId, before, hashes, alt: "" });
    added = (after ?? before).length - before.length;
    return after;
  });
  return added;
}

interface NewPhotos {
  petId: bigint;
  before: Photo[];
  hashes: string[];
  alt: string;
}

/** Resolves to all photos of the animal, or to undefined if it has these images already. */
async function addEach(
  tx: Transaction,
  { petId, before, hashes, alt }: NewPhotos,
): Promise<Photo[] | undefined> {
  const wanted = findNewImages(before, hashes);
  for (const hash of wanted) await tx.first(ADD_PHOTO, [petId, Buffer.from(hash, "hex"), alt]);
  return wanted.length === 0 ? undefined : listPhotos(tx, petId);
}

/** The images of the photos of the animal that has this external id. */
export async function findHashes(db: Queries, externalId: string): Promise<string[]> {
  const rows = await db.all(HASHES, [externalId]);
  return rows.map(({ hash }) => (hash as Buffer).toString("hex"));
}

/** Gets the photos of the locked animal, and resolves to the new ones, or to undefined if nothing changes. */
type PhotoWork = (tx: Transaction, before: Photo[]) => Promise<Photo[] | undefined>;

interface PhotoChange {
  petId: bigint;
  origin: ChangeOrigin;
  record(changes: NewChange[]): Promise<unknown>;
}

/** Resolves to the photos afterwards. */
async function changePhotosOf(
  tx: Transaction,
  { petId, origin, record }: PhotoChange,
  work: PhotoWork,
): Promise<Photo[]> {
  const listing = requirePet(await lockOwnListing(tx, petId, origin));
  const before = await listPhotos(tx, petId);
  const after = await work(tx, before);
  if (after === undefined) return before;
  const json = writePhotos(after);
  const next = { ...listing, photos: readPhotos(json), updatedAtMs: origin.atMs };
  await tx.run(UPDATE_PET, [petId, json, origin.atMs]);
  await record([listingChange(listing, next, origin)]);
  return after;
}

async function listPhotos(queries: Queries, petId: bigint): Promise<Photo[]> {
  const files = Map.groupBy(await queries.all(LIST, [petId]), ({ id }) => id);
  return [...files.values()].map(toPhoto);
}

/** From a row for each file of its image. */
function toPhoto(rows: Row[]): Photo {
  const [{ id, hash, alt, width, height }] = rows as [Row];
  return {
    id: id as bigint,
    hash: (hash as Buffer).toString("hex"),
    width: Number(width),
    height: Number(height),
    alt: alt as string,
    widths: rows.map((row) => Number(row.file_width)),
  };
}
