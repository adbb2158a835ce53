// SQLite's index of texts by trigrams: finds candidates of a search, and adds the texts of new animals later.

import type { Database } from "../database.ts";
import { listNeedles, type Source, type TextIndex } from "./text-index.ts";

/** With fewer candidates of one word, the others need no index. */
const FEW_CANDIDATES = 64;

/** Fewer new texts are searched faster without the index. */
const NEW_TEXTS_MIN = 64;
/** A step blocks the process for about 10 ms: so many texts with so many characters together, and pages of the index to merge. */
const STEP_TEXTS = 500;
const STEP_CHARACTERS = 40_000;
const STEP_PAGES = 64;

const READ_NEW = `SELECT pet_id, sum(length(text)) OVER (ORDER BY pet_id) AS characters FROM pet_texts
  WHERE pet_id > (SELECT indexed_through FROM store) ORDER BY pet_id LIMIT ${STEP_TEXTS}`;
// In ascending order of rowid: otherwise FTS5 writes each text by itself.
const ADD = `INSERT INTO pet_index (rowid, text) SELECT -pet_id, text FROM pet_texts
  WHERE pet_id > (SELECT indexed_through FROM store) AND pet_id <= $1 ORDER BY pet_id DESC`;
const MERGE = `INSERT INTO pet_index (pet_index, rank) VALUES ('merge', ${STEP_PAGES})`;

const ROWS = {
  newest: { isBehind: ">", order: "rowid" },
  oldest: { isBehind: "<", order: "rowid DESC" },
};

export function openSqliteIndex(db: Database): TextIndex {
  /** A rare word alone gives fewer candidates than all words cost. */
  async function chooseMatch(matches: string[]): Promise<string> {
    for (const match of matches.length > 1 ? matches : []) {
      const some = `SELECT 1 FROM pet_index WHERE pet_index MATCH $1 LIMIT ${FEW_CANDIDATES}`;
      const row = await db.first(`SELECT count(*) AS found FROM (${some})`, [match]);
      if (Number(row?.found) < FEW_CANDIDATES) return match;
    }
    return matches.join(" AND ");
  }

  return {
    async open(words, list, examine) {
      const matches = listNeedles(words).map(matchOf);
      if (matches.length === 0) return undefined;
      const through = (await db.first("SELECT indexed_through FROM store"))?.indexed_through as bigint;
      const match = await chooseMatch(matches);
      const { isBehind, order } = ROWS[list.sort];
      const indexed: Source = (after, count) =>
        examine(
          (place) => `SELECT -rowid AS id FROM pet_index
            WHERE pet_index MATCH ${place(match)} AND rowid ${isBehind} ${place(-after)}
            ORDER BY ${order} LIMIT ${place(count)}`,
          false,
        );
      const others: Source = (after, count) =>
        examine((place) => list.selectIds(place(after), place(count), [`id > ${place(through)}`]), true);
      return list.sort === "newest" ? [others, indexed] : [indexed, others];
    },
  };
}

/** What FTS5 must find: every trigram of one of the needles. */
function matchOf(needles: string[]): string {
  return `(${needles.map((needle) => `(${trigramsOf(needle).join(" AND ")})`).join(" OR ")})`;
}

function trigramsOf(needle: string): string[] {
  const letters = [...needle];
  const trigrams = letters.slice(2).map((_, index) => letters.slice(index, index + 3).join(""));
  return [...new Set(trigrams)].map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
}

/** One step of adding new texts and of merging. Resolves to true if there may be more to do. */
export function indexTexts(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await tx.all(READ_NEW);
    if (rows.length >= NEW_TEXTS_MIN) {
      const full = rows.find(({ characters }) => Number(characters) >= STEP_CHARACTERS);
      const last = (full ?? rows.at(-1))?.pet_id as bigint;
      await tx.run(ADD, [last]);
      await tx.run("UPDATE store SET indexed_through = $1", [last]);
    }
    const changes = "SELECT total_changes() AS changes";
    const before = (await tx.first(changes))?.changes as bigint;
    await tx.run(MERGE);
    // The statement itself counts as one change.
    const hasMerged = ((await tx.first(changes))?.changes as bigint) - before > 1n;
    return hasMerged || rows.length >= NEW_TEXTS_MIN;
  });
}
