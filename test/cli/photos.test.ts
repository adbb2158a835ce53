// Photos in backup, restore and copy: every image arrives byte for byte.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/engines.ts";
import type { Database } from "../../src/storage/database.ts";
import { createPhotoStore } from "../../src/storage/stores/animals/photos.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { fillStore, makeStore } from "./stores.ts";

const IMAGES = 9;
const WIDTHS = [2048, 320];
const ORIGIN = { atMs: 1_000, keyId: 1n };

/** More files than `copy` reads at a time. One image is shared, one has no photo. */
async function addPhotos(db: Database): Promise<void> {
  await fillStore(db, 3);
  const photos = createPhotoStore(db);
  for (let i = 0; i < IMAGES; i++) {
    const variants = WIDTHS.map((width) => ({ width, bytes: randomBytes(200 * width) }));
    const image = { hash: randomBytes(32).toString("hex"), width: 4000, height: 3000, variants };
    await photos.storeImage(1n, image, ORIGIN.atMs);
    if (i > 0) await photos.add(1n, { hash: image.hash, alt: `Zoë ${i} 🐕` }, ORIGIN);
    if (i === 1) await photos.add(2n, { hash: image.hash, alt: "" }, ORIGIN);
  }
}

async function readPhotos(db: Database) {
  const read = (table: string) => db.all(`SELECT * FROM ${table} ORDER BY 1`);
  const [pets, images, files, photos] = await Promise.all(
    ["pets", "images", "image_files", "photos"].map(read),
  );
  return { pets, images, files, photos };
}

/** The photos of another store, opened for a moment. */
async function readStore(url: string) {
  const db = await openDatabase(readConfig({ DATABASE_URL: url }), false);
  try {
    return await readPhotos(db);
  } finally {
    await db.close();
  }
}

test("backup, restore and copy keep every image byte for byte", async (t) => {
  const { db, readOutput, folder, environment } = await makeStore(t);
  await addPhotos(db);
  const source = await readPhotos(db);
  assert.equal(source.files?.length, IMAGES * WIDTHS.length);

  await t.test("backup and restore keep every image", async () => {
    const backup = join(folder, "backup.db");
    const restored = `sqlite:${join(folder, "restored.db")}`;
    await readOutput("backup", backup);
    await commandsIn({ DATABASE_URL: restored }).readOutput("restore", backup);
    assert.deepEqual(await readStore(restored), source);
  });

  await t.test("a copy to PostgreSQL and back to SQLite keeps every image", async () => {
    const postgres = await createTestDatabase(t);
    const back = `sqlite:${join(folder, "back.db")}`;
    await readOutput("copy", "--from", environment.DATABASE_URL, "--to", postgres);
    assert.deepEqual(await readStore(postgres), source);
    await readOutput("copy", "--from", postgres, "--to", back);
    assert.deepEqual(await readStore(back), source);
  });
});
