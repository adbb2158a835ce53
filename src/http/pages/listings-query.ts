// Reads the query of listListings and countListings: what it filters by, and its parameters in one fixed form.

import type { Static } from "typebox";
import { ANY_STATUS, type ListingFilter } from "../../domain/animals/listing.ts";
import { PET_STATUSES } from "../../domain/animals/pet.ts";
import { COMPANIONS } from "../../domain/animals/profile.ts";
import { PUBLIC_STATUSES, publicFilter, type Visitor } from "../../domain/animals/public-listing.ts";
import { readWords, SEARCH_WORDS_MAX } from "../../domain/animals/search-text.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { parseInt64 } from "../../domain/basics/int64.ts";
import type { ListingsQuery } from "../schemas/listings.ts";
import { readNear, showNear } from "./near.ts";

type Query = Omit<Static<typeof ListingsQuery>, "limit" | "cursor">;

export interface ListingsRequest {
  filter: ListingFilter;
  sort: "newest" | "oldest";
  /** Whether `status` names animals that only staff may see. */
  namesHidden: boolean;
  /** Equal requests have equal parameters. In the order of the schema. */
  parameters: string[];
}

/** Throws `invalid_parameter` for an identifier beyond int64, a wrong place, and too many words. */
export function readListingsQuery(query: Query): ListingsRequest {
  const { status = "available", q, categoryId, species, sex, size, ageGroup, updatedSince } = query;
  const statuses = status === ANY_STATUS ? PET_STATUSES : wordsOf(status, PET_STATUSES);
  const filter = {
    statuses: statuses.length === PET_STATUSES.length ? undefined : statuses,
    categoryId,
    species,
    sex,
    size,
    ageGroup,
    goodWith: query.goodWith === undefined ? undefined : wordsOf(query.goodWith, COMPANIONS),
    ids: readIds(query, "ids"),
    shelterIds: readIds(query, "shelterId"),
    near: readNear(query),
    updatedSinceMs: updatedSince?.getTime(),
    words: q === undefined ? undefined : readSearch(q),
  };
  return {
    filter,
    sort: query.sort ?? "newest",
    namesHidden: status !== ANY_STATUS && statuses.some((each) => !PUBLIC_STATUSES.includes(each)),
    parameters: parametersOf(filter, query),
  };
}

function parametersOf(filter: ListingFilter, { q, updatedSince, sort }: Query): string[] {
  const { statuses, goodWith, ids, shelterIds, near } = filter;
  const given = {
    status: statuses?.join(",") ?? ANY_STATUS,
    q: q && encodeURIComponent(q),
    categoryId: filter.categoryId,
    species: filter.species,
    sex: filter.sex,
    size: filter.size,
    ageGroup: filter.ageGroup,
    goodWith: goodWith?.join(","),
    ids: ids?.join(","),
    shelterId: shelterIds?.join(","),
    ...showNear(near),
    updatedSince: updatedSince?.toISOString(),
    sort: sort === "newest" ? undefined : sort,
  };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

/** The animals that the caller may see. Throws `invalid_parameter` for a status that no visitor may ask for. */
export function visibleFilter(
  { filter, namesHidden }: ListingsRequest,
  visitor: Visitor | undefined,
): ListingFilter {
  if (visitor === undefined) return filter;
  if (!namesHidden) return publicFilter(filter, visitor);
  throw hiddenStatus();
}

/** Before the schema is applied, whose message names statuses that no visitor may ask for. */
export function checkVisibleStatus({ status }: { status?: unknown }, visitor: Visitor | undefined): void {
  if (visitor === undefined || typeof status !== "string" || status === ANY_STATUS) return;
  if (!status.split(",").every((each) => (PUBLIC_STATUSES as string[]).includes(each))) throw hiddenStatus();
}

function hiddenStatus(): ServiceError {
  return new ServiceError("invalid_parameter", {
    message: `status must be one of ${PUBLIC_STATUSES.join(", ")}, ${ANY_STATUS} for a publishable key`,
  });
}

function wordsOf<T extends string>(list: string, words: readonly T[]): T[] {
  const given = new Set(list.split(","));
  return words.filter((word) => given.has(word));
}

/** The normalised words. Throws `invalid_parameter` for too many. */
export function readSearch(q: string): string[] {
  const words = readWords(q);
  if (words.length <= SEARCH_WORDS_MAX) return words;
  throw new ServiceError("invalid_parameter", { message: `q must have at most ${SEARCH_WORDS_MAX} words` });
}

function readIds<N extends "ids" | "shelterId">(query: Pick<Query, N>, name: N): bigint[] | undefined {
  const list: string | undefined = query[name];
  if (list === undefined) return undefined;
  return [...new Set(list.split(","))].map((text) => {
    const id = parseInt64(text);
    if (id !== undefined) return id;
    throw new ServiceError("invalid_parameter", {
      message: `${name} must be a list of int64, separated by commas`,
    });
  });
}
