// Places in the results of a search: names first, each part in the order of the list.

import { INT64_MAX, INT64_MIN } from "../../domain/basics/int64.ts";
import type { SqlValue } from "../database.ts";

/**
 * An animal and its part of the results: the id itself if the name has every word, which comes first; otherwise the id with
 * a minus sign.
 */
export type Place = bigint;

export interface FoundPlaces {
  places: Place[];
  /** Where the search ended; undefined at the end of the list. */
  last?: Place | undefined;
}

export interface FoundPets {
  /** In the order of the list. */
  ids: bigint[];
  /** The next page begins after it. There may be one although this one is not full. */
  nextAfter: Place | undefined;
}

/** SQL of the place of a row of `pet_texts`. */
export function placeSql(isNamed: string): string {
  return `CASE WHEN ${isNamed} THEN '' ELSE '-' END || pet_id`;
}

/** From a string_agg of places. */
export function readPlaces(text: SqlValue | undefined): Place[] {
  return text === null || text === undefined ? [] : String(text).split(",").map(BigInt);
}

type Sort = "newest" | "oldest";

export function sortPlaces(places: Place[], sort: Sort): Place[] {
  return places.sort((one, other) => (isBefore(one, other, sort) ? -1 : 1));
}

export function placesAfter(sorted: Place[], after: Place | undefined, sort: Sort): Place[] {
  return after === undefined ? sorted : sorted.filter((place) => isBefore(after, place, sort));
}

function isBefore(one: Place, other: Place, sort: Sort): boolean {
  // The start of the oldest first is 0.
  const isNamed = one >= 0n;
  if (isNamed !== other >= 0n) return isNamed;
  return isNamed === (sort === "newest") ? one > other : one < other;
}

/** A forged cursor may hold the lowest integer, whose positive would exceed what databases store. */
export function idOf(place: Place): bigint {
  if (place === INT64_MIN) return INT64_MAX;
  return place < 0n ? -place : place;
}

export function toFoundPage({ places, last }: FoundPlaces, limit: number): FoundPets {
  const page = places.slice(0, limit);
  return { ids: page.map(idOf), nextAfter: places.length > limit ? page.at(-1) : last };
}
