// Search: the texts of an animal, the words of `q`, and the string that a text contains if a word is found in it.

export const SEARCH_WORDS_MAX = 5;
export const SEARCH_LENGTH_MAX = 200;

/** Shorter words must begin a word: an index finds strings of at least three characters. */
const SUBSTRING_LETTERS_MIN = 3;

/** Before the first two letters of a word. Normalised text has no control characters, and an index needs three characters. */
const WORD_START = "\u0001\u0001";
/** Normalised text has no capitals of ASCII, so these are in no word: the category, and the animal itself. */
const CATEGORY_EDGE = "X";
const PET_EDGE = "Y";
const DIGITS = "0123456789-";
const DIGIT_LETTERS = "ABCDEFGHIJM";

const PRINTABLE_ASCII = /^[\n\x20-\x7e]*$/;
const MARKS = /\p{M}+/gu;
const CONTROLS = /\p{Cc}/gu;
const WHITE_SPACE = /\s+/u;
/** Chinese, Japanese and Korean characters are words of their own. */
const IDEOGRAPHS = /(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]/gu;
/** A symbol counts as the start of a word after white space, so that a typed name always finds its animal: "Tom & Jerry". */
const NAME_STARTS =
  /(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]|(?<!(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}])[\p{L}\p{N}])[\p{L}\p{N}]|(?<!\S)[^\p{L}\p{N}\s]/gu;
const VISIBLE = /\S/u;
const IDENTIFIER = /^[1-9][0-9]{0,18}$/;

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

/** The texts in which words are looked for. */
export interface SearchTexts {
  name: string;
  /** The name and all other members. */
  text: string;
}

/** The texts of all animals. */
export interface TextStore {
  /** One step: adds texts that nodes of an older release did not write, then tidies the index. Resolves to 0 at the end. */
  maintain(nowMs: number): Promise<number>;
}

/** Removes compatibility forms, accents and case: texts that differ only in these become equal. */
export function normaliseText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize("NFKD").replace(MARKS, "").replace(CONTROLS, "\n");
  // Three steps: the small letter of ẞ is ß, and only the capitals of that are SS. A sigma at the end of a word has a form of its own.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  // Puts the parts of a Korean character together again.
  return folded.normalize("NFC");
}

/** The normalised words of `q`. */
export function readWords(q: string): string[] {
  return normaliseText(q)
    .split(WHITE_SPACE)
    .filter((word) => word !== "");
}

/** Without the name of the category: otherwise, renaming a category would change the texts of all its animals. */
export function searchTextsOf({ name, categoryId, profile = {} }: SearchedPet): SearchTexts {
  const { breeds = [], tags = [], externalId = "", description = "" } = profile;
  const others = normaliseText([...breeds, ...tags, externalId, description].join("\n"));
  const normalName = normaliseText(name);
  const nameText = `${normalName}\n${startsOf(normalName, NAME_STARTS, VISIBLE)}`;
  return {
    name: nameText,
    text: [nameText, categoryNeedle(categoryId), others, startsOf(others, IDEOGRAPHS, IDEOGRAPHS), ""].join(
      "\n",
    ),
  };
}

/** The first letters of words, and the next ones if they are of the kind `next`. */
function startsOf(text: string, firsts: RegExp, next: RegExp): string {
  const starts = new Set<string>();
  // `matchAll` would compile a copy of the pattern for every text.
  text.replace(firsts, (first, index: number) => {
    const end = index + first.length;
    const following = String.fromCodePoint(text.codePointAt(end) ?? 0);
    starts.add(end < text.length && following.search(next) === 0 ? `${first}${following}` : first);
    return "";
  });
  return Array.from(starts, (start) => `${WORD_START}${start}`).join("");
}

/** Only the texts of animals in this category contain it. */
export function categoryNeedle(id: bigint): string {
  return edged(CATEGORY_EDGE, id);
}

/** The end of an animal's text. Not in `SearchTexts`, because a new animal has no id yet. */
export function petNeedle(id: bigint): string {
  return edged(PET_EDGE, id);
}

/** SQL of PostgreSQL for `petNeedle`. */
export function petNeedleSql(id: string): string {
  return `'${PET_EDGE}' || translate(CAST(${id} AS TEXT), '${DIGITS}', '${DIGIT_LETTERS}') || '${PET_EDGE}'`;
}

/** In letters, so that no word of digits is found in it. */
function edged(edge: string, id: bigint): string {
  const letters = Array.from(String(id), (digit) => DIGIT_LETTERS[DIGITS.indexOf(digit)]);
  return `${edge}${letters.join("")}${edge}`;
}

/** The texts in which this normalised word is found contain it. */
export function wordNeedle(word: string): string {
  return [...word].length < SUBSTRING_LETTERS_MIN ? `${WORD_START}${word}` : word;
}

/** Such a word is found in names only. */
export function isPrefixWord(word: string): boolean {
  return (
    [...word].length < SUBSTRING_LETTERS_MIN && ![...word].every((letter) => letter.search(IDEOGRAPHS) === 0)
  );
}

/** The id that a word of digits also means. */
export function readPetId(word: string): bigint | undefined {
  return IDENTIFIER.test(word) ? BigInt(word) : undefined;
}
