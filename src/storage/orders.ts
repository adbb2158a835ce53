// The orders in SQL. An order and its animal change in one transaction, one after another across all nodes.

import { ServiceError } from "../domain/errors.ts";
import type { Stamp } from "../domain/history.ts";
import {
  ORDER_MOVES,
  type Order,
  type OrderStatus,
  type OrderStore,
  PET_MOVE_WITH,
} from "../domain/order.ts";
import { refuseMove } from "../domain/transition.ts";
import type { Database, Row, SqlValue, Transaction } from "./database.ts";
import { recordChange } from "./history.ts";
import { movePet } from "./pets.ts";
import { toNumber, toOptionalNumber } from "./row.ts";

const COLUMNS = "id, pet_id, status, reference, created_at_ms, updated_at_ms, expires_at_ms";
/** Few enough that other writes hardly wait for them. */
const EXPIRED_PER_TRANSACTION = 50;

export interface OrderOptions {
  /** How long a placed order holds its animal. */
  holdMs: number;
  /** Awaited after each change is durable, as every move of an order may move its animal. */
  changed?: () => Promise<void>;
}

export function createOrderStore(db: Database, options: OrderOptions): OrderStore {
  const { holdMs, changed = async () => {} } = options;

  return {
    async list({ status, petId, ownerId }, { limit, after = 0n }) {
      const { where, values } = conditions({ status, pet_id: petId, key_id: ownerId });
      const sql = `SELECT ${COLUMNS} FROM orders WHERE id > $1${where(3)} ORDER BY id LIMIT $2`;
      return (await db.all(sql, [after, limit, ...values])).map(toOrder);
    },

    async find(id, { ownerId }) {
      const { where, values } = conditions({ key_id: ownerId });
      const row = await db.first(`SELECT ${COLUMNS} FROM orders WHERE id = $1${where(2)}`, [id, ...values]);
      return row && toOrder(row);
    },

    async create({ petId, reference = "" }, stamp) {
      const insert = async (tx: Transaction) => {
        await reservePet(tx, petId, stamp);
        // The index of open orders has the last word.
        const row = await tx.first(
          `INSERT INTO orders (pet_id, status, reference, key_id, created_at_ms, updated_at_ms, expires_at_ms)
           VALUES ($1, 'placed', $2, $3, $4, $4, $5) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
          [petId, reference, stamp.keyId, stamp.atMs, stamp.atMs + holdMs],
        );
        if (row === undefined) throw new ServiceError("pet_not_available");
        const order = toOrder(row);
        await record(tx, undefined, order, stamp);
        return order;
      };
      const order = await db.transaction(insert, { inOrder: true });
      await changed();
      return order;
    },

    async move(id, to, stamp, { ownerId }) {
      const { where, values } = conditions({ key_id: ownerId });
      const moved = await db.transaction(
        async (tx) => {
          const sql = `SELECT ${COLUMNS} FROM orders WHERE id = $1${where(2)}`;
          const row = await tx.lock(sql, [id, ...values]);
          if (row === undefined) return undefined;
          const order = toOrder(row);
          refuseMove("order", ORDER_MOVES, order.status, to);
          return moveOrder(tx, order, to, stamp);
        },
        { inOrder: true },
      );
      if (moved !== undefined) await changed();
      return moved;
    },

    async expire(nowMs) {
      const overdue = `SELECT ${COLUMNS} FROM orders WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2`;
      const values = [nowMs, EXPIRED_PER_TRANSACTION];
      // Most of the time there is nothing to do, and nobody has to take turns for it.
      if ((await db.first(overdue, values)) === undefined) return 0;
      const expired = await db.transaction(
        async (tx) => {
          const orders = (await tx.all(overdue, values)).map(toOrder);
          for (const order of orders) await moveOrder(tx, order, "expired", { atMs: nowMs });
          return orders.length;
        },
        { inOrder: true },
      );
      if (expired > 0) await changed();
      return expired;
    },
  };
}

async function reservePet(tx: Transaction, petId: bigint, stamp: Stamp): Promise<void> {
  if (await movePet(tx, petId, { from: "available", to: "pending" }, stamp)) return;
  const exists = (await tx.first("SELECT 1 AS found FROM pets WHERE id = $1", [petId])) !== undefined;
  throw new ServiceError(exists ? "pet_not_available" : "pet_not_found");
}

async function moveOrder(tx: Transaction, order: Order, to: OrderStatus, stamp: Stamp): Promise<Order> {
  const { id, petId } = order;
  await tx.run("UPDATE orders SET status = $2, updated_at_ms = $3, expires_at_ms = NULL WHERE id = $1", [
    id,
    to,
    stamp.atMs,
  ]);
  const moved: Order = { ...order, status: to, updatedAtMs: stamp.atMs, expiresAtMs: undefined };
  await record(tx, order, moved, stamp);
  const petMove = PET_MOVE_WITH[to];
  // An animal that came back by hand and was delivered to somebody else stays there.
  if (petMove && !(to === "returned" && (await wasDeliveredLater(tx, order))))
    await movePet(tx, petId, petMove, stamp);
  return moved;
}

async function wasDeliveredLater(tx: Transaction, { id, petId }: Order): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM orders WHERE pet_id = $1 AND id > $2 AND status = 'delivered'";
  return (await tx.first(sql, [petId, id])) !== undefined;
}

function record(tx: Transaction, before: Order | undefined, after: Order, stamp: Stamp): Promise<void> {
  const stateOf = ({ reference, status }: Order) => ({ reference, status });
  return recordChange(tx, {
    what: before ? "order.updated" : "order.created",
    petId: after.petId,
    orderId: after.id,
    from: before && stateOf(before),
    to: stateOf(after),
    ...stamp,
  });
}

/** Of the columns that have a value; placeholders count from `first`. */
function conditions(wanted: Record<string, SqlValue | undefined>) {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return {
    where: (first: number) => given.map(([column], index) => ` AND ${column} = $${first + index}`).join(""),
    values: given.map(([, value]) => value as SqlValue),
  };
}

function toOrder(row: Row): Order {
  return {
    id: row.id as bigint,
    petId: row.pet_id as bigint,
    status: row.status as OrderStatus,
    reference: row.reference as string,
    createdAtMs: toNumber(row.created_at_ms),
    updatedAtMs: toNumber(row.updated_at_ms),
    expiresAtMs: toOptionalNumber(row.expires_at_ms),
  };
}
