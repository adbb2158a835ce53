// Reads the parameters of the list and its feeds.

import type { ListingFilter } from "../domain/animals/listing.ts";
import { AGE_GROUPS, COMPANIONS, SEXES, SIZES, SPECIES } from "../domain/animals/profile.ts";
import { PUBLIC_STATUSES } from "../domain/animals/public-listing.ts";
import { readWords, SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX } from "../domain/animals/search-text.ts";
import { parseInt64 } from "../domain/basics/int64.ts";
import { LISTED_SHELTERS_MAX } from "../domain/basics/list-limits.ts";
import { textPattern } from "../domain/basics/text.ts";

export const CHOICES = { species: SPECIES, sex: SEXES, size: SIZES, ageGroup: AGE_GROUPS };
type Choice = keyof typeof CHOICES;
export type FilterName = "q" | Choice | "goodWith" | "shelterId";

const SEARCH_TEXT = new RegExp(textPattern(SEARCH_LENGTH_MAX), "u");

/** A parameter that has no meaning. The list explains it in the language of the site. */
export class BadQuery extends Error {
  readonly parameter: FilterName | "cursor";

  constructor(parameter: FilterName | "cursor") {
    super(`bad ${parameter}`);
    this.parameter = parameter;
  }
}

/** The values of the form after a bad query, as they were typed. A bad shelter is left out: the form would hide it. */
export function typedValues(parameters: URLSearchParams, { parameter }: BadQuery): AnimalQuery["values"] {
  const names = ["q", ...Object.keys(CHOICES), "goodWith", "shelterId"] as FilterName[];
  const typed = names
    .filter((name) => name !== "shelterId" || name !== parameter)
    .map((name) => [name, parameters.getAll(name).filter(isGiven)] as const)
    .filter(([, values]) => values.length > 0);
  return Object.fromEntries(
    typed.map(([name, values]) => [name, name === "goodWith" ? values.join() : values.at(-1)?.trim()]),
  );
}

function isGiven(value: string): boolean {
  return value.trim() !== "";
}

export interface AnimalQuery {
  filter: ListingFilter;
  /** The given filters, in a fixed order and form: equal searches have equal values. */
  values: Partial<Record<FilterName, string>>;
  cursor?: string | undefined;
}

/** Ignores empty and unknown parameters. The last of several counts; several `goodWith` are combined. Throws BadQuery. */
export function readQuery(parameters: URLSearchParams): AnimalQuery {
  const listOf = (name: string) => parameters.getAll(name).filter(isGiven);
  const last = (name: string) => listOf(name).at(-1)?.trim();
  const choices = Object.fromEntries(
    Object.entries(CHOICES).map(([name, words]) => [name, readChoice(name as Choice, words, last(name))]),
  );
  const q = last("q");
  const goodWith = readCompanions(listOf("goodWith"));
  const shelterIds = readShelters(last("shelterId"));
  const values = { q, ...choices, goodWith: goodWith?.join(), shelterId: shelterIds?.join() };
  return {
    filter: { statuses: PUBLIC_STATUSES, ...choices, goodWith, shelterIds, words: readSearch(q) },
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
    cursor: last("cursor"),
  };
}

/** "?q=luna&sex=female", or "" without filters. */
export function toQueryString(values: Record<string, string>): string {
  const query = new URLSearchParams(values).toString();
  return query === "" ? "" : `?${query}`;
}

function readChoice(name: Choice, words: readonly string[], value: string | undefined): string | undefined {
  if (value !== undefined && !words.includes(value)) throw new BadQuery(name);
  return value;
}

function readCompanions(values: string[]): ListingFilter["goodWith"] {
  if (values.length === 0) return undefined;
  const given = values.flatMap((value) => value.split(",")).map((word) => word.trim());
  if (given.some((word) => !(COMPANIONS as readonly string[]).includes(word))) throw new BadQuery("goodWith");
  return COMPANIONS.filter((companion) => given.includes(companion));
}

function readShelters(value: string | undefined): bigint[] | undefined {
  if (value === undefined) return undefined;
  // Cut first: the address of a page may have 16,000 characters.
  const texts = value.split(",", LISTED_SHELTERS_MAX + 1);
  if (texts.length > LISTED_SHELTERS_MAX) throw new BadQuery("shelterId");
  return [...new Set(texts)].map((text) => {
    const id = parseInt64(text);
    if (id === undefined) throw new BadQuery("shelterId");
    return id;
  });
}

function readSearch(q: string | undefined): string[] | undefined {
  if (q === undefined) return undefined;
  const words = SEARCH_TEXT.test(q) ? readWords(q) : [];
  if (!SEARCH_TEXT.test(q) || words.length > SEARCH_WORDS_MAX) throw new BadQuery("q");
  return words;
}
