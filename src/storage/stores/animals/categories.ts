// The names of categories in SQL.

import type { Category, CategoryStore } from "../../../domain/animals/category.ts";
import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import type { Database, Queries, Row, Transaction } from "../../database.ts";
import { TABLES, toJsonRows, toObject, upsertOf } from "../../tables.ts";
import { requireNetworkKey } from "../shelters/own-shelter.ts";
import { type ChangeListener, createRecordedTransactions, type NewChange, recordChanges } from "./history.ts";

const UPSERT = upsertOf("categories");
const ADD_MANY = `INSERT INTO categories (${TABLES.categories})
  SELECT CAST(value ->> 0 AS BIGINT), value ->> 1 FROM jsonb_each($1)`;

export function createCategoryStore(db: Database, changed: ChangeListener = async () => {}): CategoryStore {
  const change = createRecordedTransactions(db, changed);

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

    put: ({ id, name }, origin) =>
      change(async (tx, { record }) => {
        await requireNetworkKey(tx, origin);
        const before = await findCategory(tx, id);
        if (before?.name !== name) {
          await tx.run(UPSERT, [id, name]);
          await record([changeOf("category.updated", id, { before, name }, origin)]);
        }
        return before === undefined ? "created" : "renamed";
      }),

    delete: (id, origin) =>
      change(async (tx, { record }) => {
        await requireNetworkKey(tx, origin);
        const before = await findCategory(tx, id);
        if (before === undefined) return false;
        await tx.run("DELETE FROM categories WHERE id = $1", [id]);
        await record([changeOf("category.deleted", id, { before }, origin)]);
        return true;
      }),
  };
}

async function findCategory(tx: Transaction, id: bigint): Promise<Category | undefined> {
  const row = await tx.lock(`SELECT ${TABLES.categories} FROM categories WHERE id = $1`, [id]);
  return row && toCategory(row);
}

function changeOf(
  type: "category.updated" | "category.deleted",
  categoryId: bigint,
  { before, name }: { before?: Category | undefined; name?: string },
  origin: ChangeOrigin,
): NewChange {
  return {
    type,
    petId: 0n,
    categoryId,
    from: before && { name: before.name },
    to: name === undefined ? undefined : { name },
    ...origin,
  };
}

/** In ascending order of id. */
export async function listAllCategories(db: Queries): Promise<Category[]> {
  return (await db.all(`SELECT ${TABLES.categories} FROM categories ORDER BY id`)).map(toCategory);
}

/** Without ids that have no name. */
export async function findCategoryNames(db: Queries, ids: Iterable<bigint>): Promise<Map<bigint, string>> {
  const wanted = toJsonRows([...new Set(ids)].map((id) => [id]));
  const sql =
    "SELECT id, name FROM categories WHERE id IN (SELECT CAST(value ->> 0 AS BIGINT) FROM jsonb_each($1))";
  return new Map((await db.all(sql, [wanted])).map(toCategory).map(({ id, name }) => [id, name]));
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

/** Needs an `inOrder` transaction. Records the history. Throws `other_shelter`; fails if an id has a name already. */
export async function addCategories(
  tx: Transaction,
  categories: Category[],
  origin: ChangeOrigin,
): Promise<void> {
  await requireNetworkKey(tx, origin);
  await tx.run(ADD_MANY, [toJsonRows(categories.map(({ id, name }) => [id, name]))]);
  const changes = categories.map(({ id, name }) => changeOf("category.updated", id, { name }, origin));
  await recordChanges(tx, changes);
}

function toCategory(row: Row): Category {
  return toObject(row, TABLES.categories);
}
