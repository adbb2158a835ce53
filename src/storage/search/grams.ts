// The grams of SQLite's index: three letters and the class of the letter behind them. Their lists are shorter than those of trigrams.

/**
 * Letters with the same remainder are a class. Nine classes divide English text almost evenly, and each vowel has its own. With
 * more, the lists would be shorter still, but a word of three letters, which needs those of all classes, would take longer.
 */
const CLASSES = 9;
const LETTERS = 3;
/** Letters of ASCII have a code for each class. Others may share theirs, because the index only gives candidates. */
const ASCII = 128;
const OTHERS = ASCII * CLASSES;
/** From here on, 16 bits are not always a letter. */
const CODES_END = 0xd800;

/** Replaces each letter by one that also tells the class of the letter behind it, so that the trigrams of FTS5 are grams. */
export function toGramText(text: string): string {
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    const letter = text.codePointAt(at) as number;
    at += letter > 0xffff ? 2 : 1;
    codes[length] = codeOf(letter, (text.codePointAt(at) ?? 0) % CLASSES);
  }
  return Buffer.from(codes.buffer, 0, 2 * length).toString("utf16le");
}

/**
 * Lists of grams: a text with this string has at least one of each list. Lists of several grams are for three letters only: the
 * letter behind them is unknown, so that there is a gram for each class.
 */
export function gramsOf(needle: string): string[][] {
  const letters = [...toGramText(needle)];
  if (letters.length < LETTERS) throw new Error(`A gram has ${LETTERS} letters`);
  const known = letters.slice(LETTERS).map((_, at) => letters.slice(at, at + LETTERS).join(""));
  if (known.length > 0) return [...new Set(known)].map((gram) => [gram]);
  const last = [...needle].at(-1)?.codePointAt(0) as number;
  const before = letters.slice(0, -1).join("");
  return [Array.from({ length: CLASSES }, (_, each) => before + String.fromCharCode(codeOf(last, each)))];
}

function codeOf(letter: number, classBehind: number): number {
  if (letter < ASCII) return letter + ASCII * classBehind;
  return OTHERS + ((letter * CLASSES + classBehind) % (CODES_END - OTHERS));
}
