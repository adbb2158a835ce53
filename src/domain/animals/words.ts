// What a language has words for in a profile, and how lines of facts use them.

import { DAY_MS } from "../basics/durations.ts";
import type { Answer, Coat, Companion, Sex, Size, Species } from "./profile.ts";

type Label =
  | "species"
  | "breeds"
  | "sex"
  | "age"
  | "size"
  | "coat"
  | "goodWith"
  | `goodWith${Capitalize<Companion>}`
  | "neutered"
  | "vaccinated"
  | "houseTrained"
  | "specialNeeds";

/** Words begin with a capital letter, as beside a label. */
export interface ProfileWords {
  labels: Record<Label, string>;
  species: Record<Species, string>;
  sex: Record<Sex, string>;
  size: Record<Size, string>;
  coat: Record<Coat, string>;
  answers: Record<Answer, string>;
  /** Instead of a breed, and after the names of breeds. */
  mixed: string;
  mix: string;
  /** The age of an animal in its first week. */
  newborn: string;
  ages: Record<"week" | "month" | "year", [one: string, many: string]>;
  /** Before an age that is an estimate. */
  about: string;
  /** An animal whose name nobody can see. */
  numbered(id: number | bigint): string;
}

/** For lines such as "Cat · female · 3 years". Nouns keep their capital letter, as German needs it. */
export function wordsInLine(words: ProfileWords): ProfileWords {
  const { sex, size, coat, answers } = words;
  return { ...words, sex: lower(sex), size: lower(size), coat: lower(coat), answers: lower(answers) };
}

function lower<Value extends string>(words: Record<Value, string>): Record<Value, string> {
  const entries = Object.entries<string>(words).map(([value, word]) => [value, word.toLowerCase()]);
  return Object.fromEntries(entries);
}

type AgeWords = Pick<ProfileWords, "newborn" | "ages">;

/** "3 years", "21 months", "8 weeks": months from two, and years from two. */
export function describeAge(bornOn: string, nowMs: number, { newborn, ages }: AgeWords): string {
  const days = Math.max(0, Math.floor((nowMs - Date.parse(bornOn)) / DAY_MS));
  const [count, [one, many]] =
    days >= 730
      ? [Math.floor(days / 365.25), ages.year]
      : days >= 60
        ? [Math.floor(days / 30.44), ages.month]
        : [Math.floor(days / 7), ages.week];
  return count === 0 ? newborn : `${count} ${count === 1 ? one : many}`;
}
