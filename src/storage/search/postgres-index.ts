// PostgreSQL's index of texts by trigrams. It needs the extension pg_trgm; without it, searches read the list.

import { performance } from "node:perf_hooks";
import { ExplainedError } from "../../tools/operator-error.ts";
import { COMMAND } from "../../tools/program.ts";
import type { Database, Queries, Transaction } from "../database.ts";
import { type BindValue, createBindValue } from "../statements.ts";
import { readPositions, signedIdSql } from "./positions.ts";
import { createTrigramChoice, type TrigramChoice } from "./rare-trigrams.ts";
import { indexNeedles, type SearchWord } from "./search-words.ts";
import { hasCategorySql, isListedSql, type TextConditions, type TextIndex } from "./text-index.ts";
import { createTrigramSample } from "./trigram-sample.ts";

const INDEX = "pet_texts_by_trigram";
const CREATE_EXTENSION = "CREATE EXTENSION pg_trgm";

/** How long a node believes that there is no index. */
const ABSENT_MS = 60_000;
/** Enough for millions of long descriptions. */
const CREATE_MS = 3_600_000;
/** Limits how long changes of animals wait for this lock. */
const LOCK_MS = 1_000;
/** When several nodes start at the same time, one creates the index. */
const CREATE_LOCK = 7_305_003;
const INSUFFICIENT_PRIVILEGE = "42501";
/** New entries are collected up to this size. One by one, they would take 10 × as long; with more, the change that adds them would. */
const PENDING_KILOBYTES = 4_096;
/** Pages of collected entries that may have changed the plan of a search. A page has 8 KiB. */
const PENDING_PAGES_MANY = 64;
const TIDY_MS = 60_000;
/** Not while PostgreSQL does the same. A role without the right gets a warning only. */
const ANALYZE = "ANALYZE (SKIP_LOCKED) pet_texts";

/** The trigrams of pg_trgm are of letters and digits in the locale of the database, and of two spaces before a word. */
const HAS_TRIGRAM = {
  ascii: /(?:^\W+|[a-z0-9]{2})[a-z0-9]/i,
  unicode: /(?:^[^\p{L}\p{N}]+|[\p{L}\p{N}]{2})[\p{L}\p{N}]/u,
};
/** A pattern of more strings has no trigrams. */
const NEEDLES_MAX = 8;
/** In entries of a list that take as long to read: a candidate's text may be on disk. */
const CANDIDATE_COST = 500;
/** The index has it in every locale, without the spaces of a word's edges. */
const PLAIN_TRIGRAM = /[a-z0-9]{3}/;

/** The extension may be in a schema of its own. */
const STATE = `SELECT
  (SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm') AS available,
  to_regclass('${INDEX}')::text AS index,
  (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pg_trgm') AS schema,
  (SELECT datctype IN ('C', 'POSIX') FROM pg_database WHERE datname = current_database())::text AS is_ascii`;

interface IndexState {
  hasIndex: boolean;
  /** Whether the files of the extension are installed on the server. */
  isInstalled: boolean;
  /** The schema of the extension; undefined if the database does not have it. */
  schema: string | undefined;
  isAscii: boolean;
}

async function readState(db: Queries): Promise<IndexState> {
  const row = await db.first(STATE);
  return {
    hasIndex: row?.index !== null,
    isInstalled: row?.available === 1n,
    schema: (row?.schema as string | null) ?? undefined,
    isAscii: row?.is_ascii === "true",
  };
}

export function openPostgresIndex(db: Database, fewMax: number): TextIndex {
  const chooseTrigrams = createTrigramChoice({
    find: createTrigramSample(db),
    isIndexed: (trigram) => PLAIN_TRIGRAM.test(trigram),
    candidateCost: CANDIDATE_COST,
  });
  let known: { state: IndexState; untilMs: number } | undefined;

  async function findState(): Promise<IndexState> {
    if (known !== undefined && performance.now() < known.untilMs) return known.state;
    const state = await readState(db);
    known = { state, untilMs: state.hasIndex ? Infinity : performance.now() + ABSENT_MS };
    return state;
  }

  return {
    conditions: conditionsOf(() => undefined),
    async findFew(words, list) {
      const { hasIndex, isAscii } = await findState();
      const pattern = isAscii ? HAS_TRIGRAM.ascii : HAS_TRIGRAM.unicode;
      const findNeedles = (word: SearchWord) => {
        const needles = indexNeedles(word, NEEDLES_MAX);
        return needles?.every((needle) => pattern.test(needle)) ? needles : undefined;
      };
      if (!hasIndex || !words.some(findNeedles)) return undefined;
      const trigrams = await chooseForColumns(words, chooseTrigrams);
      const { hasWords, hasNames } = conditionsOf(findNeedles, trigrams);
      const values = [...list.values];
      const bindValue = createBindValue(values);
      const sql = `SELECT count(*) AS matched,
          string_agg(CASE WHEN ${isListedSql(list)} THEN signed_id END, ',') AS signed_ids
        FROM (
          SELECT pet_id, ${signedIdSql(hasNames(words, bindValue))} AS signed_id FROM pet_texts
          WHERE ${hasWords(words, bindValue)} LIMIT ${fewMax + 1}
        ) AS found`;
      const row = await db.named(sql, values);
      return Number(row?.matched) > fewMax ? undefined : readPositions(row?.signed_ids);
    },
  };
}

type Trigrams = Map<SearchWord["column"], string[]>;

/**
 * The trigrams by which words of one string are found. With the whole word in the condition, the index would read the lists of
 * all its trigrams.
 */
async function chooseForColumns(words: SearchWord[], chooseTrigrams: TrigramChoice): Promise<Trigrams> {
  const chosen: Trigrams = new Map();
  for (const column of ["name", "text"] as const) {
    const plain = words.filter((word) => word.column === column && isPlain(word));
    const needles = plain.map(({ needle }) => needle);
    if (needles.length > 0) chosen.set(column, await chooseTrigrams(column, needles));
  }
  return chosen;
}

/** A word of one string with trigrams to choose from. */
function isPlain({ needle, needles, categoryIds }: SearchWord): boolean {
  return needles.length === 1 && categoryIds.length === 0 && PLAIN_TRIGRAM.test(needle);
}

/** With a condition without trigrams, the index would read all of its entries: such a word is looked for in an expression. */
function conditionsOf(
  findNeedles: (word: SearchWord) => string[] | undefined,
  trigrams: Trigrams = new Map(),
): TextConditions {
  function hasWordSql(word: SearchWord, bindValue: BindValue): string {
    const { column, needles, categoryIds } = word;
    const isChosen = trigrams.has(column) && isPlain(word);
    const indexed = isChosen ? undefined : findNeedles(word);
    if (indexed !== undefined) return hasOneSql(column, indexed, bindValue);
    const found = hasOneSql(`(${column} || '')`, needles, bindValue);
    return `(${[found, ...hasCategorySql("postgres", categoryIds, bindValue)].join(" OR ")})`;
  }

  return {
    hasWords: (words, bindValue) => {
      const chosen = [...trigrams].flatMap(([column, each]) =>
        each.map((trigram) => hasOneSql(column, [trigram], bindValue)),
      );
      return [...chosen, ...words.map((word) => hasWordSql(word, bindValue))].join(" AND ");
    },
    hasNames: (words, bindValue) =>
      words.map(({ needle }) => `name LIKE ${bindValue(likeOf(needle))}`).join(" AND "),
  };
}

function hasOneSql(column: string, needles: string[], bindValue: BindValue): string {
  const [first = "", ...others] = needles;
  return others.length === 0
    ? `${column} LIKE ${bindValue(likeOf(first))}`
    : `${column} ~ ${bindValue(needles.map(escapePattern).join("|"))}`;
}

/** A pattern that finds exactly this string. */
function likeOf(needle: string): string {
  return `%${needle.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

function escapePattern(needle: string): string {
  return needle.replaceAll(/[\\.*+?^$|()[\]{}]/g, "\\$&");
}

/**
 * Creates the index if it does not exist; also the extension, if this role may. Changes of animals are blocked while all
 * texts are read. Resolves to undefined if there is an index, otherwise to the reason and the remedy.
 */
export async function createTextIndex(db: Database): Promise<ExplainedError | undefined> {
  const state = await readState(db);
  if (state.hasIndex) return undefined;
  if (!state.isInstalled) return explainAbsence(state);
  try {
    await db.transaction(createIndex, { deadlineMs: CREATE_MS });
    return undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    return explainAbsence(state);
  }
}

async function createIndex(tx: Transaction): Promise<void> {
  await tx.first(`SELECT pg_advisory_xact_lock(${CREATE_LOCK})`);
  await tx.run(`SET LOCAL lock_timeout = ${LOCK_MS}`);
  if ((await readState(tx)).schema === undefined) await tx.run(CREATE_EXTENSION);
  const { schema, hasIndex } = await readState(tx);
  if (hasIndex) return;
  await tx.run(`CREATE INDEX ${INDEX} ON pet_texts
    USING gin (text ${schema}.gin_trgm_ops, name ${schema}.gin_trgm_ops)
    WITH (gin_pending_list_limit = ${PENDING_KILOBYTES})`);
  await tx.run(ANALYZE);
}

/** Undefined if there is an index. */
export async function findMissingIndex(db: Database): Promise<ExplainedError | undefined> {
  const state = await readState(db);
  return state.hasIndex ? undefined : explainAbsence(state);
}

function explainAbsence({ isInstalled, schema }: IndexState): ExplainedError {
  const problem = "searches have no index, because the extension pg_trgm is missing";
  if (!isInstalled)
    return new ExplainedError(
      problem,
      `Install PostgreSQL's contrib package on the server, then run: ${COMMAND} migrate`,
    );
  if (schema === undefined)
    return new ExplainedError(
      problem,
      `Let an administrator run in this database: ${CREATE_EXTENSION}; then run: ${COMMAND} migrate`,
    );
  return new ExplainedError(
    "searches have no index",
    `With the role that owns the tables, run: ${COMMAND} migrate`,
  );
}

/**
 * Adds collected entries, which every search has to read, to the index. Only its owner may; for others, PostgreSQL does it with
 * a change or its own clean-up. With many of them, the plan of a search reads all texts instead of the index, and connections
 * keep that plan until ANALYZE.
 */
export async function addPendingEntries(db: Database): Promise<void> {
  const work = async (tx: Transaction) => {
    const row = await tx.first(`SELECT gin_clean_pending_list(indexrelid) AS pages
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE indexrelid = to_regclass('${INDEX}') AND pg_has_role(relowner, 'USAGE')`);
    if (Number(row?.pages ?? 0) >= PENDING_PAGES_MANY) await tx.run(ANALYZE);
  };
  await db.transaction(work, { deadlineMs: TIDY_MS });
}
