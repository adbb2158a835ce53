// The words of the widget in English and German.

import { type ProfileWords, wordsInLine } from "../../src/domain/animals/words.ts";
import { WORDS_DE } from "../../src/domain/animals/words-de.ts";
import { WORDS_EN } from "../../src/domain/animals/words-en.ts";

export interface Texts extends ProfileWords {
  language: string;
  search: string;
  loading: string;
  shown(count: number): string;
  none: string;
  noneFound: string;
  more: string;
  tryAgain: string;
  unavailable: string;
  wait(time: string): string;
  badSearch: string;
  badSetup: string;
  noPhoto: string;
  reserved: string;
}

const en: Texts = {
  ...wordsInLine(WORDS_EN),
  language: "en",
  search: "Name, breed or word",
  loading: "Loading animals…",
  shown: (count) => (count === 1 ? "1 animal shown" : `${count} animals shown`),
  none: "There are no animals here at the moment. Please come back soon.",
  noneFound: "No animal matches this search.",
  more: "Show more",
  tryAgain: "Try again",
  unavailable: "The animals cannot be shown right now.",
  wait: (time) => `Many people are looking at the moment. The list continues in ${time}.`,
  badSearch: "This search does not work. Please use other words, at most five.",
  badSetup: "This list is not set up correctly.",
  noPhoto: "No photo yet",
  reserved: "Reserved",
};

const de: Texts = {
  ...wordsInLine(WORDS_DE),
  language: "de",
  search: "Name, Rasse oder Wort",
  loading: "Tiere werden geladen …",
  shown: (count) => (count === 1 ? "1 Tier angezeigt" : `${count} Tiere angezeigt`),
  none: "Zurzeit sind hier keine Tiere. Schauen Sie bald wieder vorbei.",
  noneFound: "Kein Tier passt zu dieser Suche.",
  more: "Mehr anzeigen",
  tryAgain: "Erneut versuchen",
  unavailable: "Die Tiere können gerade nicht gezeigt werden.",
  wait: (time) => `Gerade schauen sich viele Menschen um. In ${time} geht es weiter.`,
  badSearch: "Diese Suche geht nicht. Bitte verwenden Sie andere Wörter, höchstens fünf.",
  badSetup: "Diese Liste ist nicht richtig eingerichtet.",
  noPhoto: "Noch kein Foto",
  reserved: "Reserviert",
};

/** `language` as in the attribute `lang`: German for `de` and `de-AT`, English for everything else. */
export function chooseTexts(language: string): Texts {
  return /^de\b/i.test(language) ? de : en;
}

/** Such as "3 years" or "3 Jahre". */
export function formatCount(count: number, unit: string, { language }: Texts): string {
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}
