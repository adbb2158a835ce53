// The names of categories in SQL.

import type { CategoryStore } from "../../domain/category.ts";
import type { Database } from "../database.ts";
import { TABLES } from "../tables.ts";

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
      return rows.map((row) => ({ id: row.id as bigint, name: row.name as string }));
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
