// Values as people write them: words in English and German, dates and ages.

import type { DateOrder } from "../../domain/animals/animal-import.ts";
import { DAY_MS } from "../../domain/basics/durations.ts";
import { dayOf, isDay, monthsBefore } from "../../domain/basics/time.ts";

/** Says why a cell cannot be read, where the rules of the member cannot say it. */
export class CellFault {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

const ANSWER_WORDS = {
  yes: "yes y 1 true ja j x",
  no: "no n 0 false nein",
  unknown: "unknown unbekannt u ?",
};

/** The words for each value, normalised. */
const WORDS = {
  answer: ANSWER_WORDS,
  boolean: { true: ANSWER_WORDS.yes, false: ANSWER_WORDS.no },
  status: {
    available:
      "available a adoptable availableforadoption availableinfoster availableforadoptioninfoster verfügbar verfuegbar",
    pending: "pending h hold onhold reserved adoptionpending pendingadoption reserviert",
    sold: "sold x adopted healthyinhome vermittelt",
  },
  species: {
    dog: "dog dogs hund hunde",
    cat: "cat cats katze katzen",
    rabbit: "rabbit rabbits kaninchen",
    bird: "bird birds vogel vögel",
    horse: "horse horses pony pferd pferde",
    reptile:
      "reptile reptiles snake lizard gecko iguana turtle tortoise reptil reptilien schlange schildkröte",
    small_animal:
      "smallanimal smallanimals small&furry guineapig hamster gerbil rat mouse ferret chinchilla kleintier kleintiere meerschweinchen ratte maus frettchen",
    farm_animal:
      "farmanimal farmanimals barnyard livestock pig goat sheep cow donkey chicken duck goose nutztier nutztiere schwein ziege schaf kuh esel huhn ente gans",
    other: "other others scales,fins&other fish andere anderes sonstige sonstiges fisch",
  },
  sex: {
    male: "male m männlich maennlich rüde kater",
    female: "female f w weiblich hündin kätzin",
    unknown: "unknown u unbekannt ?",
  },
  size: {
    small: "small s klein",
    medium: "medium m mittel mittelgroß mittelgross",
    large: "large l groß gross",
    extra_large: "extralarge xl xlarge verylarge sehrgroß sehrgross",
  },
  coat: {
    hairless: "hairless haarlos",
    short: "short shorthair kurz kurzhaar",
    medium: "medium mediumhair mittel",
    long: "long longhair lang langhaar",
    wire: "wire wirehaired wirehair rough drahthaar rau",
    curly: "curly lockig",
  },
} as const satisfies Record<string, Record<string, string>>;
type WordKind = keyof typeof WORDS;

const VALUES = Object.fromEntries(
  Object.entries(WORDS).map(([kind, values]) => [
    kind,
    new Map(
      Object.entries<string>(values).flatMap(([value, words]) =>
        words.split(" ").map((word) => [word, value]),
      ),
    ),
  ]),
) as Record<WordKind, Map<string, string>>;

export function isWordKind(kind: string): kind is WordKind {
  return Object.hasOwn(WORDS, kind);
}

/** Case, spaces, underscores and hyphens do not matter. */
export function normaliseWord(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "");
}

/** Undefined for a word that is not known. */
export function readWord(kind: WordKind, text: string): string | boolean | undefined {
  const value = VALUES[kind].get(normaliseWord(text));
  return kind === "boolean" && value !== undefined ? value === "true" : value;
}

/** A time may follow the day, as databases and spreadsheets export it. */
const DATE = /^(\d{1,4})([./-]) ?(\d{1,2})([./-]) ?(\d{1,4})(?:[T ][\d:.+Z-]{0,30}(?: ?[ap]m)?)?$/i;

interface DateParts {
  separator: string;
  /** Undefined if the date is not valid in this order. */
  dmy: string | undefined;
  mdy: string | undefined;
  ymd: string | undefined;
}

function splitDate(text: string): DateParts | undefined {
  const [, first = "", separator, second = "", other, last = ""] = DATE.exec(text.trim()) ?? [];
  const toDay = (year: string, month: string, day: string) => {
    const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
    return year.length === 4 && isDay(date) ? date : undefined;
  };
  if (separator === undefined || separator !== other) return undefined;
  return {
    separator,
    dmy: toDay(last, second, first),
    mdy: toDay(last, first, second),
    ymd: toDay(first, second, last),
  };
}

/** How the dates of a column are read: `dots` is day first in any case, `ambiguous` fits two orders, `mixed` fits none. */
export type ColumnOrder = Exclude<DateOrder, "auto"> | "dots" | "ambiguous" | "mixed";

/** The order that is given, or that a column's cells have. */
export function chooseOrder(given: DateOrder, found: ColumnOrder = "ymd"): ColumnOrder {
  return given === "auto" || found === "dots" ? found : given;
}

/** Finds the order of a column from all its cells. Dots mean day first and decide nothing about slashes. */
export function createOrderFinder() {
  const found = { dots: 0, dmy: 0, mdy: 0, both: 0 };
  return {
    add(text: string): void {
      const date = splitDate(text);
      if (date === undefined || date.ymd !== undefined) return;
      if (date.separator === ".") found.dots += 1;
      else if (date.dmy !== undefined && date.mdy !== undefined) found.both += 1;
      else if (date.dmy !== undefined) found.dmy += 1;
      else if (date.mdy !== undefined) found.mdy += 1;
    },
    order(): ColumnOrder {
      if (found.dmy > 0 && found.mdy > 0) return "mixed";
      if (found.dmy > 0) return "dmy";
      if (found.mdy > 0) return "mdy";
      if (found.both > 0) return "ambiguous";
      return found.dots > 0 ? "dots" : "ymd";
    },
  };
}

export const ORDER_WORDS: Record<ColumnOrder, string> = {
  dmy: "day first",
  dots: "day first",
  mdy: "month first",
  ymd: "year first",
  ambiguous: "day or month first is not clear",
  mixed: "some with the day first, others with the month first",
};

/** A date with the year first is read in any order, and dots mean day first. Text that is no date stays text. */
export function readDate(text: string, order: ColumnOrder): string | CellFault {
  const date = splitDate(text);
  if (date === undefined) return text;
  if (date.ymd !== undefined) return date.ymd;
  if (date.separator === ".") return date.dmy ?? text;
  if (date.dmy === undefined && date.mdy === undefined) return text;
  if (order === "ambiguous" || order === "mixed")
    return new CellFault(
      `the column's dates have ${order === "mixed" ? "the day first in some cells and the month first in others" : "either the day or the month first"}. Set dateOrder (--date-order) to dmy or mdy`,
    );
  return (
    date[order === "dots" ? "dmy" : order] ??
    new CellFault(`the date is not valid with the ${ORDER_WORDS[order]}. Check dateOrder (--date-order)`)
  );
}

const UNITS: Record<string, { months?: number; days?: number }> = {};
for (const word of "y yr yrs year years j jahr jahre jahren".split(" ")) UNITS[word] = { months: 12 };
for (const word of "m mo mos mth mths month months monat monate monaten".split(" "))
  UNITS[word] = { months: 1 };
for (const word of "w wk wks week weeks woche wochen".split(" ")) UNITS[word] = { days: 7 };
for (const word of "d day days t tag tage tagen".split(" ")) UNITS[word] = { days: 1 };
const FILLERS = new Set("and und ca circa about approx approximately etwa old alt".split(" "));
const AGE_GROUPS = new Set("baby puppy kitten young adult senior".split(" "));
const AGE_PARTS = /\d+(?:[.,]\d+)?|[a-zäöü]+/g;
const AGE_TEXT = /^[\da-zäöü.,/~\s]*$/;
const YEARS_MAX = 150;
const DAYS_PER_MONTH = 30;

/** The day of birth. Undefined for an age group, which says no date. */
export function readAge(text: string, nowMs: number): string | CellFault | undefined {
  const lower = text.trim().toLowerCase();
  if (AGE_GROUPS.has(lower)) return undefined;
  const parts = (lower.match(AGE_PARTS) ?? []).filter((part) => !FILLERS.has(part));
  let months = 0;
  let days = 0;
  let isValid = AGE_TEXT.test(lower) && parts.length > 0 && parts.length % 2 === 0;
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const unit = Object.hasOwn(UNITS, parts[at + 1] ?? "") ? UNITS[parts[at + 1] ?? ""] : undefined;
    const count = Number(parts[at]?.replace(",", "."));
    months += count * (unit?.months ?? 0);
    days += count * (unit?.days ?? 0);
    isValid &&= unit !== undefined && /^\d/.test(parts[at] ?? "");
  }
  if (!isValid || !(months + days / DAYS_PER_MONTH <= YEARS_MAX * 12))
    return new CellFault("age must be a number with its unit, such as 3 years 2 months, or 8 weeks");
  const begin = monthsBefore(dayOf(nowMs), Math.floor(months));
  return dayOf(Date.parse(begin) - Math.round(days + (months % 1) * DAYS_PER_MONTH) * DAY_MS);
}
