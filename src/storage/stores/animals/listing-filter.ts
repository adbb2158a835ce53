// Which animals a list of listings has, as SQL: its conditions, and the ids in its order.

import type { ListingFilter, ListingStore } from "../../../domain/animals/listing.ts";
import { PET_STATUSES, type PetStatus } from "../../../domain/animals/pet.ts";
import { AGE_GROUPS, ageBoundsAt, companionBits } from "../../../domain/animals/profile.ts";
import { INT64_MAX } from "../../../domain/basics/int64.ts";
import type { Database, SqlValue } from "../../database.ts";
import type { SearchedList } from "../../search/text-index.ts";
import { type BindValue, createBindValue, listedIds } from "../../statements.ts";
import { findNearIds } from "../shelters/shelters.ts";
import { hasFewPets } from "./few-pets.ts";

export type View = Parameters<ListingStore["list"]>[2];
type Sort = View["sort"];

export const SORTS = {
  newest: { isAfter: "<", order: "id DESC", start: INT64_MAX },
  oldest: { isAfter: ">", order: "id", start: 0n },
};

/** At most these shelters are read one by one. The animals of more are found in the order of the list. */
const FEW_SHELTERS = 100;

interface Context {
  bindValue: BindValue;
  nowMs: number;
  /** False for a count. */
  isInOrder?: boolean;
}

/** The filter of a list as SQL, without the status and words. */
interface Conditions {
  conditions: string[];
  /** Present if each shelter is read by itself, because an index has its animals in the order of the list. */
  byShelter?: { isOfShelters: string; selectIds(rest: string): string } | undefined;
}

/** Every condition of a list belongs here. */
export async function readConditions(
  db: Database,
  filter: ListingFilter,
  { bindValue, nowMs, isInOrder = true }: Context,
): Promise<Conditions> {
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
    const isFewChanged = await hasFewPets(db, "updated_at_ms >= $1", updatedSinceMs);
    conditions.push(isFewChanged ? `id IN (SELECT id FROM pets WHERE ${isChanged})` : isChanged);
  }
  const shelterIds = await findShelterIds(db, filter);
  if (shelterIds === undefined) return { conditions };
  const shelters = listedIds(db.engine, bindValue(shelterIds.join()));
  // The sign keeps both engines from reading all these animals and sorting them.
  const isOfShelters = `+shelter_id IN (SELECT id FROM ${shelters})`;
  if (shelterIds.length > FEW_SHELTERS && isInOrder) return { conditions: [...conditions, isOfShelters] };
  return { conditions, byShelter: { isOfShelters, selectIds: selectOfEach(db.engine, shelters) } };
}

/** The shelters that are asked for and in the circle. Undefined for all. */
async function findShelterIds(
  db: Database,
  { shelterIds, near }: ListingFilter,
): Promise<bigint[] | undefined> {
  if (near === undefined) return shelterIds && [...new Set(shelterIds)];
  const ids = await findNearIds(db, near);
  return shelterIds === undefined ? ids : ids.filter((id) => shelterIds.includes(id));
}

/** `rest` begins with a condition, and limits the animals of each shelter. */
function selectOfEach(engine: Database["engine"], shelters: string): (rest: string) => string {
  if (engine === "postgres")
    return (rest) => `SELECT of_shelter.id FROM ${shelters}
      CROSS JOIN LATERAL (SELECT id FROM pets WHERE shelter_id = listed.id AND ${rest}) AS of_shelter`;
  // SQLite has no LATERAL, and may prefer the index of species.
  return (rest) => {
    const ids = `SELECT id FROM pets INDEXED BY pets_by_shelter WHERE shelter_id = listed.id AND ${rest}`;
    return `SELECT of_shelter.value AS id FROM ${shelters}, json_each((SELECT json_group_array(id) FROM (${ids}))) AS of_shelter`;
  };
}

interface PageQuery extends Conditions {
  sort: Sort;
  /** Empty for any. */
  statuses: readonly PetStatus[];
  /** False for a count: then nothing is sorted, and several statuses are read one after the other. */
  isInOrder?: boolean;
}

/**
 * The ids of a page. Each status is read by itself, because only the animals of one status are in order in an index. Only ids,
 * so that an index can answer it alone.
 */
export function selectIds(
  parameters: { after: string; limit: string },
  { sort, statuses, conditions, byShelter, isInOrder = true }: PageQuery,
): string {
  const { isAfter, order } = SORTS[sort];
  const sorted = isInOrder ? `ORDER BY ${order} ` : "";
  const select = (...more: string[]) => {
    const where = [...more, `id ${isAfter} ${parameters.after}`, ...conditions].join(" AND ");
    const some = `${where} ORDER BY ${order} LIMIT ${parameters.limit}`;
    if (byShelter === undefined) return `SELECT id FROM pets WHERE ${some}`;
    return `${byShelter.selectIds(some)} ${sorted}LIMIT ${parameters.limit}`;
  };
  // Without a filter, every animal is listed.
  const isPlain = statuses.length === 0 && conditions.length === 0 && byShelter === undefined;
  if (isPlain) return select();
  const wanted = statuses.length === 0 ? PET_STATUSES : statuses;
  const [only] = wanted;
  if (wanted.length === 1) return select(`status = '${only}'`);
  const each = wanted.map((status) => `SELECT id FROM (${select(`status = '${status}'`)}) AS of_status`);
  return `SELECT id FROM (${each.join(" UNION ALL ")}) AS of_statuses ${sorted}LIMIT ${parameters.limit}`;
}

/** The list that is searched. */
export async function searchedList(
  db: Database,
  filter: ListingFilter,
  { sort, nowMs }: Omit<View, "publicUrl">,
): Promise<SearchedList> {
  const { statuses = [] } = filter;
  const values: SqlValue[] = [];
  const list = await readConditions(db, filter, { bindValue: createBindValue(values), nowMs });
  const { conditions, byShelter } = list;
  return {
    sort,
    start: SORTS[sort].start,
    selectIds: (after, limit) => selectIds({ after, limit }, { sort, statuses, ...list }),
    matches: [...isOneOf(statuses), ...conditions, ...(byShelter ? [byShelter.isOfShelters] : [])],
    values,
  };
}

/** No condition for any status. */
function isOneOf(statuses: readonly PetStatus[]): string[] {
  return statuses.length === 0 ? [] : [`status IN (${statuses.map((each) => `'${each}'`).join(", ")})`];
}
