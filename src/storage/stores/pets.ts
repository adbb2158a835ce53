// The animals in SQL, with the history of their changes.

import { ServiceError } from "../../domain/errors.ts";
import type { ChangedState, Stamp } from "../../domain/history.ts";
import { OPEN_STATUSES } from "../../domain/order.ts";
import type { Page } from "../../domain/page.ts";
import {
  isSamePet,
  PET_STATUSES,
  type Pet,
  type PetStatus,
  type PetStore,
  type PetTransition,
  revisePet,
} from "../../domain/pet.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../database.ts";
import { TABLES, toJsonRows, toOptional } from "../tables.ts";
import { type ChangeListener, createChanger, listChanges, type NewChange, recordChanges } from "./history.ts";

const COLUMNS = TABLES.pets;
const OF_STATUS = "status = $3 AND ";
/** SQL function that quotes a string as JSON. */
const JSON_TEXT = { sqlite: "json_quote", postgres: "to_json" };
/** Returns whole rows, because neither engine guarantees their order. */
const ADD_MANY = `INSERT INTO pets (name, category_id, status)
  SELECT value ->> 0, CAST(value ->> 1 AS BIGINT), value ->> 2 FROM json_each($1) ORDER BY CAST(key AS BIGINT)
  RETURNING ${COLUMNS}`;
const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(", ");
const HAS_OPEN_ORDER = `SELECT 1 AS found FROM orders WHERE pet_id = $1 AND status IN (${OPEN})`;

export function createPetStore(db: Database, changed: ChangeListener = async () => {}): PetStore {
  const change = createChanger(db, changed);

  return {
    list: createLister(db),

    async find(id) {
      const row = await db.first(`SELECT ${COLUMNS} FROM pets WHERE id = $1`, [id]);
      return row && toPet(row);
    },

    create: (pet, stamp) =>
      change(async (tx, record) => {
        const sql = "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id";
        const row = await tx.first(sql, [pet.name, pet.categoryId, pet.status]);
        const created = { id: row?.id as bigint, ...pet };
        const to = stateOf(created);
        await record([{ what: "pet.created", petId: created.id, to, ...stamp }]);
        return created;
      }),

    update: (id, changes, stamp) =>
      change(async (tx, record) => {
        const pet = await lockPet(tx, id);
        if (pet === undefined) return undefined;
        const next = revisePet(pet, changes, await hasOpenOrder(tx, id));
        if (isSamePet(pet, next)) return pet;
        const sql = "UPDATE pets SET name = $2, category_id = $3, status = $4 WHERE id = $1";
        await tx.run(sql, [id, next.name, next.categoryId, next.status]);
        await record([updateOf(pet, next, stamp)]);
        return next;
      }),

    delete: (id, stamp) =>
      change(async (tx, record) => {
        const pet = await lockPet(tx, id);
        if (pet === undefined) return false;
        if (await hasOpenOrder(tx, id)) throw new ServiceError("pet_has_open_order");
        await tx.run("DELETE FROM pets WHERE id = $1", [id]);
        const from = stateOf(pet);
        await record([{ what: "pet.deleted", petId: id, from, ...stamp }]);
        return true;
      }),

    history: (id, page) => listChanges(db, id, page),

    inventory: () => countPets(db),
  };
}

/**
 * The engine writes the JSON: objects made from rows and serialised again took half the time of a page. string_agg keeps
 * the order of the inner query, which has a LIMIT.
 */
function createLister(db: Database): PetStore["list"] {
  const json = `'{"id":' || id || ',"name":' || ${JSON_TEXT[db.engine]}(name) ||
    ',"categoryId":' || category_id || ',"status":"' || status || '"}'`;
  // Without ORDER BY, PostgreSQL may choose a sequential scan for LIMIT 1.
  const select = (filter: string) => `SELECT last, pets,
      (SELECT id FROM pets WHERE ${filter}id > last ORDER BY id LIMIT 1) AS next
    FROM (SELECT max(id) AS last, string_agg(json, ',') AS pets
      FROM (SELECT id, ${json} AS json FROM pets WHERE ${filter}id > $1 ORDER BY id LIMIT $2) AS page) AS page_json`;
  const ofAll = select("");
  const ofStatus = select(OF_STATUS);

  return async ({ status }, page) => {
    const row = await db.first(status === undefined ? ofAll : ofStatus, pageValues(page, status));
    return {
      json: `[${row?.pets ?? ""}]`,
      lastId: toOptional<bigint>(row?.last),
      hasMore: toOptional(row?.next) !== undefined,
    };
  };
}

export async function listPets(
  db: Queries,
  { status }: { status?: PetStatus | undefined },
  page: Page,
): Promise<Pet[]> {
  const filter = status === undefined ? "" : OF_STATUS;
  const sql = `SELECT ${COLUMNS} FROM pets WHERE ${filter}id > $1 ORDER BY id LIMIT $2`;
  return (await db.all(sql, pageValues(page, status))).map(toPet);
}

/** The values of $1, $2 and, with a status, of $3. */
function pageValues({ limit, after = 0n }: Page, status: PetStatus | undefined): SqlValue[] {
  return status === undefined ? [after, limit] : [after, limit, status];
}

export async function countPets(db: Queries): Promise<Record<PetStatus, number>> {
  const rows = await db.all("SELECT status, pets FROM inventory");
  const counts = new Map(rows.map((row) => [row.status, Number(row.pets)]));
  const each = PET_STATUSES.map((status) => [status, counts.get(status) ?? 0]);
  return Object.fromEntries(each) as Record<PetStatus, number>;
}

/** Adds many animals with their history; for `inOrder` transactions. Resolves to their ids in ascending order. */
export async function addPets(
  tx: Transaction,
  pets: Array<Omit<Pet, "id">>,
  stamp: Stamp,
): Promise<bigint[]> {
  const rows = pets.map(({ name, categoryId, status }) => [name, categoryId, status]);
  const added = (await tx.all(ADD_MANY, [toJsonRows(rows)]))
    .map(toPet)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  await recordChanges(
    tx,
    added.map((pet) => ({ what: "pet.created", petId: pet.id, to: stateOf(pet), ...stamp })),
  );
  return added.map(({ id }) => id);
}

async function lockPet(tx: Transaction, id: bigint): Promise<Pet | undefined> {
  const row = await tx.lock(`SELECT ${COLUMNS} FROM pets WHERE id = $1`, [id]);
  return row && toPet(row);
}

async function hasOpenOrder(tx: Transaction, petId: bigint): Promise<boolean> {
  return (await tx.first(HAS_OPEN_ORDER, [petId])) !== undefined;
}

/** Changes the animals that are in status `from`. Resolves to the changes, which the caller records. */
export async function transitionPets(
  tx: Transaction,
  ids: bigint[],
  { from, to }: PetTransition,
  stamp: Stamp,
): Promise<NewChange[]> {
  const places = ids.map((_, index) => `$${index + 3}`).join(", ");
  const rows = await tx.all(
    `UPDATE pets SET status = $2 WHERE status = $1 AND id IN (${places}) RETURNING ${COLUMNS}`,
    [from, to, ...ids],
  );
  return rows.map(toPet).map((pet) => updateOf({ ...pet, status: from }, pet, stamp));
}

function updateOf(before: Pet, after: Pet, stamp: Stamp): NewChange {
  return { what: "pet.updated", petId: after.id, from: stateOf(before), to: stateOf(after), ...stamp };
}

function stateOf({ name, categoryId, status }: Pet): ChangedState {
  return { name, categoryId, status };
}

function toPet(row: Row): Pet {
  return {
    id: row.id as bigint,
    name: row.name as string,
    categoryId: row.category_id as bigint,
    status: row.status as PetStatus,
  };
}
