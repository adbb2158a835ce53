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
import { type BindValue, createBindValue } from "../../statements.ts";
import { TABLES, toJsonRows, toObject, toOptional } from "../../tables.ts";
import { hasFewPets } from "../animals/few-pets.ts";

const ORDER_COLUMNS = "id, pet_id, status, reference, created_at_ms, updated_at_ms, expires_at_ms";
/** The columns that a search reads. A deleted animal has no name. */
const TEXT_COLUMNS = `id, expires_at_ms,
  reference || ' ' || coalesce((SELECT name FROM pets WHERE pets.id = orders.pet_id), '') AS text`;
/** The most rows that a search reads at once: on SQLite, other requests wait for them. */
const SEARCHED_ROWS_MAX = 1_000;

interface Sort {
  order: string[];
  start: bigint;
  isAfter(position: bigint, bindValue: BindValue): string;
}

const SORTS: Record<OrderSort, Sort> = {
  oldest: { order: ["id"], start: 0n, isAfter: (id, bindValue) => `id > ${bindValue(id)}` },
  newest: { order: ["id DESC"], start: INT64_MAX, isAfter: (id, bindValue) => `id < ${bindValue(id)}` },
  ending: {
    order: ["expires_at_ms", "id"],
    start: 0n,
    isAfter(position, bindValue) {
      const { expiresAtMs, id } = splitPosition(position);
      const time = bindValue(expiresAtMs);
      // The first condition lets both engines use the index of expiry.
      return `expires_at_ms >= ${time} AND (expires_at_ms, id) > (${time}, ${bindValue(id)})`;
    },
  },
};

type Filter = Parameters<OrderStore["list"]>[0];
type PageFilter = Pick<Filter, "status" | "petId" | "ownerId"> & { addShelters: AddShelters; ids?: bigint[] };

export function createOrderList(db: Database): OrderStore["list"] {
  return async ({ words = [], ...wanted }, page, { sort = "oldest", hasPets = false } = {}) => {
    const filter = { ...wanted, addShelters: await readShelters(db, wanted) };
    const read = async (some: PageFilter, each: Page): Promise<ListedOrder[]> => {
      const [sql, values] = selectPage(TABLES.orders, some, each, sort);
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
  { status, petId, ownerId, ids, addShelters }: PageFilter,
  { limit, after }: Page,
  sort: OrderSort,
): [sql: string, values: SqlValue[]] {
  const values: SqlValue[] = [];
  const bindValue = createBindValue(values);
  const { order, start, isAfter } = SORTS[sort];
  // Only placed orders expire; by their status, they would have to be sorted.
  const wanted = { status: sort === "ending" ? undefined : status, pet_id: petId, key_id: ownerId };
  const where = `${isAfter(after ?? start, bindValue)}${conditions(wanted, bindValue)}${addShelters(bindValue)}`;
  const isOne =
    ids &&
    ` AND id IN (SELECT CAST(value ->> 0 AS BIGINT) FROM jsonb_each(${bindValue(toJsonRows(ids.map((id) => [id])))}))`;
  const sql = `SELECT ${columns} FROM orders WHERE ${where}${isOne ?? ""} ORDER BY ${order.join(", ")} LIMIT ${bindValue(limit)}`;
  return [sql, values];
}

/** A condition for each column that has a value. */
export function conditions(wanted: Record<string, SqlValue | undefined>, bindValue: BindValue): string {
  return Object.entries(wanted)
    .map(([column, value]) => (value === undefined ? "" : ` AND ${column} = ${bindValue(value)}`))
    .join("");
}

/** SQL: the shelter that the animal of an order belongs to now. NULL for a deleted animal, which belongs to none. */
export const PET_SHELTER = "(SELECT pets.shelter_id FROM pets WHERE pets.id = orders.pet_id)";

/** Adds the condition that the animals of the orders belong to these shelters now. */
type AddShelters = (bindValue: BindValue) => string;

export async function readShelters(
  db: Database,
  { keyShelterId, shelterId }: Pick<Filter, "keyShelterId" | "shelterId">,
): Promise<AddShelters> {
  const shelters: AddShelters[] = [];
  for (const id of [keyShelterId, shelterId]) {
    if (id === undefined) continue;
    const isSmall = await hasFewPets(db, "shelter_id = $1", id);
    shelters.push((bindValue) => (isSmall ? isOfSmall(bindValue(id)) : `${PET_SHELTER} = ${bindValue(id)}`));
  }
  return (bindValue) => shelters.map((each) => ` AND ${each(bindValue)}`).join("");
}

/** Finds the orders of a small shelter by its animals: most orders in the list are of others. */
function isOfSmall(shelterId: string): string {
  return `orders.id IN (SELECT of_pet.id FROM pets JOIN orders AS of_pet ON of_pet.pet_id = pets.id
    WHERE pets.shelter_id = ${shelterId})`;
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
