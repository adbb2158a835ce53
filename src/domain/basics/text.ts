// The rules for names and free text: as a pattern for schemas, and in words for messages; and free text for a title.

/**
 * 1 to `max` code points without control characters (C0, C1); white space at both ends does not count. Uses only syntax
 * that other languages have too, because schemas publish it. Well-formed Unicode is checked separately.
 */
export function namePattern(max: number): string {
  const inner = String.raw`[^\u0000-\u001f\u007f-\u009f]`;
  const edge = String.raw`[^\s\u0000-\u001f\u007f-\u009f]`;
  return String.raw`^\s*${edge}(?:${inner}{0,${max - 2}}${edge})?\s*$`;
}

/** Controls of the direction of text. Elements isolate them; a title or an attribute cannot. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of staff for a title, an attribute or a feed. */
export function plain(text: string): string {
  return text.replaceAll(DIRECTIONS, "");
}

/** A character that a reader sees: no space, control or filler. */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** Completes "name must be …". */
export function nameRule(max: number): string {
  return `1 to ${max} characters after trimming white space at both ends, without control characters`;
}

/** At most `max` code points without control characters (C0, C1); not trimmed. */
export function textPattern(max: number): string {
  return String.raw`^[^\u0000-\u001f\u007f-\u009f]{0,${max}}$`;
}

export function textRule(max: number): string {
  return `text of at most ${max} characters, without control characters`;
}

/** The same with line feeds. */
export function linesPattern(max: number): string {
  return String.raw`^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]{0,${max}}$`;
}

export function linesRule(max: number): string {
  return `text of at most ${max} characters, without control characters except line feeds`;
}
