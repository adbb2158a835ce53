// Sentences of the service about a file, in the words of the page and its language.

import { t } from "../shared/texts/language.ts";

/** A sentence that the texts do not know stays as it is. */
export function translate(sentence: string): string {
  return t().import.sentences.reduce((text, [pattern, words]) => text.replace(pattern, words), sentence);
}
