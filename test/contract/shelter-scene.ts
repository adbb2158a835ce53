// The stores that shelters concern, with short forms of what tests do most.

import { randomBytes } from "node:crypto";
import type { ChangeOrigin } from "../../src/domain/animals/history.ts";
import type { Database, Row } from "../../src/storage/database.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createPhotoStore } from "../../src/storage/stores/animals/photos.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { createShelterStore } from "../../src/storage/stores/shelters/shelters.ts";
import { TABLES } from "../../src/storage/tables.ts";
import { stampAt } from "../harness/clients/audit.ts";

export const IMAGE = {
  hash: "4".repeat(64),
  width: 9,
  height: 9,
  variants: [{ width: 9, bytes: Buffer.of(1) }],
};

export function createShelterScene(db: Database) {
  const keys = createKeyStore(db);
  const pets = createPetStore(db);
  const shelters = createShelterStore(db);
  return {
    keys,
    pets,
    shelters,
    categories: createCategoryStore(db),
    listings: createListingStore(db),
    photos: createPhotoStore(db),
    orders: createOrderStore(db, { holdMs: 1_000_000 }),
    /** A `manage` key; without a shelter, of the whole network. */
    async addKey(shelterId?: bigint): Promise<bigint> {
      const settings = { name: "x", plan: "free", access: "manage", shelterId } as const;
      return (await keys.create(settings, { hash: randomBytes(32), hint: "x" }, stampAt(1))).id;
    },
    moveKey: (id: bigint, shelterId: bigint | undefined) =>
      keys.update(id, (key) => ({ ...key, shelterId }), stampAt(2)),
    addShelter: async () => (await shelters.create({ name: "North" }, stampAt(1))).id,
    async addPet(origin: Partial<ChangeOrigin> = {}): Promise<bigint> {
      return (await pets.create({ name: "Rex", categoryId: 1n, status: "available" }, { atMs: 1, ...origin }))
        .id;
    },
  };
}

/** All rows of the store. */
export async function readTables(db: Database): Promise<Record<string, Row[]>> {
  const tables: Record<string, Row[]> = {};
  for (const table of Object.keys(TABLES)) {
    if (table === "nodes") continue;
    tables[table] = (await db.all(`SELECT * FROM ${table} ORDER BY 1`)).map((row) => ({ ...row }));
  }
  return tables;
}
