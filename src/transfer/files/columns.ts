// Which columns of a file hold the members of an animal.

import { OperatorError } from "../../tools/operator-error.ts";

export const MEMBERS = ["name", "categoryId", "status"] as const;
type Member = (typeof MEMBERS)[number];

/** What a file calls a member, where that is not the member's own name. */
export type Headings = Partial<Record<Member, string>>;

/** The place of each member's column. Headings are the same in any case and with white space around them. */
export type Places = Partial<Record<Member, number>>;

/** Throws an OperatorError that names all columns that are missing, or there twice. */
export function findColumns(header: string[], headings: Headings): Places {
  const known = header.map(plain);
  const faults: string[] = [];
  const places: Places = {};
  for (const member of MEMBERS) {
    const heading = headings[member] ?? member;
    const place = known.indexOf(plain(heading));
    const isNeeded = member !== "status" || headings.status !== undefined;
    if (place >= 0) places[member] = place;
    else if (isNeeded) faults.push(`there is no column "${heading}"`);
    if (place >= 0 && known.indexOf(plain(heading), place + 1) >= 0)
      faults.push(`there are several columns "${heading}"`);
  }
  if (faults.length === 0) return places;
  const has = header.map((each) => `"${each.trim()}"`).join(", ");
  throw new OperatorError(
    `The first line does not fit: ${faults.join("; ")}. It has ${has}. Say which to take, such as --map name=HEADING,categoryId=HEADING.`,
  );
}

function plain(heading: string): string {
  return heading.trim().toLowerCase();
}
