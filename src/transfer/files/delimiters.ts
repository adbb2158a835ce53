// The delimiters of CSV files, and the line with which Excel names one.

/** By the name that the operator gives. */
export const DELIMITERS = { ",": ",", ";": ";", "|": "|", tab: "\t" } as const;

/** Ordered by how unlikely they are inside a heading. */
export const DETECTED_DELIMITERS = ["\t", ";", ","];

/** As messages show it: as --delimiter takes it. */
export function showDelimiter(delimiter: string): string {
  return delimiter === DELIMITERS.tab ? "tab" : `"${delimiter}"`;
}

const SEP = "sep=";

/** The delimiter of a line such as `sep=;` or `"sep=;"`. Undefined for any other line. */
export function findSepDelimiter(line: string): string | undefined {
  const bare = line.startsWith('"') ? line.slice(1).trimEnd().replace('"', "") : line;
  if (bare.slice(0, SEP.length).toLowerCase() !== SEP) return undefined;
  const [given = "", ...others] = bare.slice(SEP.length);
  const isAlone = others.every((each) => each === " ");
  return isAlone ? Object.values(DELIMITERS).find((each) => each === given) : undefined;
}
