// Which animals a list of listings has, as SQL: its conditions, and the ids in its order.

import type { ListingFilter, ListingStore } from "../../../domain/animals/listing.ts";
import { PET_STATUSES, type PetStatus } from "../../../domain/animals/pet.ts";
import { AGE_GROUPS, ageBoundsAt, companionBits } from "../../../domain/animals/profile.ts";
import { INT64_MAX } from "../../../domain/basics/int64.ts";
import type { Database, SqlValue } from "../../database.ts";
import type { SearchedList } from "../../search/text-index.ts";
import { type BindValue, createBindValue, listedIds } from "../../statements.ts";

export type View = Parameters<ListingStore["list"]>[2];
type Sort = View["sort"];

export const SORTS = {
  newest: { isAfter: "<", order: "id DESC", start: INT64_MAX },
  oldest: { isAfter: ">", order: "id", start: 0n },
};

/** More changed animals than these are read in the order of the list, fewer by the time of their change. */
const FEW_CHANGED = 2_000;

interface Context {
  bindValue: BindValue;
  nowMs: number;
}

/** The SQL conditions of a filter, without the status. Every condition of a list belongs here. */
export async function readConditions(
  db: Database,
  filter: Omit<ListingFilter, "statuses">,
  { bindValue, nowMs }: Context,
): Promise<string[]> {
  const { categoryId, species, sex, size, ageGroup, goodWith = [], ids, updatedSinceMs } = filter;
  const conditions: string[] = [];
  if (categoryId !== undefined) conditions.push(`category_id = ${bindValue(categoryId)}`);
  if (species !== undefined) conditions.push(`species = ${bindValue(species)}`);
  if (sex !== undefined) conditions.push(`sex = ${bindValue(sex)}`);
  if (size !== undefined) conditions.push(`size = ${bindValue(size)}`);
  if (ageGroup !== undefined) {
    const bounds = ageBoundsAt(nowMs);
    const index = AGE_GROUPS.indexOf(ageGroup);
    const [after, until] = [bounds[index], bounds[index - 1]];
    if (after !== undefined) conditions.push(`born_on > ${bindValue(after)}`);
    if (until !== undefined) conditions.push(`born_on <= ${bindValue(until)}`);
  }
  if (goodWith.length > 0) {
    const bits = bindValue(companionBits(goodWith));
    conditions.push(`good_with & ${bits} = ${bits}`);
  }
  // The planner uses the index of profiles only for a query that has its condition.
  if ([sex, size, ageGroup].some((each) => each !== undefined)) conditions.push("good_with IS NOT NULL");
  if (ids !== undefined) {
    conditions.push(`id IN (SELECT id FROM ${listedIds(db.engine, bindValue(ids.join()))})`);
  }
  if (updatedSinceMs !== undefined) {
    const isChanged = `updated_at_ms >= ${bindValue(updatedSinceMs)}`;
    const isFewChanged = await hasChangedFew(db, updatedSinceMs);
    conditions.push(isFewChanged ? `id IN (SELECT id FROM pets WHERE ${isChanged})` : isChanged);
  }
  return conditions;
}

/** Without statistics, SQLite does not know whether the index of changes saves work. */
async function hasChangedFew(db: Database, updatedSinceMs: number): Promise<boolean> {
  const changed = `SELECT id FROM pets WHERE updated_at_ms >= $1 LIMIT ${FEW_CHANGED}`;
  const row = await db.named(`SELECT count(*) AS found FROM (${changed}) AS changed`, [updatedSinceMs]);
  return Number(row?.found) < FEW_CHANGED;
}

interface PageQuery {
  sort: Sort;
  /** Empty for any. */
  statuses: readonly PetStatus[];
  conditions: string[];
  /** False for a count: then nothing is sorted, and several statuses are read one after the other. */
  isInOrder?: boolean;
}

/**
 * The ids of a page. Each status is read by itself, because only the animals of one status are in order in an index. Only ids,
 * so that an index can answer it alone.
 */
export function selectIds(
  parameters: { after: string; limit: string },
  { sort, statuses, conditions, isInOrder = true }: PageQuery,
): string {
  const { isAfter, order } = SORTS[sort];
  const select = (...more: string[]) => {
    const where = [...more, `id ${isAfter} ${parameters.after}`, ...conditions].join(" AND ");
    return `SELECT id FROM pets WHERE ${where} ORDER BY ${order} LIMIT ${parameters.limit}`;
  };
  // Without a filter, every animal is listed.
  const isPlain = statuses.length === 0 && conditions.length === 0;
  if (isPlain) return select();
  const wanted = statuses.length === 0 ? PET_STATUSES : statuses;
  const [only] = wanted;
  if (wanted.length === 1) return select(`status = '${only}'`);
  const each = wanted.map((status) => `SELECT id FROM (${select(`status = '${status}'`)}) AS of_status`);
  const sorted = isInOrder ? `ORDER BY ${order} ` : "";
  return `SELECT id FROM (${each.join(" UNION ALL ")}) AS of_statuses ${sorted}LIMIT ${parameters.limit}`;
}

/** The list that is searched. */
export async function searchedList(
  db: Database,
  { statuses = [], ...filter }: ListingFilter,
  { sort, nowMs }: Omit<View, "publicUrl">,
): Promise<SearchedList> {
  const values: SqlValue[] = [];
  const conditions = await readConditions(db, filter, { bindValue: createBindValue(values), nowMs });
  return {
    sort,
    start: SORTS[sort].start,
    selectIds: (after, limit) => selectIds({ after, limit }, { sort, statuses, conditions }),
    matches: [...isOneOf(statuses), ...conditions],
    values,
  };
}

/** No condition for any status. */
function isOneOf(statuses: readonly PetStatus[]): string[] {
  return statuses.length === 0 ? [] : [`status IN (${statuses.map((each) => `'${each}'`).join(", ")})`];
}
