// Foreign text as messages and the terminal show it: harmless, and in messages also short and in quotes.

const SHOWN_MAX = 60;
const LISTED_MAX = 10;
/** Control characters, and characters that are invisible or change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Replaces unsafe characters with escapes such as `\x1b` and `\u202e`. */
export function escapeUnsafe(text: string): string {
  return text.replaceAll(UNSAFE, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
    return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\u{${code}}`;
  });
}

/** A name as a cell of a table: at most 60 columns of it, or twice as many for characters of double width. */
export function showName(name: string): string {
  let shown = "";
  for (const character of name) {
    const longer = shown + escapeUnsafe(character);
    if (longer.length > SHOWN_MAX) return `${shown}…`;
    shown = longer;
  }
  return shown;
}

/** In quotes, and at most 60 characters of it. */
export function showText(text: string): string {
  // Cut first, because a field may have a million characters.
  const start = Array.from(text.slice(0, 2 * SHOWN_MAX + 1));
  const isCut = start.length > SHOWN_MAX;
  return `"${escapeUnsafe(start.slice(0, SHOWN_MAX).join(""))}${isCut ? "…" : ""}"`;
}

/** A sentence as part of another one. */
export function withoutStop(sentence: string): string {
  return sentence.endsWith(".") ? sentence.slice(0, -1) : sentence;
}

export function showList(texts: string[], show = showText): string {
  const shown = texts.slice(0, LISTED_MAX).map((each) => show(each));
  const more = texts.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
