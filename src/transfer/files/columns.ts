// Finds the columns of a file that hold the members of an animal.

import { OperatorError } from "../../tools/operator-error.ts";

export const MEMBERS = ["name", "categoryId", "status"] as const;
type Member = (typeof MEMBERS)[number];

/** The heading of a member's column, if it differs from the member's name. */
export type Headings = Partial<Record<Member, string>>;

/** The index of each member's column. */
export type Places = Partial<Record<Member, number>>;

/** Ignores case and surrounding white space. Throws an OperatorError with all missing or duplicate columns. */
export function findColumns(header: string[], headings: Headings): Places {
  const known = header.map(normalise);
  const faults: string[] = [];
  const places: Places = {};
  for (const member of MEMBERS) {
    const heading = headings[member] ?? member;
    const place = known.indexOf(normalise(heading));
    const isNeeded = member !== "status" || headings.status !== undefined;
    if (place >= 0) places[member] = place;
    else if (isNeeded) faults.push(`there is no column "${heading}"`);
    if (place >= 0 && known.indexOf(normalise(heading), place + 1) >= 0)
      faults.push(`there are several columns "${heading}"`);
  }
  if (faults.length === 0) return places;
  const has = header.map((each) => `"${each.trim()}"`).join(", ");
  throw new OperatorError(
    `The first line does not fit: ${faults.join("; ")}. It has ${has}. Say which to use, for example --map name=HEADING,categoryId=HEADING.`,
  );
}

function normalise(heading: string): string {
  return heading.trim().toLowerCase();
}
