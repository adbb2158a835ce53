// Search: the text of an animal, the words of `q`, and the string that a text contains if a word is found in it.

export const SEARCH_WORDS_MAX = 5;
export const SEARCH_LENGTH_MAX = 200;

/** Words up to this length must be a prefix of the name. */
const PREFIX_LETTERS_MAX = 2;

/**
 * Normalised text has no capitals of ASCII, so these are in no word: the start of the name, and the category. Letters,
 * because the trigrams of PostgreSQL leave out everything else; two, because an index needs three characters.
 */
const NAME_START = "QQ";
const CATEGORY_EDGE = "X";
const CATEGORY_DIGITS = "ABCDEFGHIJ";
const CATEGORY_MINUS = "M";

const ASCII = /^[\0-\x7f]*$/;
const MARKS = /\p{M}+/gu;
const WHITE_SPACE = /\s+/u;

/** The members that `q` searches, together with the name of the category. */
export interface SearchedPet {
  name: string;
  categoryId: bigint;
  profile?: SearchedProfile | undefined;
}

interface SearchedProfile {
  breeds?: string[] | undefined;
  tags?: string[] | undefined;
  externalId?: string | undefined;
  description?: string | undefined;
}

/** The index of texts: new ones are searched without it, and added to it later. */
export interface TextStore {
  /** One step, and a pause. Resolves to 0 if nothing is left to do. */
  index(): Promise<number>;
}

/** Removes compatibility forms, accents and case: texts that differ only in these become equal. */
export function normaliseText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize("NFKD").replace(MARKS, "");
  // Three steps: the small letter of ẞ is ß, and only the capitals of that are SS. A sigma at the end of a word has a form of its own.
  return plain.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

/** The normalised words of `q`. */
export function readWords(q: string): string[] {
  return normaliseText(q)
    .split(WHITE_SPACE)
    .filter((word) => word !== "");
}

/** Without the name of the category: otherwise, renaming a category would change the texts of all its animals. */
export function searchTextOf({ name, categoryId, profile = {} }: SearchedPet): string {
  const { breeds = [], tags = [], externalId = "", description = "" } = profile;
  const parts = [...breeds, ...tags, externalId, description].filter((part) => part !== "");
  const start = `${NAME_START}${normaliseText(name)}\n${categoryNeedle(categoryId)}`;
  return parts.length === 0 ? start : `${start}\n${normaliseText(parts.join("\n"))}`;
}

/** Only the texts of animals in this category contain it. */
export function categoryNeedle(id: bigint): string {
  const digits = [...String(id)].map((digit) => CATEGORY_DIGITS[Number(digit)] ?? CATEGORY_MINUS);
  return `${CATEGORY_EDGE}${digits.join("")}${CATEGORY_EDGE}`;
}

/** The texts in which this normalised word is found contain it. */
export function wordNeedle(word: string): string {
  return isPrefixWord(word) ? `${NAME_START}${word}` : word;
}

/** Such a word is not looked for in the names of categories. Letters are code points. */
export function isPrefixWord(word: string): boolean {
  return [...word].length <= PREFIX_LETTERS_MAX;
}
