// The names of categories in SQL.

import type { Category, CategoryStore } from "../../domain/category.ts";
import type { Database, Queries, Row, Transaction } from "../database.ts";
import { TABLES, toJsonRows } from "../tables.ts";

const ADD_MANY = `INSERT INTO categories (${TABLES.categories})
  SELECT CAST(value ->> 0 AS BIGINT), value ->> 1 FROM json_each($1)`;

export function createCategoryStore(db: Database): CategoryStore {
  return {
    async list({ limit, after }) {
      const select = (condition: string) =>
        `SELECT ${TABLES.categories} FROM categories ${condition} ORDER BY id LIMIT $1`;
      // Ids may be any int64, so there is no value before all of them.
      const rows =
        after === undefined
          ? await db.all(select(""), [limit])
          : await db.all(select("WHERE id > $2"), [limit, after]);
      return rows.map(toCategory);
    },

    put: ({ id, name }) =>
      db.transaction(
        async (tx) => {
          if ((await tx.run("UPDATE categories SET name = $2 WHERE id = $1", [id, name])) > 0)
            return "renamed";
          await tx.run("INSERT INTO categories (id, name) VALUES ($1, $2)", [id, name]);
          return "created";
        },
        { inOrder: true },
      ),

    async delete(id) {
      return (await db.transaction((tx) => tx.run("DELETE FROM categories WHERE id = $1", [id]))) > 0;
    },
  };
}

/** In ascending order of id. */
export async function listAllCategories(db: Queries): Promise<Category[]> {
  return (await db.all(`SELECT ${TABLES.categories} FROM categories ORDER BY id`)).map(toCategory);
}

/** The highest id below `limit` that a category or an animal has; 0 if it is negative or there is none. Reads all animals. */
export async function findHighestCategoryId(db: Queries, limit: bigint): Promise<bigint> {
  const row = await db.first(
    `SELECT max(id) AS id FROM (SELECT id FROM categories UNION ALL SELECT category_id FROM pets) AS ids
      WHERE id > 0 AND id < $1`,
    [limit],
  );
  return (row?.id as bigint | null) ?? 0n;
}

/** For `inOrder` transactions. Fails if an id has a name already. */
export async function addCategories(tx: Transaction, categories: Category[]): Promise<void> {
  await tx.run(ADD_MANY, [toJsonRows(categories.map(({ id, name }) => [id, name]))]);
}

function toCategory(row: Row): Category {
  return { id: row.id as bigint, name: row.name as string };
}
