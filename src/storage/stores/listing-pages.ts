// Pages of listings in SQL: the engine filters, orders and writes the JSON.

import { INT64_MAX } from "../../domain/int64.ts";
import type { ListingFilter, ListingStore } from "../../domain/listing.ts";
import type { Page } from "../../domain/page.ts";
import { PET_STATUSES, type PetStatus } from "../../domain/pet.ts";
import { AGE_GROUPS, type AgeBounds, ageBoundsAt, companionBits } from "../../domain/profile.ts";
import { createBatchStatement } from "../batch-statement.ts";
import type { BatchStatement, Database, SqlValue } from "../database.ts";
import { createSearch } from "../search/search.ts";

type View = Parameters<ListingStore["list"]>[2];
type Sort = View["sort"];

const SORTS = {
  newest: { isBehind: "<", order: "id DESC", start: INT64_MAX },
  oldest: { isBehind: ">", order: "id", start: 0n },
};

/** Between listings; a line feed inside of one is escaped. */
const SEPARATOR = "\n";
/** How the JSON of a listing begins. */
const ID_MEMBER = '{"id":';

/** More changed animals than these are read in the order of the list, fewer by the time of their change. */
const FEW_CHANGED = 2_000;

interface Dialect {
  /** The SQL function that quotes a string as JSON. */
  quote: string;
  /** A column with milliseconds as an RFC 3339 time. */
  time: (column: string) => string;
}

const DIALECTS: Record<Database["engine"], Dialect> = {
  sqlite: {
    quote: "json_quote",
    time: (column) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`,
  },
  postgres: {
    quote: "to_json",
    time: (column) =>
      `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
};

/** Where the values of a page are: placeholders, or columns of `input` in a statement for several callers. */
interface Places {
  after: string;
  limit: string;
  bounds: AgeBounds;
}
const PLACES: Places = { after: "$1", limit: "$2", bounds: ["$3", "$4", "$5"] };
const INPUT: Places = {
  after: "input.after_id",
  limit: "input.page_limit",
  bounds: ["input.baby", "input.young", "input.adult"],
};

export function createListingPages(db: Database): ListingStore["list"] {
  const statements = new Map<string, BatchStatement>();
  const search = createSearch(db);

  /** Most pages have no other filter than the status, so that callers share their statements. */
  function plainStatement(sort: Sort, statuses: readonly PetStatus[]): BatchStatement {
    const name = ["listListings", sort, ...statuses].join(" ");
    const known = statements.get(name);
    if (known !== undefined) return known;
    const page = { sort, statuses, conditions: [] };
    const fresh = createBatchStatement({
      name,
      values: "after_id bigint, page_limit bigint, baby text, young text, adult text",
      one: selectPage("sqlite", PLACES, sort, selectIds(PLACES, page)),
      many: (input) =>
        `SELECT n, found.* FROM ${input} CROSS JOIN LATERAL (${selectPage("postgres", INPUT, sort, selectIds(INPUT, page))}) AS found`,
    });
    statements.set(name, fresh);
    return fresh;
  }

  /** Finds the ids first: a search may need several statements. */
  async function listFound({ statuses = [], words = [], ...filter }: ListingFilter, page: Page, view: View) {
    const { sort, nowMs } = view;
    const values: SqlValue[] = [];
    const place = (value: SqlValue) => `$${values.push(value)}`;
    const isFewChanged = await hasChangedFew(db, filter);
    const conditions = conditionsOf(filter, { place, nowMs, isFewChanged });
    const ofStatus =
      statuses.length === 0 ? [] : [`status IN (${statuses.map((each) => `'${each}'`).join(", ")})`];
    const list = {
      sort,
      selectIds: (after: string, limit: string, more: string[]) =>
        selectIds({ after, limit }, { sort, statuses, conditions: [...conditions, ...more] }),
      matches: [...ofStatus, ...conditions],
      values,
    };
    const { limit, after = SORTS[sort].start } = page;
    const { ids, nextAfter } = await search(words, list, { limit, after });
    if (ids.length === 0) return { json: "[]", nextAfter };
    const bounds = ageBoundsAt(nowMs);
    const found = `SELECT CAST(key AS BIGINT) AS id FROM json_each($1)`;
    const places: Places = { after: "", limit: "$2", bounds: ["$3", "$4", "$5"] };
    const row = await db.first(selectPage(db.engine, places, sort, found), [keysOf(ids), limit, ...bounds]);
    return { ...toPage(String(row?.listings ?? ""), limit), nextAfter };
  }

  return async (wanted, page, view) => {
    if (wanted.words !== undefined && wanted.words.length > 0) return listFound(wanted, page, view);
    const { statuses = [], ...filter } = wanted;
    const { sort, nowMs } = view;
    // One listing more than asked for tells whether there is a next page.
    const { limit } = page;
    const values: SqlValue[] = [page.after ?? SORTS[sort].start, limit + 1, ...ageBoundsAt(nowMs)];
    const place = (value: SqlValue) => `$${values.push(value)}`;
    const isFewChanged = await hasChangedFew(db, filter);
    const conditions = conditionsOf(filter, { place, nowMs, isFewChanged });
    const row =
      conditions.length === 0
        ? await db.batched(plainStatement(sort, statuses), values)
        : await db.first(
            selectPage(db.engine, PLACES, sort, selectIds(PLACES, { sort, statuses, conditions })),
            values,
          );
    return toPage(String(row?.listings ?? ""), limit);
  };
}

interface Context {
  /** The placeholder of a value. */
  place: (value: SqlValue) => string;
  nowMs: number;
  isFewChanged: boolean;
}

/** The SQL conditions of a filter, without the status. Every condition of a list belongs here. */
function conditionsOf(
  filter: Omit<ListingFilter, "statuses">,
  { place, nowMs, isFewChanged }: Context,
): string[] {
  const { categoryId, species, sex, size, ageGroup, goodWith = [], ids, updatedSinceMs } = filter;
  const conditions: string[] = [];
  if (categoryId !== undefined) conditions.push(`category_id = ${place(categoryId)}`);
  if (species !== undefined) conditions.push(`species = ${place(species)}`);
  if (sex !== undefined) conditions.push(`sex = ${place(sex)}`);
  if (size !== undefined) conditions.push(`size = ${place(size)}`);
  if (ageGroup !== undefined) {
    const bounds = ageBoundsAt(nowMs);
    const index = AGE_GROUPS.indexOf(ageGroup);
    const [after, until] = [bounds[index], bounds[index - 1]];
    if (after !== undefined) conditions.push(`born_on > ${place(after)}`);
    if (until !== undefined) conditions.push(`born_on <= ${place(until)}`);
  }
  if (goodWith.length > 0) {
    const bits = place(companionBits(goodWith));
    conditions.push(`good_with & ${bits} = ${bits}`);
  }
  // The planner uses the index of profiles only for a query that has its condition.
  if ([sex, size, ageGroup].some((each) => each !== undefined)) conditions.push("good_with IS NOT NULL");
  if (ids !== undefined) {
    conditions.push(`id IN (SELECT CAST(key AS BIGINT) FROM json_each(${place(keysOf(ids))}))`);
  }
  if (updatedSinceMs !== undefined) {
    const isChanged = `updated_at_ms >= ${place(updatedSinceMs)}`;
    conditions.push(isFewChanged ? `id IN (SELECT id FROM pets WHERE ${isChanged})` : isChanged);
  }
  return conditions;
}

/** Without statistics, SQLite cannot tell whether the index of changes saves work. */
async function hasChangedFew(db: Database, { updatedSinceMs }: ListingFilter): Promise<boolean> {
  if (updatedSinceMs === undefined) return false;
  const changed = `SELECT id FROM pets WHERE updated_at_ms >= $1 LIMIT ${FEW_CHANGED}`;
  const row = await db.first(`SELECT count(*) AS found FROM (${changed}) AS changed`, [updatedSinceMs]);
  return Number(row?.found) < FEW_CHANGED;
}

interface PageQuery {
  sort: Sort;
  /** Empty for any. */
  statuses: readonly PetStatus[];
  conditions: string[];
}

/** string_agg keeps the order of the inner query, which has a LIMIT. */
function selectPage(engine: Database["engine"], places: Places, sort: Sort, ids: string): string {
  const { order } = SORTS[sort];
  return `SELECT string_agg(json, '${SEPARATOR}') AS listings FROM (
    SELECT ${jsonOf(DIALECTS[engine], places.bounds)} AS json
    FROM (${ids}) AS page JOIN pets ON pets.id = page.id
    LEFT JOIN categories ON categories.id = pets.category_id
    ORDER BY page.${order} LIMIT ${places.limit}) AS listed`;
}

/**
 * The ids of a page. Each status is read by itself, because only the animals of one status are in order in an index. Only ids,
 * so that an index can answer it alone.
 */
function selectIds(
  places: Pick<Places, "after" | "limit">,
  { sort, statuses, conditions }: PageQuery,
): string {
  const { isBehind, order } = SORTS[sort];
  const select = (...more: string[]) => {
    const where = [...more, `id ${isBehind} ${places.after}`, ...conditions].join(" AND ");
    return `SELECT id FROM pets WHERE ${where} ORDER BY ${order} LIMIT ${places.limit}`;
  };
  // Without a filter, every animal is listed.
  const isPlain = statuses.length === 0 && conditions.length === 0;
  if (isPlain) return select();
  const wanted = statuses.length === 0 ? PET_STATUSES : statuses;
  const [only] = wanted;
  if (wanted.length === 1) return select(`status = '${only}'`);
  const each = wanted.map((status) => `SELECT id FROM (${select(`status = '${status}'`)}) AS of_status`);
  return `SELECT id FROM (${each.join(" UNION ALL ")}) AS of_statuses ORDER BY ${order} LIMIT ${places.limit}`;
}

/** The same text as `listingJson`; a test compares them. */
function jsonOf({ quote, time }: Dialect, bounds: AgeBounds): string {
  const groups = bounds.map((bound, index) => `WHEN born_on > ${bound} THEN '${ageMember(index)}'`);
  return `'${ID_MEMBER}' || pets.id || ',"name":' || ${quote}(pets.name) || ',"categoryId":' || category_id
    || ',"status":"' || status || '"' || CASE WHEN categories.name IS NULL THEN '' ELSE ',"categoryName":' || ${quote}(categories.name) END
    || CASE WHEN born_on IS NULL THEN '' ${groups.join(" ")} ELSE '${ageMember(-1)}' END
    || ',"profile":' || coalesce(profile, '{}') || ',"photos":' || coalesce(photos, '[]')
    || ',"createdAt":"' || ${time("created_at_ms")} || '","updatedAt":"' || ${time("updated_at_ms")} || '"}'`;
}

function ageMember(index: number): string {
  return `,"ageGroup":"${AGE_GROUPS.at(index)}"`;
}

function toPage(text: string, limit: number): Awaited<ReturnType<ListingStore["list"]>> {
  const found = text === "" ? [] : text.split(SEPARATOR);
  const listings = found.slice(0, limit);
  const last = found.length > limit ? listings.at(-1) : undefined;
  return { json: `[${listings.join(",")}]`, nextAfter: last === undefined ? undefined : idOf(last) };
}

/** Identifiers as the members of a JSON object, because JSON has no exact int64. */
function keysOf(ids: readonly bigint[]): string {
  return JSON.stringify(Object.fromEntries(ids.map((id) => [String(id), 0])));
}

function idOf(listing: string): bigint {
  return BigInt(listing.slice(ID_MEMBER.length, listing.indexOf(",")));
}
