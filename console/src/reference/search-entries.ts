// Finds and ranks the entries of the search.

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

/** Entries that contain all words of the query: the best first, then by kind, then as on the page. */
export function findEntries(entries: SearchEntry[], query: string): SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words), kind: KINDS.indexOf(entry.kind) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank || one.kind - other.kind)
    .slice(0, SHOWN_MAX)
    .map(({ entry }) => ({ ...entry, detail: entry.detail || snippetOf(entry.text, words) }));
}

function rankOf({ id, title, detail, text }: SearchEntry, words: string[]): number {
  const names = `${id} ${title}`.toLowerCase();
  const has = (where: string) => words.every((word) => where.toLowerCase().includes(word));
  if (!has(`${names} ${detail} ${text}`)) return 0;
  if ([id, title].some((name) => name.toLowerCase() === words.join(" "))) return 5;
  if (words.every((word) => ` ${names}`.includes(` ${word}`))) return 4;
  if (has(names)) return 3;
  return has(detail) ? 2 : 1;
}

function snippetOf(text: string, words: string[]): string {
  const place = Math.max(0, text.toLowerCase().indexOf(words[0] ?? ""));
  const start = place < SNIPPET_LENGTH / 2 ? 0 : text.indexOf(" ", place - SNIPPET_LENGTH / 2) + 1;
  const part = text.slice(start, start + SNIPPET_LENGTH);
  return `${start > 0 ? "…" : ""}${part}${start + SNIPPET_LENGTH < text.length ? "…" : ""}`;
}
