// A search as the service takes it: at most five words, and a limited length.

import { SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX } from "../../../../src/domain/animals/search-text.ts";

/** Undefined if nothing is searched. */
export function cutSearch(typed: string): string | undefined {
  const words = wordsOf(typed).slice(0, SEARCH_WORDS_MAX).join(" ");
  const q = [...words].slice(0, SEARCH_LENGTH_MAX).join("").trimEnd();
  return q === "" ? undefined : q;
}

/** Whether words of the search are left out. */
export function hasTooManyWords(typed: string): boolean {
  return wordsOf(typed).length > SEARCH_WORDS_MAX;
}

function wordsOf(typed: string): string[] {
  return typed.split(/\s+/).filter((word) => word !== "");
}
