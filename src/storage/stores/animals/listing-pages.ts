// Pages of listings in SQL: the engine filters, orders and writes the JSON.

import type { ListingFilter, ListingStore } from "../../../domain/animals/listing.ts";
import type { PetStatus } from "../../../domain/animals/pet.ts";
import { AGE_GROUPS, type AgeBounds, ageBoundsAt } from "../../../domain/animals/profile.ts";
import type { Page } from "../../../domain/basics/page.ts";
import { createBatchStatement } from "../../batch-statement.ts";
import type { BatchStatement, Database, SqlValue } from "../../database.ts";
import type { Search } from "../../search/search.ts";
import { keysOf } from "../../tables.ts";
import { readConditions, SORTS, type Sort, searchedList, selectIds, type View } from "./listing-query.ts";

/** Between listings; a line feed inside of one is escaped. */
const SEPARATOR = "\n";
/** How the JSON of a listing begins. */
const ID_MEMBER = '{"id":';

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

export function createListingPages(db: Database, search: Search): ListingStore["list"] {
  const statements = new Map<string, BatchStatement>();

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
  async function listFound(wanted: ListingFilter, words: readonly string[], page: Page, view: View) {
    const { sort, nowMs } = view;
    const list = await searchedList(db, wanted, view);
    const { limit, after = SORTS[sort].start } = page;
    const { ids, nextAfter } = await search(words, list, { limit, after });
    if (ids.length === 0) return { json: "[]", nextAfter };
    const bounds = ageBoundsAt(nowMs);
    const found = `SELECT CAST(key AS BIGINT) AS id FROM jsonb_each($1)`;
    const places: Places = { after: "", limit: "$2", bounds: ["$3", "$4", "$5"] };
    const row = await db.first(selectPage(db.engine, places, sort, found), [keysOf(ids), limit, ...bounds]);
    return { ...toPage(String(row?.listings ?? ""), limit), nextAfter };
  }

  return async (wanted, page, view) => {
    const { statuses = [], words = [], ...filter } = wanted;
    if (words.length > 0) return listFound(wanted, words, page, view);
    const { sort, nowMs } = view;
    // One listing more than asked for tells whether there is a next page.
    const { limit } = page;
    const values: SqlValue[] = [page.after ?? SORTS[sort].start, limit + 1, ...ageBoundsAt(nowMs)];
    const place = (value: SqlValue) => `$${values.push(value)}`;
    const conditions = await readConditions(db, filter, { place, nowMs });
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

/** string_agg keeps the order of the inner query, which has a LIMIT. */
function selectPage(engine: Database["engine"], places: Places, sort: Sort, ids: string): string {
  const { order } = SORTS[sort];
  return `SELECT string_agg(json, '${SEPARATOR}') AS listings FROM (
    SELECT ${jsonOf(DIALECTS[engine], places.bounds)} AS json
    FROM (${ids}) AS page JOIN pets ON pets.id = page.id
    LEFT JOIN categories ON categories.id = pets.category_id
    ORDER BY page.${order} LIMIT ${places.limit}) AS listed`;
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

function idOf(listing: string): bigint {
  return BigInt(listing.slice(ID_MEMBER.length, listing.indexOf(",")));
}
