// The orders in SQL. An order and its animal change in one transaction, in order across all nodes.

import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import type { PetStatus } from "../../../domain/animals/pet.ts";
import { ServiceError } from "../../../domain/basics/errors.ts";
import { ORDER_COUNT_MAX } from "../../../domain/basics/list-limits.ts";
import { requirePrecondition } from "../../../domain/basics/precondition.ts";
import { refuseTransition } from "../../../domain/basics/transition.ts";
import {
  ORDER_STATUSES,
  ORDER_TRANSITIONS,
  type Order,
  type OrderStatus,
  type OrderStore,
  type Ownership,
  PET_TRANSITION_WITH,
  RESERVATION,
  refuseUnavailable,
} from "../../../domain/orders/order.ts";
import { awaitAll } from "../../../tools/await-all.ts";
import type { Database, Queries, SqlValue, Transaction } from "../../database.ts";
import { createBindValue } from "../../statements.ts";
import { placeholders, TABLES } from "../../tables.ts";
import {
  type ChangeListener,
  createRecordedTransactions,
  type NewChange,
  type Recorder,
} from "../animals/history.ts";
import { transitionPets } from "../animals/pets.ts";
import { isOwnOrderSql, keyShelterColumn, requireOwnShelter } from "../shelters/own-shelter.ts";
import { conditions, createOrderList, PET_SHELTER, readShelters, toOrder } from "./order-list.ts";

const COLUMNS = TABLES.orders;
const FIND_PET = `SELECT status, shelter_id, ${keyShelterColumn("$2")} FROM pets WHERE id = $1`;
/** A few statements end this many holds, so that other writes wait only briefly. */
const EXPIRED_PER_TRANSACTION = 50;

export interface OrderOptions {
  /** How long a placed order holds its animal. */
  holdMs: number;
  /** Called after each transition, which may change the animal. */
  changed?: ChangeListener;
}

export function createOrderStore(db: Database, options: OrderOptions): OrderStore {
  const { holdMs, changed = async () => {} } = options;
  const change = createRecordedTransactions(db, changed);

  return {
    list: createOrderList(db),

    count: (ownership) => countOrders(db, ownership),

    async find(id, ownership) {
      const row = await db.first(...selectOne(id, ownership));
      return row && toOrder(row);
    },

    async create({ petId, reference = "" }, origin) {
      const insert = async (tx: Transaction, { record }: Recorder) => {
        const [, moved] = await awaitAll([
          requireAvailable(tx, petId, origin),
          transitionPets(tx, [petId], RESERVATION, origin),
        ]);
        // The unique index of open orders is the final check.
        const row = await tx.first(
          `INSERT INTO orders (pet_id, status, reference, key_id, created_at_ms, updated_at_ms, expires_at_ms)
           VALUES ($1, 'placed', $2, $3, $4, $4, $5) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
          [petId, reference, origin.keyId, origin.atMs, origin.atMs + holdMs],
        );
        if (row === undefined) throw new ServiceError("pet_not_available");
        const order = toOrder(row);
        await record([...moved, changeOf(undefined, order, origin)]);
        return order;
      };
      // Most late orders are refused here, without waiting for the order lock.
      await requireAvailable(db, petId, origin);
      return change(insert);
    },

    move: (id, to, origin, { precondition, ...ownership }) =>
      change(async (tx, { record }) => {
        const [select, values] = selectOne(id, ownership);
        const isOwn = isOwnOrderSql(`$${values.push(origin.keyId ?? null)}`);
        const row = await tx.lock(`${select} AND ${isOwn}`, values);
        if (row === undefined) return undefined;
        const order = toOrder(row);
        requirePrecondition(precondition, order);
        refuseTransition("order", ORDER_TRANSITIONS, order.status, to);
        const [moved] = await moveOrders(tx, [order], to, origin, record);
        return moved;
      }),

    async expire(nowMs) {
      const overdue = `SELECT ${COLUMNS} FROM orders WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2`;
      const values = [nowMs, EXPIRED_PER_TRANSACTION];
      // Usually there is nothing to do, and no lock is needed.
      if ((await db.first(overdue, values)) === undefined) return 0;
      const expired = await change(async (tx, { record }) => {
        const orders = (await tx.all(overdue, values)).map(toOrder);
        return moveOrders(tx, orders, "expired", { atMs: nowMs }, record);
      });
      return expired.length;
    },
  };
}

/** One statement, so that an order that changes during the count is counted once. */
async function countOrders(db: Database, ownership: Ownership): Promise<Record<OrderStatus, number>> {
  const values: SqlValue[] = [];
  const bindValue = createBindValue(values);
  const addShelters = await readShelters(db, ownership);
  const isOwned = conditions({ key_id: ownership.ownerId }, bindValue) + addShelters(bindValue);
  const counts = ORDER_STATUSES.map((status) => {
    const some = `SELECT 1 FROM orders WHERE status = '${status}'${isOwned} LIMIT ${ORDER_COUNT_MAX}`;
    return `(SELECT count(*) FROM (${some}) AS counted) AS ${status}`;
  });
  const row = await db.first(`SELECT ${counts.join(", ")}`, values);
  const found = ORDER_STATUSES.map((status) => [status, Number(row?.[status])]);
  return Object.fromEntries(found) as Record<OrderStatus, number>;
}

/** The query for one order, and its values. */
function selectOne(id: bigint, { ownerId, keyShelterId }: Ownership): [string, SqlValue[]] {
  const values: SqlValue[] = [id];
  const isOwned = conditions({ key_id: ownerId, [PET_SHELTER]: keyShelterId }, createBindValue(values));
  return [`SELECT ${COLUMNS} FROM orders WHERE id = $1${isOwned}`, values];
}

/** Throws if the animal does not exist, belongs to another shelter than the key, or is not available. */
async function requireAvailable(db: Queries, petId: bigint, { keyId }: ChangeOrigin): Promise<void> {
  const row = await db.first(FIND_PET, [petId, keyId ?? null]);
  if (row === undefined) throw new ServiceError("pet_not_found");
  requireOwnShelter(row);
  refuseUnavailable(row.status as PetStatus);
}

async function moveOrders(
  tx: Transaction,
  orders: Order[],
  to: OrderStatus,
  origin: ChangeOrigin,
  record: Recorder["record"],
): Promise<Order[]> {
  if (orders.length === 0) return [];
  await tx.run(
    `UPDATE orders SET status = $1, updated_at_ms = $2, expires_at_ms = NULL WHERE id IN (${placeholders(orders.length, 3)})`,
    [to, origin.atMs, ...orders.map(({ id }) => id)],
  );
  const after = orders.map(
    (order): Order => ({ ...order, status: to, updatedAtMs: origin.atMs, expiresAtMs: undefined }),
  );
  const changes = orders.map((order, index) => changeOf(order, after[index] as Order, origin));
  await record([...changes, ...(await movePetsWith(tx, orders, to, origin))]);
  return after;
}

async function movePetsWith(
  tx: Transaction,
  orders: Order[],
  to: OrderStatus,
  origin: ChangeOrigin,
): Promise<NewChange[]> {
  const move = PET_TRANSITION_WITH[to];
  if (move === undefined) return [];
  // An animal that was delivered again under a later order stays with that order.
  const [first] = orders;
  if (to === "returned" && first && (await wasDeliveredLater(tx, first))) return [];
  const petIds = orders.map(({ petId }) => petId);
  return transitionPets(tx, petIds, move, origin);
}

async function wasDeliveredLater(tx: Transaction, { id, petId }: Order): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM orders WHERE pet_id = $1 AND id > $2 AND status = 'delivered'";
  return (await tx.first(sql, [petId, id])) !== undefined;
}

function changeOf(before: Order | undefined, after: Order, origin: ChangeOrigin): NewChange {
  const stateOf = ({ status, reference, expiresAtMs }: Order) => ({
    status,
    reference,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  });
  return {
    type: before ? "order.updated" : "order.created",
    petId: after.petId,
    orderId: after.id,
    from: before && stateOf(before),
    to: stateOf(after),
    ...origin,
  };
}
