// The names of categories in SQL.

import type { CategoryStore } from "../domain/category.ts";
import { INT64_MIN } from "../domain/int64.ts";
import type { Database } from "./database.ts";

export function createCategoryStore(db: Database): CategoryStore {
  return {
    async list({ limit, after = INT64_MIN }) {
      const sql = "SELECT id, name FROM categories WHERE id > $1 ORDER BY id LIMIT $2";
      const rows = await db.all(sql, [after, limit]);
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
