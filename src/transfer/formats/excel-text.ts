// Text that a spreadsheet would run as a formula, and the apostrophe that prevents it.

/**
 * The first characters of formulas (OWASP, "CSV Injection"), also in full width. Apostrophes before them count, so that
 * adding one can be undone exactly.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Whether the text may come from `guardFormula`. */
export function isGuarded(text: string): boolean {
  return text.startsWith("'") && FORMULA.test(text);
}

/** The reverse of `guardFormula`. */
export function unguardFormula(text: string): string {
  return isGuarded(text) ? text.slice(1) : text;
}
