// Whether two names mean the same category or shelter.

/** Names are equal if they differ only in case, in white space at both ends, or in how accents are encoded. */
export function nameKey(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}
