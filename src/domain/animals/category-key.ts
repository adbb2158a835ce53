// Whether two names mean the same category. Apart from category.ts, because the console uses it too.

/** Names are equal if they differ only in case, in white space at both ends, or in how accents are encoded. */
export function categoryKey(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}
