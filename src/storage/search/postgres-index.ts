// PostgreSQL's index of texts by trigrams. It needs the extension pg_trgm; without it, searches read the list.

import { performance } from "node:perf_hooks";
import { ExplainedError } from "../../tools/operator-error.ts";
import { COMMAND } from "../../tools/program.ts";
import type { Database, Queries, Transaction } from "../database.ts";
import { type BindValue, listNeedles, type Source, type TextIndex } from "./text-index.ts";

const INDEX = "pet_texts_by_trigram";
const CREATE_EXTENSION = "CREATE EXTENSION pg_trgm";

/** More candidates than these are too many to read: then the words are common, and reading the list finds them. */
const CANDIDATES_MAX = 2_000;
/** How long a node believes that there is no index. */
const ABSENT_MS = 60_000;
/** Enough for millions of long descriptions. */
const CREATE_MS = 3_600_000;
/** Changes of animals wait at most so long for this lock. */
const LOCK_MS = 1_000;
/** When several nodes start at the same time, one creates the index. */
const CREATE_LOCK = 7_305_003;
const INSUFFICIENT_PRIVILEGE = "42501";
/** New texts are collected up to this size, and added to the index by the periodic job instead of a change. */
const PENDING_KILOBYTES = 16_384;

/** With more texts that wait, reading the list is better than reading all of them. */
const WAITING_MAX = 20_000;
const HAS_MANY_WAITING = `SELECT 1 AS found FROM pet_texts WHERE is_waiting = 1 ORDER BY pet_id LIMIT 1 OFFSET ${WAITING_MAX}`;
/** How long a node believes it. */
const WAITING_MS = 1_000;

/** The trigrams of pg_trgm are of letters and digits in the locale of the database. */
const HAS_TRIGRAM = { ascii: /[a-z0-9]{3}/i, unicode: /[\p{L}\p{N}]{3}/u };

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

export function openPostgresIndex(db: Database): TextIndex {
  const findState = remember(
    () => readState(db),
    ({ hasIndex }) => (hasIndex ? Infinity : ABSENT_MS),
  );
  const findManyWaiting = remember(
    () =>
      db.first(HAS_MANY_WAITING).then(
        (row) => row !== undefined,
        // Too many to be counted within the deadline are too many as well.
        () => true,
      ),
    () => WAITING_MS,
  );

  return {
    async open(words, list, examine) {
      const { hasIndex, isAscii } = await findState();
      if (!hasIndex) return undefined;
      const pattern = isAscii ? HAS_TRIGRAM.ascii : HAS_TRIGRAM.unicode;
      const needles = listNeedles(words).filter((each) => each.every((needle) => pattern.test(needle)));
      if (needles.length === 0) return undefined;
      const isAfter = list.sort === "newest" ? "<" : ">";
      const indexed: Source = async (after) => {
        if (await findManyWaiting()) return undefined;
        const select = (bindValue: BindValue) => {
          const isFound = needles.map(
            (each) => `(${each.map((needle) => `text LIKE ${bindValue(likeOf(needle))}`).join(" OR ")})`,
          );
          const found = isFound.join(" AND ");
          const behind = `pet_id ${isAfter} ${bindValue(after)}`;
          // In order, because the planner would read all texts as long as it believes that many wait.
          return `(SELECT pet_id AS id FROM pet_texts WHERE is_waiting = 0 AND ${found} AND ${behind} LIMIT ${CANDIDATES_MAX})
            UNION ALL (SELECT pet_id FROM (
              SELECT pet_id, text FROM pet_texts WHERE is_waiting = 1 AND ${behind} ORDER BY pet_id OFFSET 0
            ) AS waiting WHERE ${found} LIMIT ${CANDIDATES_MAX})`;
        };
        const step = await examine(select, false);
        // These are all candidates, because the index does not have them in order.
        return step.examined < CANDIDATES_MAX ? { ...step, examined: 0 } : undefined;
      };
      return [indexed];
    },
  };
}

/** The value is read again when it is older than `keepMsOf` says. */
function remember<T>(read: () => Promise<T>, keepMsOf: (value: T) => number): () => Promise<T> {
  let known: { value: T; untilMs: number } | undefined;
  return async () => {
    if (known !== undefined && performance.now() < known.untilMs) return known.value;
    const value = await read();
    known = { value, untilMs: performance.now() + keepMsOf(value) };
    return value;
  };
}

/** A pattern that finds exactly this string. */
function likeOf(needle: string): string {
  return `%${needle.replaceAll(/[\\%_]/g, "\\$&")}%`;
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
  await tx.run(`CREATE INDEX ${INDEX} ON pet_texts USING gin (text ${schema}.gin_trgm_ops)
    WITH (gin_pending_list_limit = ${PENDING_KILOBYTES}) WHERE is_waiting = 0`);
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

/** Adds collected texts to the index. Only its owner may; for others, PostgreSQL does it with a change or its own clean-up. */
export async function cleanUp(db: Database): Promise<void> {
  await db.first(`SELECT gin_clean_pending_list(indexrelid)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indexrelid = to_regclass('${INDEX}') AND pg_has_role(relowner, 'USAGE')`);
}
