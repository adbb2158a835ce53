// Pages of listings in SQL: the engine filters, orders and writes the JSON.

import { LISTING_SHAPE } from "../../../domain/animals/json-shapes.ts";
import type { ListingFilter, ListingStore } from "../../../domain/animals/listing.ts";
import type { PetStatus } from "../../../domain/animals/pet.ts";
import { AGE_GROUPS, type AgeBounds, ageBoundsAt } from "../../../domain/animals/profile.ts";
import type { Page } from "../../../domain/basics/page.ts";
import type { Database, SqlValue, Statement } from "../../database.ts";
import { selectPage, selectPages, shapeSql, toPage } from "../../json-pages.ts";
import type { Search } from "../../search/search.ts";
import { createStatement } from "../../statements.ts";
import { keysOf } from "../../tables.ts";
import { readConditions, SORTS, type Sort, searchedList, selectIds, type View } from "./listing-query.ts";
import { photosSql } from "./photo-column.ts";

/** Where the values of a page are: parameters, or columns of `input` in a statement for several callers. */
interface PageParameters {
  after: string;
  limit: string;
  bounds: AgeBounds;
  publicUrl: string;
}
const PARAMETERS: PageParameters = { after: "$1", limit: "$2", bounds: ["$3", "$4", "$5"], publicUrl: "$6" };
const INPUT: PageParameters = {
  after: "input.after_id",
  limit: "input.page_limit",
  bounds: ["input.baby", "input.young", "input.adult"],
  publicUrl: "input.public_url",
};

export function createListingPages(db: Database, search: Search): ListingStore["list"] {
  const statements = new Map<string, Statement>();

  /** Most pages have no other filter than the status, so that callers share their statements. */
  function plainStatement(sort: Sort, statuses: readonly PetStatus[]): Statement {
    const name = ["listListings", sort, ...statuses].join(" ");
    const known = statements.get(name);
    if (known !== undefined) return known;
    const page = { sort, statuses, conditions: [] };
    const fresh = createStatement({
      name,
      values: "after_id bigint, page_limit bigint, baby text, young text, adult text, public_url text",
      one: pageOf("sqlite", PARAMETERS, sort, selectIds(PARAMETERS, page)),
      many: (input) => selectPages(input, pageOf("postgres", INPUT, sort, selectIds(INPUT, page))),
    });
    statements.set(name, fresh);
    return fresh;
  }

  /** Finds the ids first: a search may need several statements. */
  async function listFound(wanted: ListingFilter, words: readonly string[], page: Page, view: View) {
    const { sort, nowMs, publicUrl } = view;
    const list = await searchedList(db, wanted, view);
    const { limit, after = SORTS[sort].start } = page;
    const { ids, nextAfter } = await search(words, list, { limit, after });
    if (ids.length === 0) return { json: "[]", nextAfter };
    const found = "SELECT CAST(key AS BIGINT) AS id FROM jsonb_each($1)";
    const values = [keysOf(ids), limit, ...ageBoundsAt(nowMs), publicUrl];
    const row = await db.first(pageOf(db.engine, PARAMETERS, sort, found), values);
    return { ...toPage(row, limit), nextAfter };
  }

  return async (wanted, page, view) => {
    const { statuses = [], words = [], ...filter } = wanted;
    if (words.length > 0) return listFound(wanted, words, page, view);
    const { sort, nowMs, publicUrl } = view;
    const { limit, after = SORTS[sort].start } = page;
    const values: SqlValue[] = [after, limit + 1, ...ageBoundsAt(nowMs), publicUrl];
    const bindValue = (value: SqlValue) => `$${values.push(value)}`;
    const conditions = await readConditions(db, filter, { bindValue, nowMs });
    const row =
      conditions.length === 0
        ? await db.batched(plainStatement(sort, statuses), values)
        : await db.first(
            pageOf(db.engine, PARAMETERS, sort, selectIds(PARAMETERS, { sort, statuses, conditions })),
            values,
          );
    return toPage(row, limit);
  };
}

function pageOf(engine: Database["engine"], parameters: PageParameters, sort: Sort, ids: string): string {
  const json = shapeSql(engine, LISTING_SHAPE, {
    id: "pets.id",
    name: "pets.name",
    categoryId: "category_id",
    status: "status",
    categoryName: "categories.name",
    ageGroup: ageGroupSql(parameters.bounds),
    profile: "coalesce(profile, '{}')",
    photos: photosSql(parameters.publicUrl),
    createdAt: "created_at_ms",
    updatedAt: "updated_at_ms",
  });
  return selectPage(
    json,
    `FROM (${ids}) AS page JOIN pets ON pets.id = page.id
    LEFT JOIN categories ON categories.id = pets.category_id
    ORDER BY page.${SORTS[sort].order} LIMIT ${parameters.limit}`,
  );
}

/** Like `ageGroupOf`; a test compares them. */
function ageGroupSql(bounds: AgeBounds): string {
  const groups = bounds.map((bound, index) => `WHEN born_on > ${bound} THEN '${AGE_GROUPS[index]}'`);
  return `CASE WHEN born_on IS NULL THEN NULL ${groups.join(" ")} ELSE '${AGE_GROUPS.at(-1)}' END`;
}
