// Positions in the results of a search: names first, each part in the order of the list.

import { INT64_MAX, INT64_MIN } from "../../domain/basics/int64.ts";
import type { SqlValue } from "../database.ts";

/**
 * An animal and its part of the results: the id itself if the name has every word, which comes first; otherwise the id with
 * a minus sign.
 */
export type Position = bigint;

export interface FoundPositions {
  positions: Position[];
  /** Where the search ended; undefined at the end of the list. */
  last?: Position | undefined;
}

export interface FoundPets {
  /** In the order of the list. */
  ids: bigint[];
  /** The next page begins after it. There may be one although this one is not full. */
  nextAfter: Position | undefined;
}

/** SQL of the position of a row of `pet_texts`. */
export function signedIdSql(isNamed: string): string {
  return `CASE WHEN ${isNamed} THEN '' ELSE '-' END || pet_id`;
}

/** From a string_agg of positions. */
export function readPositions(text: SqlValue | undefined): Position[] {
  return text === null || text === undefined ? [] : String(text).split(",").map(BigInt);
}

type Sort = "newest" | "oldest";

export function sortPositions(positions: Position[], sort: Sort): Position[] {
  return positions.sort((one, other) => (isBefore(one, other, sort) ? -1 : 1));
}

export function positionsAfter(sorted: Position[], after: Position | undefined, sort: Sort): Position[] {
  return after === undefined ? sorted : sorted.filter((position) => isBefore(after, position, sort));
}

function isBefore(one: Position, other: Position, sort: Sort): boolean {
  // The start of the oldest first is 0.
  const isNamed = one >= 0n;
  if (isNamed !== other >= 0n) return isNamed;
  return isNamed === (sort === "newest") ? one > other : one < other;
}

/** A forged cursor may hold the lowest integer, whose positive would exceed what databases store. */
export function idOf(position: Position): bigint {
  if (position === INT64_MIN) return INT64_MAX;
  return position < 0n ? -position : position;
}

export function toFoundPage({ positions, last }: FoundPositions, limit: number): FoundPets {
  const page = positions.slice(0, limit);
  return { ids: page.map(idOf), nextAfter: positions.length > limit ? page.at(-1) : last };
}
