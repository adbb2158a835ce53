// Lists of orders in SQL: their filters, orders, pages and search.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { PetStatus } from "../../../domain/animals/pet.ts";
import { INT64_MAX } from "../../../domain/basics/int64.ts";
import type { Page } from "../../../domain/basics/page.ts";
import {
  hasWords,
  type ListedOrder,
  type Order,
  type OrderSort,
  type OrderStore,
  positionOf,
  splitPosition,
} from "../../../domain/orders/order.ts";
import type { Database, Row, SqlValue } from "../../database.ts";
import { TABLES, toJsonRows, toObject, toOptional } from "../../tables.ts";

const ORDER_COLUMNS = "id, pet_id, status, reference, created_at_ms, updated_at_ms, expires_at_ms";
/** The columns that a search reads. A deleted animal has no name. */
const TEXT_COLUMNS = `id, expires_at_ms,
  reference || ' ' || coalesce((SELECT name FROM pets WHERE pets.id = orders.pet_id), '') AS text`;
/** The most rows that a search reads at once: on SQLite, other requests wait for them. */
const SEARCHED_ROWS_MAX = 1_000;

/** Adds a value, and returns its placeholder. */
type Bind = (value: SqlValue) => string;

interface Sort {
  order: string[];
  start: bigint;
  isAfter(position: bigint, bind: Bind): string;
}

const SORTS: Record<OrderSort, Sort> = {
  oldest: { order: ["id"], start: 0n, isAfter: (id, bind) => `id > ${bind(id)}` },
  newest: { order: ["id DESC"], start: INT64_MAX, isAfter: (id, bind) => `id < ${bind(id)}` },
  ending: {
    order: ["expires_at_ms", "id"],
    start: 0n,
    isAfter(position, bind) {
      const { expiresAtMs, id } = splitPosition(position);
      const time = bind(expiresAtMs);
      // The first condition lets both engines use the index of expiry.
      return `expires_at_ms >= ${time} AND (expires_at_ms, id) > (${time}, ${bind(id)})`;
    },
  },
};

type Filter = Omit<Parameters<OrderStore["list"]>[0], "words"> & { ids?: bigint[] };

export function createOrderList(db: Database): OrderStore["list"] {
  return async ({ words = [], ...filter }, page, { sort = "oldest", hasPets = false } = {}) => {
    const read = async (wanted: Filter, each: Page): Promise<ListedOrder[]> => {
      const [sql, values] = selectPage(TABLES.orders, wanted, each, sort);
      return (await db.all(hasPets ? withPets(sql, sort) : sql, values)).map(toListedOrder);
    };
    if (words.length === 0) return read(filter, page);

    // In portions, until the page is full. Texts are compared here, so that both engines find the same orders.
    const found: ListedOrder[] = [];
    let { limit: size, after } = page;
    for (;;) {
      const rows = await db.all(...selectPage(TEXT_COLUMNS, filter, { limit: size, after }, sort));
      const ids = rows.filter(({ text }) => hasWords(text as string, words)).map(({ id }) => id as bigint);
      const rest = { limit: page.limit - found.length, after };
      if (ids.length > 0) found.push(...(await read({ ...filter, ids }, rest)));
      const last = rows.at(-1);
      if (found.length >= page.limit || rows.length < size || last === undefined) return found;
      after = positionOf(toOrder(last), sort);
      size = Math.min(4 * size, SEARCHED_ROWS_MAX);
      await yieldToEventLoop();
    }
  };
}

function selectPage(
  columns: string,
  { status, petId, ownerId, ids }: Filter,
  { limit, after }: Page,
  sort: OrderSort,
): [sql: string, values: SqlValue[]] {
  const values: SqlValue[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const { order, start, isAfter } = SORTS[sort];
  // Only placed orders expire; by their status, they would have to be sorted.
  const wanted = { status: sort === "ending" ? undefined : status, pet_id: petId, key_id: ownerId };
  const where = `${isAfter(after ?? start, bind)}${conditions(wanted, bind)}`;
  const isOne =
    ids &&
    ` AND id IN (SELECT CAST(value ->> 0 AS BIGINT) FROM jsonb_each(${bind(toJsonRows(ids.map((id) => [id])))}))`;
  const sql = `SELECT ${columns} FROM orders WHERE ${where}${isOne ?? ""} ORDER BY ${order.join(", ")} LIMIT ${bind(limit)}`;
  return [sql, values];
}

/** A condition for each column that has a value. */
export function conditions(wanted: Record<string, SqlValue | undefined>, bind: Bind): string {
  return Object.entries(wanted)
    .map(([column, value]) => (value === undefined ? "" : ` AND ${column} = ${bind(value)}`))
    .join("");
}

/** Adds the columns of the animals to a page of orders. The order of a page is not the order of a join. */
function withPets(page: string, sort: OrderSort): string {
  return `SELECT page.*, pets.name AS pet_name, pets.category_id AS pet_category_id, pets.status AS pet_status
    FROM (${page}) AS page LEFT JOIN pets ON pets.id = page.pet_id
    ORDER BY ${SORTS[sort].order.map((column) => `page.${column}`).join(", ")}`;
}

function toListedOrder(row: Row): ListedOrder {
  const order = toOrder(row);
  const name = toOptional<string>(row.pet_name);
  if (name === undefined) return order;
  const [categoryId, status] = [row.pet_category_id as bigint, row.pet_status as PetStatus];
  return { ...order, pet: { id: order.petId, name, categoryId, status } };
}

export function toOrder(row: Row): Order {
  return toObject(row, ORDER_COLUMNS);
}
