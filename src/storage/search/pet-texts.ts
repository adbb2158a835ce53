// The texts of animals for the search, written in the transaction of the change, with the index of SQLite.

import type { Profile } from "../../domain/animals/profile.ts";
import {
  petNeedle,
  type SearchedPet,
  searchTextsOf,
  type TextStore,
} from "../../domain/animals/search-text.ts";
import { HOUR_MS, MINUTE_MS } from "../../domain/basics/durations.ts";
import type { Database, Row, Transaction } from "../database.ts";
import { createStatement, listedIds } from "../statements.ts";
import { addPendingEntries } from "./postgres-index.ts";

const COLUMNS = "pet_id, text, name";
const UPDATE = "ON CONFLICT (pet_id) DO UPDATE SET text = excluded.text, name = excluded.name";
const PUT_TEXTS = createStatement({
  name: "putTexts",
  values: "pet_id bigint, text text, name text",
  isWrite: true,
  one: `INSERT INTO pet_texts (${COLUMNS}) VALUES ($1, $2, $3) ${UPDATE}`,
  many: (input) => `INSERT INTO pet_texts (${COLUMNS}) SELECT ${COLUMNS} FROM ${input} ${UPDATE}`,
});

const SEARCHED = "id, name, category_id, profile";
/** Ids examined, and texts written, per step. */
const SPAN = 5_000n;
const STEP_ROWS = 500;
/** Release 1.1.0 wrote no name, and began every text with these letters; this release writes no capital there. */
const IS_OLD = "(name IS NULL OR substr(text, 1, 2) = 'QQ')";
/** A subquery for each animal: with NOT EXISTS, PostgreSQL read all texts before this step, a second at a million animals. */
const FIND_MISSING = `SELECT ${SEARCHED} FROM pets
  WHERE id > $1 AND id <= $2 AND (SELECT ${IS_OLD} FROM pet_texts WHERE pet_id = pets.id) IS NOT FALSE
  ORDER BY id LIMIT ${STEP_ROWS}`;

/** Missing texts are added at the start and again after these times, because the last node of an older release may stop later. */
const AGAIN_MS = [5 * MINUTE_MS, HOUR_MS];

/** On PostgreSQL only: SQLite has one node, which writes the index with each change. */
export function createTextStore(db: Database): TextStore {
  // While nodes are upgraded one by one, those with an older release write no texts, or others.
  let after: bigint | undefined = 0n;
  let startMs: number | undefined;
  const again = [...AGAIN_MS];
  return {
    async maintain(nowMs) {
      if (db.engine === "sqlite") return 0;
      startMs ??= nowMs;
      const [nextMs = Infinity] = again;
      if (after === undefined && nowMs - startMs >= nextMs) {
        again.shift();
        after = 0n;
      }
      if (after !== undefined) after = await addStep(db, after);
      else await addPendingEntries(db);
      return after === undefined ? 0 : 1;
    },
  };
}

/** Adds all texts that are missing, in short transactions. Continues after an interruption. */
export async function addMissingTexts(db: Database, onStep = (_doneId: bigint) => {}): Promise<void> {
  for (let after: bigint | undefined = 0n; after !== undefined; after = await addStep(db, after))
    onStep(after);
  await db.transaction((tx) => tx.run("UPDATE store SET texts_filled = 1 WHERE texts_filled = 0"));
  if (db.engine === "postgres") await addPendingEntries(db);
}

export async function hasAllTexts(db: Database): Promise<boolean> {
  return (await db.first("SELECT texts_filled FROM store"))?.texts_filled !== 0n;
}

/** Resolves to the id after which the next step begins; undefined after the last animal. */
async function addStep(db: Database, after: bigint): Promise<bigint | undefined> {
  const until = after + SPAN;
  // Read first: the transaction waits for the transactions of all other nodes.
  if ((await db.first(FIND_MISSING, [after, until])) === undefined) {
    const next = await db.first("SELECT id FROM pets WHERE id > $1 ORDER BY id LIMIT 1", [until]);
    return next && (next.id as bigint) - 1n;
  }
  return db.transaction(
    async (tx) => {
      const rows = await tx.all(FIND_MISSING, [after, until]);
      await putTexts(tx, rows.map(toSearchedPet));
      return rows.length < STEP_ROWS ? until : (rows.at(-1)?.id as bigint);
    },
    { inOrder: true },
  );
}

/** After every change of the name, the category or the profile of animals, and for new ones. */
export async function putTexts(tx: Transaction, pets: Array<SearchedPet & { id: bigint }>): Promise<void> {
  const rows = pets.map((pet) => {
    const { text, name } = searchTextsOf(pet);
    return [pet.id, `${text}${petNeedle(pet.id)}`, name];
  });
  await tx.runRows(PUT_TEXTS, rows);
  // FTS5 writes what it has collected at every savepoint: inside its transaction, a text would take 80 instead of 10 µs.
  tx.atCommit?.(
    indexTexts,
    pets.map(({ id }) => id),
  );
}

/** The same for an animal whose profile is not at hand. */
export async function refreshTexts(tx: Transaction, id: bigint): Promise<void> {
  const rows = await tx.all(`SELECT ${SEARCHED} FROM pets WHERE id = $1`, [id]);
  await putTexts(tx, rows.map(toSearchedPet));
}

/** Writes these texts, or all, into the index of SQLite. PostgreSQL has them already. */
export async function indexTexts(tx: Transaction, ids?: bigint[]): Promise<void> {
  if (tx.engine !== "sqlite") return;
  const listed = ids === undefined ? "" : `WHERE pet_id IN (SELECT id FROM ${listedIds(tx.engine, "$1")})`;
  // FTS5 also writes before a row id that is not higher than the last.
  for (const [table, column] of [
    ["pet_index", "text"],
    ["name_index", "name"],
  ])
    await tx.run(
      `REPLACE INTO ${table} (rowid, text) SELECT -pet_id, ${column} FROM pet_texts ${listed} ORDER BY pet_id DESC`,
      ids && [ids.join(",")],
    );
}

function toSearchedPet({ id, name, category_id, profile }: Row): SearchedPet & { id: bigint } {
  return {
    id: id as bigint,
    name: name as string,
    categoryId: category_id as bigint,
    profile: profile === null ? undefined : (JSON.parse(profile as string) as Profile),
  };
}
