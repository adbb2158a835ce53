// The rule for names that people read: as an expression that schemas publish, and in words.

/**
 * 1 to `max` code points between optional white space at both ends, no control characters (C0, C1) and
 * no lone surrogates among them. White space inside counts, at the ends it is trimmed when stored.
 */
export function namePattern(max: number): string {
  const inner = String.raw`[^\p{Cc}\p{Cs}]`;
  const edge = String.raw`[^\p{Cc}\p{Cs}\s]`;
  return String.raw`^\s*${edge}(?:${inner}{0,${max - 2}}${edge})?\s*$`;
}

/** The second half of "name must be …". */
export function nameRule(max: number): string {
  return `1 to ${max} characters after trimming white space at both ends, without control characters`;
}
