// The texts of animals for the search, written in the transaction of the change, and the upkeep of their index.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Profile } from "../../domain/animals/profile.ts";
import { searchTextOf, type TextStore } from "../../domain/animals/search-text.ts";
import type { Database, Queries, Row, RowsStatement, Transaction } from "../database.ts";
import { createStatement } from "../statements.ts";
import { readNewestNumber } from "../stores/animals/history.ts";
import { createPostgresIndexer } from "./postgres-indexer.ts";
import { createIndexer, indexChangedTexts } from "./sqlite-index.ts";
import type { SearchDocument } from "./text-index.ts";

const UPSERT = `INSERT INTO pet_texts (pet_id, text) VALUES ($1, $2)
  ON CONFLICT (pet_id) DO UPDATE SET text = excluded.text`;
const ROW = "pet_id bigint, text text";
const ADD_ONE = "INSERT INTO pet_texts (pet_id, text) VALUES ($1, $2)";
/** Texts that the index gets at once, if there is one; and those that wait for the periodic job. */
const FILL = createStatement({
  name: "fillTexts",
  values: ROW,
  isWrite: true,
  one: ADD_ONE,
  many: addRows(0),
});
const ADD_MANY = createStatement({
  name: "addTexts",
  values: ROW,
  isWrite: true,
  one: ADD_ONE,
  many: addRows(1),
});
const PUT_MANY = createStatement({
  name: "putTexts",
  values: ROW,
  isWrite: true,
  one: UPSERT,
  many: (input) =>
    `${addRows(1)(input)} ON CONFLICT (pet_id) DO UPDATE SET text = excluded.text, is_waiting = 1`,
});

const SEARCHED = "id, name, category_id, profile";
const FIND = `SELECT ${SEARCHED} FROM pets WHERE id = $1`;

/** Ids read and texts written per step. */
const FILL_SPAN = 20_000n;
const FILL_ROWS = 500;
const FIND_MISSING = `SELECT ${SEARCHED} FROM pets
  WHERE id > $1 AND id <= $2 AND NOT EXISTS (SELECT 1 FROM pet_texts WHERE pet_id = pets.id)
  ORDER BY id LIMIT ${FILL_ROWS}`;
/** Changes read per step. */
const CHANGES_SPAN = 2_000n;
const FIND_CHANGED = `SELECT ${SEARCHED} FROM pets
  WHERE id IN (SELECT pet_id FROM history WHERE number > $1 AND number <= $2)
  AND NOT EXISTS (SELECT 1 FROM pet_texts WHERE pet_id = pets.id)`;

export function createTextStore(db: Database): TextStore {
  let isChecked = false;
  const indexStep = db.engine === "sqlite" ? createIndexer(db) : createPostgresIndexer(db);
  return {
    async index() {
      // While nodes are upgraded one by one, those with an older release write no texts. The last one to start adds them.
      if (!isChecked && db.engine === "postgres") await addChangedTexts(db);
      isChecked = true;
      const beganMs = performance.now();
      const hasMore = await indexStep();
      // After an import, there is work for minutes: half of the time is for requests.
      if (hasMore) await pause(performance.now() - beganMs);
      return hasMore ? 1 : 0;
    },
  };
}

/** After every change of the name, the category or the profile of an animal. */
export async function refreshText(tx: Transaction, id: bigint): Promise<void> {
  const row = await tx.first(FIND, [id]);
  if (row === undefined) return;
  const text = textOf(row);
  await tx.run(UPSERT, [id, text]);
  await indexChangedTexts(tx, [{ id, text }]);
}

/** The texts of animals that have just been added. */
export function addTexts(
  tx: Transaction,
  texts: SearchDocument[],
  statement: RowsStatement = ADD_MANY,
): Promise<void> {
  return tx.runRows(
    statement,
    texts.map(({ id, text }) => [id, text]),
  );
}

/** The PostgreSQL form. */
function addRows(isWaiting: 0 | 1): (input: string) => string {
  return (input) =>
    `INSERT INTO pet_texts (pet_id, text, is_waiting) SELECT pet_id, text, ${isWaiting} FROM ${input}`;
}

/** The texts of animals that have just been changed. */
export async function putTexts(tx: Transaction, texts: SearchDocument[]): Promise<void> {
  await addTexts(tx, texts, PUT_MANY);
  await indexChangedTexts(tx, texts);
}

/** Looks only at animals that have changed since the last check, if the history still has these changes and they are few. */
async function addChangedTexts(db: Database): Promise<void> {
  const checked = await readChecked(db);
  const row = await db.first(
    "SELECT coalesce(min(number), 0) AS oldest, (SELECT coalesce(max(id), 0) FROM pets) AS last_id FROM history",
  );
  const { oldest, last_id: lastId } = row as { oldest: bigint; last_id: bigint };
  const newest = BigInt(await readNewestNumber(db));
  if (checked === undefined || checked + 1n < oldest || newest - checked > lastId) return addMissingTexts(db);
  for (let after = checked; after < newest; after += CHANGES_SPAN) {
    const range = [after, after + CHANGES_SPAN];
    const [missing] = await db.all(FIND_CHANGED, range);
    const add = async (tx: Transaction) => addTexts(tx, toTexts(await tx.all(FIND_CHANGED, range)), FILL);
    if (missing) await db.transaction(add, { inOrder: true });
  }
  await noteChecked(db, newest);
}

/** Adds the texts of all animals that have none, in short transactions. */
export async function addMissingTexts(db: Database): Promise<void> {
  const newest = BigInt(await readNewestNumber(db));
  const last = (await db.first("SELECT coalesce(max(id), 0) AS id FROM pets"))?.id as bigint;
  for (let after = 0n; after < last; ) {
    const range = { after, until: after + FILL_SPAN };
    // Read first: the transaction waits for the transactions of all other nodes.
    const [missing] = await listMissing(db, range);
    after = missing ? await db.transaction((tx) => addStep(tx, range), { inOrder: true }) : range.until;
  }
  await noteChecked(db, newest);
}

/** `texts_filled` is 0 until all animals have a text. Then it is higher by one than the last change that was checked. */
async function noteChecked(db: Database, number: bigint): Promise<void> {
  const sql = "UPDATE store SET texts_filled = $1 WHERE texts_filled < $1";
  await db.transaction((tx) => tx.run(sql, [number + 1n]));
}

/** Undefined if no check was completed. */
async function readChecked(db: Database): Promise<bigint | undefined> {
  const filled = (await db.first("SELECT texts_filled FROM store"))?.texts_filled as bigint;
  return filled === 0n ? undefined : filled - 1n;
}

interface IdRange {
  after: bigint;
  until: bigint;
}

function listMissing(db: Queries, { after, until }: IdRange): Promise<Row[]> {
  return db.all(FIND_MISSING, [after, until]);
}

/** Resolves to the id after which to go on. */
async function addStep(tx: Transaction, range: IdRange): Promise<bigint> {
  const rows = await listMissing(tx, range);
  const texts = toTexts(rows);
  await addTexts(tx, texts, FILL);
  return texts.length < FILL_ROWS ? range.until : (texts.at(-1)?.id as bigint);
}

/** Whether the animals from before the search have their texts. */
export async function hasAllTexts(db: Database): Promise<boolean> {
  return (await readChecked(db)) !== undefined;
}

function toTexts(rows: Row[]): SearchDocument[] {
  return rows.map((row) => ({ id: row.id as bigint, text: textOf(row) }));
}

function textOf({ name, category_id, profile }: Row): string {
  return searchTextOf({
    name: name as string,
    categoryId: category_id as bigint,
    profile: profile === null ? undefined : (JSON.parse(profile as string) as Profile),
  });
}
