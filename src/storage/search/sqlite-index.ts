// SQLite's index of texts by grams: finds candidates of a search, and adds the texts of new animals later.

import { performance } from "node:perf_hooks";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Database, Transaction } from "../database.ts";
import { chooseMatch, type Frequency } from "./gram-choice.ts";
import { createGramCounts } from "./gram-counts.ts";
import { toGramText } from "./grams.ts";
import { listNeedles, type SearchDocument, type Source, type TextIndex } from "./text-index.ts";

/**
 * Texts by which the frequency of grams is estimated, at most so many characters of each, every ten minutes. With 300 texts,
 * most grams of a rare word were in none of them, so that too many were looked for.
 */
const SAMPLE_TEXTS = 3_000;
const SAMPLE_CHARACTERS = 1_000;
const SAMPLE_MS = 600_000;
/** Gives irregular places: an import may repeat itself in regular ones. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/** Between two pauses for other requests. */
const SAMPLE_STEP = 50;
const READ_SAMPLE = `SELECT substr(text, 1, ${SAMPLE_CHARACTERS}) AS text FROM pet_texts
  WHERE pet_id > $1 ORDER BY pet_id LIMIT 1`;

/** Fewer new texts are searched faster without the index. */
const NEW_TEXTS_MIN = 64;
/** Limits of a step, which blocks the process for 10 to 20 ms: texts, their characters together, and pages of the index to merge. */
const STEP_TEXTS = 500;
const STEP_CHARACTERS = 30_000;
const STEP_PAGES = 64;

const READ_NEW = `SELECT pet_id, sum(length(text)) OVER (ORDER BY pet_id) AS characters FROM pet_texts
  WHERE pet_id > (SELECT indexed_through FROM store) ORDER BY pet_id LIMIT ${STEP_TEXTS}`;
// FTS5 writes each text by itself unless their rowids ascend.
const READ_TEXTS = `SELECT -pet_id AS row, text FROM pet_texts
  WHERE pet_id > (SELECT indexed_through FROM store) AND pet_id <= $1 ORDER BY pet_id DESC`;
const ADD = "INSERT INTO pet_index (rowid, text) VALUES ($1, $2)";
/** Newer texts are added later. */
const ADD_CHANGED =
  "INSERT INTO pet_index (rowid, text) SELECT -$1, $2 FROM store WHERE indexed_through >= $1";
const MERGE = `INSERT INTO pet_index (pet_index, rank) VALUES ('merge', ${STEP_PAGES})`;

const ROWS = {
  newest: { isAfter: ">", order: "rowid" },
  oldest: { isAfter: "<", order: "rowid DESC" },
};

export function openSqliteIndex(db: Database): TextIndex {
  let sample: Promise<Frequency> | undefined;
  let sampledMs = 0;

  function findFrequency(): Promise<Frequency> {
    const nowMs = performance.now();
    if (sample === undefined || nowMs > sampledMs + SAMPLE_MS) {
      sampledMs = nowMs;
      sample = sampleTexts(db);
      // The next search tries again.
      sample.catch(() => {
        sample = undefined;
      });
    }
    return sample;
  }

  return {
    async open(words, list, examine) {
      const needles = listNeedles(words);
      if (needles.length === 0) return undefined;
      const through = (await db.first("SELECT indexed_through FROM store"))?.indexed_through as bigint;
      const match = chooseMatch(needles, await findFrequency());
      const { isAfter, order } = ROWS[list.sort];
      const indexed: Source = (after, count) =>
        examine(
          (bindValue) => `SELECT -rowid AS id FROM pet_index
            WHERE pet_index MATCH ${bindValue(match)} AND rowid ${isAfter} ${bindValue(-after)}
            ORDER BY ${order} LIMIT ${bindValue(count)}`,
          false,
        );
      // New animals, which the index does not have yet.
      const newFirst: Source = (after, count) =>
        examine(
          (bindValue) => list.selectIds(bindValue(after), bindValue(count), [`id > ${bindValue(through)}`]),
          true,
        );
      // A second lower bound would not help: SQLite may use the other one, and read all animals after it.
      const newLast: Source = (after, count) =>
        examine(
          (bindValue) => list.selectIds(bindValue(after > through ? after : through), bindValue(count), []),
          true,
        );
      return list.sort === "newest" ? [newFirst, indexed] : [indexed, newLast];
    },
  };
}

/** Estimates how frequent grams are by some texts from all parts of the store. */
export async function sampleTexts(db: Database): Promise<Frequency> {
  const newest = Number((await db.first("SELECT coalesce(max(pet_id), 0) AS id FROM pet_texts"))?.id);
  const texts = Math.min(newest, SAMPLE_TEXTS);
  const counts = createGramCounts();
  for (let i = 0; i < texts; i++) {
    const row = await db.first(READ_SAMPLE, [Math.floor(((i * GOLDEN_RATIO) % 1) * newest)]);
    if (row !== undefined) counts.add(row.text as string);
    if (i % SAMPLE_STEP === 0) await nextTick();
  }
  return counts.frequency;
}

/** The list of the parts of the index, which FTS5 writes with every change of it. */
const READ_PARTS = "SELECT hex(block) AS parts FROM pet_index_data WHERE id = 10";

/**
 * Steps of adding new texts and of merging. A step resolves to true if there may be more to do. Without work, it only reads:
 * a transaction would be a commit every second.
 */
export function createIndexer(db: Database): () => Promise<boolean> {
  let mergedParts: unknown;

  async function hasWork(): Promise<boolean> {
    if ((await db.all(READ_NEW)).length >= NEW_TEXTS_MIN) return true;
    return mergedParts === undefined || (await db.first(READ_PARTS))?.parts !== mergedParts;
  }

  return async () => {
    if (!(await hasWork())) return false;
    const { hasMore, parts } = await db.transaction(async (tx) => ({
      hasMore: await indexStep(tx),
      parts: (await tx.first(READ_PARTS))?.parts,
    }));
    mergedParts = hasMore ? undefined : parts;
    return hasMore;
  };
}

/** Adds the new texts of changed animals. A trigger has removed the old ones. */
export async function indexChangedTexts(tx: Transaction, texts: SearchDocument[]): Promise<void> {
  if (tx.engine !== "sqlite") return;
  for (const { id, text } of texts) await tx.run(ADD_CHANGED, [id, toGramText(text)]);
}

async function indexStep(tx: Transaction): Promise<boolean> {
  const rows = await tx.all(READ_NEW);
  if (rows.length >= NEW_TEXTS_MIN) {
    const full = rows.find(({ characters }) => Number(characters) >= STEP_CHARACTERS);
    const last = (full ?? rows.at(-1))?.pet_id as bigint;
    for (const { row, text } of await tx.all(READ_TEXTS, [last]))
      await tx.run(ADD, [row as bigint, toGramText(text as string)]);
    await tx.run("UPDATE store SET indexed_through = $1", [last]);
  }
  const changes = "SELECT total_changes() AS changes";
  const before = (await tx.first(changes))?.changes as bigint;
  await tx.run(MERGE);
  // The statement itself counts as one change.
  const hasMerged = ((await tx.first(changes))?.changes as bigint) - before > 1n;
  return hasMerged || rows.length >= NEW_TEXTS_MIN;
}
