// The rule for names that people read: as an expression that schemas publish, and in words.

/**
 * 1 to `max` code points between optional white space at both ends, no control characters (C0, C1) among them. White
 * space inside counts, at the ends it is trimmed when stored. Only what the regular expressions of other languages know
 * too; that text must be well-formed Unicode is checked beside it.
 */
export function namePattern(max: number): string {
  const inner = String.raw`[^\u0000-\u001f\u007f-\u009f]`;
  const edge = String.raw`[^\s\u0000-\u001f\u007f-\u009f]`;
  return String.raw`^\s*${edge}(?:${inner}{0,${max - 2}}${edge})?\s*$`;
}

/** What is stored of a name that keeps the rule. */
export function trimName(name: string): string {
  return name.trim();
}

/** The second half of "name must be …". */
export function nameRule(max: number): string {
  return `1 to ${max} characters after trimming white space at both ends, without control characters`;
}

/** Free text of at most `max` code points, kept as it is: no control characters (C0, C1). */
export function textPattern(max: number): string {
  return String.raw`^[^\u0000-\u001f\u007f-\u009f]{0,${max}}$`;
}

export function textRule(max: number): string {
  return `text of at most ${max} characters, without control characters`;
}
