// Text of a file as messages show it: short, in quotes, and harmless for a terminal.

const SHOWN_MAX = 60;
const LISTED_MAX = 10;
/** Control characters, and characters that are invisible or change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export function showText(text: string): string {
  // Cut first, because a field may have a million characters.
  const start = Array.from(text.slice(0, 2 * SHOWN_MAX + 1));
  const isCut = start.length > SHOWN_MAX;
  const shown = start.slice(0, SHOWN_MAX).join("").replaceAll(UNSAFE, escapeCharacter);
  return `"${shown}${isCut ? "…" : ""}"`;
}

export function showList(texts: string[], show = showText): string {
  const shown = texts.slice(0, LISTED_MAX).map((each) => show(each));
  const more = texts.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
