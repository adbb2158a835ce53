// The rules for names and free text: as a pattern for schemas, and in words for messages.

/**
 * 1 to `max` code points without control characters (C0, C1); white space at both ends does not count. Uses only syntax
 * that other languages have too, because schemas publish it. Well-formed Unicode is checked separately.
 */
export function namePattern(max: number): string {
  const inner = String.raw`[^\u0000-\u001f\u007f-\u009f]`;
  const edge = String.raw`[^\s\u0000-\u001f\u007f-\u009f]`;
  return String.raw`^\s*${edge}(?:${inner}{0,${max - 2}}${edge})?\s*$`;
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
