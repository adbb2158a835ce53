// Pages of listings in SQL: the engine filters, orders and writes the JSON.

import { LISTING_SHAPE } from "../../../domain/animals/json-shapes.ts";
import type { ListingFilter, ListingStore } from "../../../domain/animals/listing.ts";
import { AGE_GROUPS, ageBoundsAt } from "../../../domain/animals/profile.ts";
import type { Page } from "../../../domain/basics/page.ts";
import type { Database, SqlValue } from "../../database.ts";
import { selectPage, shapeSql, toPage } from "../../json-pages.ts";
import type { Search } from "../../search/search.ts";
import { createBindValue, listedIds } from "../../statements.ts";
import { summarySql } from "../shelters/summaries.ts";
import { readConditions, SORTS, searchedList, selectIds, type View } from "./listing-filter.ts";
import { photosSql } from "./photo-column.ts";
import { profileWithoutCustom } from "./profile-columns.ts";

/** The first values of every page. */
const [LIMIT, BABY, YOUNG, ADULT, PUBLIC_URL, AFTER] = ["$1", "$2", "$3", "$4", "$5", "$6"] as const;
/** Like `ageGroupOf`; a test compares them. */
const AGE_GROUP = `CASE WHEN born_on IS NULL THEN NULL ${[BABY, YOUNG, ADULT]
  .map((bound, index) => `WHEN born_on > ${bound} THEN '${AGE_GROUPS[index]}'`)
  .join(" ")} ELSE '${AGE_GROUPS.at(-1)}' END`;

export function createListingPages(db: Database, search: Search): ListingStore["list"] {
  const json = listingJson(db.engine, "profile");
  const publicJson = listingJson(db.engine, profileWithoutCustom(db.engine));

  /** `ids` is SQL whose rows have an `id`. */
  function pageOf({ isPublic }: Pick<View, "isPublic">, ids: string, order: string): string {
    return selectPage(
      isPublic ? publicJson : json,
      `FROM ${ids} JOIN pets ON pets.id = page.id LEFT JOIN categories ON categories.id = pets.category_id
      ORDER BY page.${order} LIMIT ${LIMIT}`,
    );
  }

  const found = `(SELECT id, number FROM ${listedIds(db.engine, AFTER)}) AS page`;

  /** Finds the ids first: a search may need several statements. */
  async function listFound(wanted: ListingFilter, words: readonly string[], page: Page, view: View) {
    const { limit, after } = page;
    const { ids, nextAfter } = await search.find(words, await searchedList(db, wanted, view), {
      limit,
      after,
    });
    if (ids.length === 0) return { json: "[]", nextAfter };
    const values = [limit, ...ageBoundsAt(view.nowMs), view.publicUrl, ids.join()];
    const row = await db.named(pageOf(view, found, "number"), values);
    return { ...toPage(row, limit), nextAfter };
  }

  return async (wanted, page, view) => {
    const { statuses = [], words = [] } = wanted;
    if (words.length > 0) return listFound(wanted, words, page, view);
    const { sort, nowMs, publicUrl } = view;
    const { limit, after = SORTS[sort].start } = page;
    const values: SqlValue[] = [limit + 1, ...ageBoundsAt(nowMs), publicUrl, after];
    const list = await readConditions(db, wanted, { bindValue: createBindValue(values), nowMs });
    const ids = selectIds({ after: AFTER, limit: LIMIT }, { sort, statuses, ...list });
    const sql = pageOf(view, `(${ids}) AS page`, SORTS[sort].order);
    return toPage(await db.named(sql, values), limit);
  };
}

function listingJson(engine: Database["engine"], profile: string): string {
  return shapeSql(engine, LISTING_SHAPE, {
    id: "pets.id",
    name: "pets.name",
    categoryId: "category_id",
    status: "status",
    categoryName: "categories.name",
    ageGroup: AGE_GROUP,
    profile: `coalesce(${profile}, '{}')`,
    photos: photosSql(PUBLIC_URL),
    shelter: summarySql("shelter_id"),
    createdAt: "created_at_ms",
    updatedAt: "updated_at_ms",
  });
}
