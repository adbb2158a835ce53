// Finds and ranks the entries of the search.

import { readSearch } from "./search-words.ts";

export interface SearchEntry {
  id: string;
  kind: string;
  title: string;
  detail: string;
  text: string;
}

const SHOWN_MAX = 12;
const SNIPPET_LENGTH = 80;

const KINDS = ["Operation", "Guide", "Error", "Shape"];

/** Entries that contain all words of the query: the best first, then by kind, then as on the page. Otherwise those that fit best. */
export function findEntries(entries: SearchEntry[], query: string): SearchEntry[] {
  const words = readSearch(query);
  if (words.length === 0) return [];
  const whole = sortBy(entries, (entry) => rankOf(entry, query, words));
  const found = whole.length > 0 ? whole : sortBy(entries, (entry) => scoreOf(entry, words));
  return found
    .slice(0, SHOWN_MAX)
    .map((entry) => ({ ...entry, detail: entry.detail || snippetOf(entry.text, words) }));
}

/** Without entries of rank 0. */
function sortBy(entries: SearchEntry[], rankOf: (entry: SearchEntry) => number): SearchEntry[] {
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry), kind: KINDS.indexOf(entry.kind) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank || one.kind - other.kind)
    .map(({ entry }) => entry);
}

function rankOf({ id, kind, title, detail, text }: SearchEntry, query: string, words: string[]): number {
  const names = `${id} ${title} ${kind}`.toLowerCase();
  const has = (where: string) => words.every((word) => where.toLowerCase().includes(word));
  if (!has(`${names} ${detail} ${text}`)) return 0;
  if ([id, title].some((name) => name.toLowerCase() === query.trim().toLowerCase())) return 6;
  if (words.every((word) => begins(names, word))) return 5;
  if (has(names)) return 4;
  if (has(detail)) return 3;
  // What no name says is explained by a guide, unless the words are only parts of others.
  const isAboutAll = words.every((word) => begins(`${names} ${detail} ${text}`.toLowerCase(), word));
  return isAboutAll && kind === "Guide" ? 2 : 1;
}

const NAME_SCORE = 4;

/** 0 for an entry with half of the words at most and none of them in its name: it has another subject. */
function scoreOf({ id, title, detail, text }: SearchEntry, words: string[]): number {
  const names = `${id} ${title}`.toLowerCase();
  const all = `${names} ${detail} ${text}`.toLowerCase();
  const found = words.filter((word) => all.includes(word)).length;
  const named = words.filter((word) => begins(names, word)).length;
  return named > 0 || found * 2 > words.length ? found + named * NAME_SCORE : 0;
}

/** Ids of guides are words joined by hyphens; "if-match" is searched with its own. */
function begins(names: string, word: string): boolean {
  return ` ${names}`.replaceAll("-", " ").includes(` ${word}`) || ` ${names}`.includes(` ${word}`);
}

function snippetOf(text: string, words: string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const place = Math.max(0, places[0] ?? 0);
  const start = place < SNIPPET_LENGTH / 2 ? 0 : text.indexOf(" ", place - SNIPPET_LENGTH / 2) + 1;
  const part = text.slice(start, start + SNIPPET_LENGTH);
  return `${start > 0 ? "…" : ""}${part}${start + SNIPPET_LENGTH < text.length ? "…" : ""}`;
}
