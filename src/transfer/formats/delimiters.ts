// The delimiters of CSV files, how one is detected, and the line with which Excel names one.

/** By the name that the operator gives. */
export const DELIMITERS = { ",": ",", ";": ";", "|": "|", tab: "\t" } as const;

/** Ordered by how unlikely they are inside a heading. */
const DETECTED_DELIMITERS = ["\t", ";", ","];

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

/** The delimiter that is most frequent in the header, outside quotes. */
export function detectDelimiter(header: string): string {
  // Every second part is quoted, except a last part whose quote is never closed.
  const bare = header
    .split('"')
    .filter((_, index, parts) => index % 2 === 0 || index === parts.length - 1)
    .join("");
  const count = (each: string) => bare.split(each).length - 1;
  const [best = ","] = [...DETECTED_DELIMITERS].sort((one, other) => count(other) - count(one));
  return count(best) > 0 ? best : ",";
}
