// The animals in SQL.

import type { Pet, PetStatus, PetStore } from "../domain/pet.ts";
import type { Database, Row, Transaction } from "./database.ts";

const COLUMNS = "id, name, category_id, status";
const BEFORE_ALL = -(2n ** 63n);

/** `changed` is awaited after each change is durable. */
export function createPetStore(db: Database, changed: () => Promise<void> = async () => {}): PetStore {
  return {
    async list({ status }, { limit, after = BEFORE_ALL }) {
      const rows =
        status === undefined
          ? await db.all(`SELECT ${COLUMNS} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`, [after, limit])
          : await db.all(`SELECT ${COLUMNS} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`, [
              status,
              after,
              limit,
            ]);
      return rows.map(toPet);
    },

    async create(pet) {
      const insert = async (tx: Transaction) => {
        const sql = "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id";
        return tx.first(sql, [pet.name, pet.categoryId, pet.status]);
      };
      const row = await db.transaction(insert, { inOrder: true });
      await changed();
      return { id: row?.id as bigint, ...pet };
    },

    async find(id) {
      const row = await db.first(`SELECT ${COLUMNS} FROM pets WHERE id = $1`, [id]);
      return row && toPet(row);
    },
  };
}

function toPet(row: Row): Pet {
  return {
    id: row.id as bigint,
    name: row.name as string,
    categoryId: row.category_id as bigint,
    status: row.status as PetStatus,
  };
}
