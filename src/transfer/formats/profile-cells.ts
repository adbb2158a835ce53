// The columns of a profile in CSV files, and how their cells are written and read.

import { COMPANIONS, type Companion, type Profile } from "../../domain/animals/profile.ts";

type Nested = "goodWith" | "fee" | "custom";
export type ProfileColumn =
  | Exclude<keyof Profile, Nested>
  | `goodWith.${Companion}`
  | `fee.${keyof NonNullable<Profile["fee"]>}`;

/** The kind of a cell: what its text means. */
export type CellKind =
  | "text"
  | "lines"
  | "list"
  | "boolean"
  | "integer"
  | "date"
  | "answer"
  | "species"
  | "sex"
  | "size"
  | "coat";

/** In the order of an export. */
export const PROFILE_KINDS: Record<ProfileColumn, CellKind> = {
  externalId: "text",
  species: "species",
  breeds: "list",
  mixed: "boolean",
  sex: "sex",
  bornOn: "date",
  bornIsEstimated: "boolean",
  size: "size",
  colors: "list",
  coat: "coat",
  "goodWith.children": "answer",
  "goodWith.dogs": "answer",
  "goodWith.cats": "answer",
  neutered: "answer",
  vaccinated: "answer",
  houseTrained: "answer",
  specialNeeds: "answer",
  description: "lines",
  "fee.amount": "integer",
  "fee.currency": "text",
  arrivedOn: "date",
  videoUrl: "text",
  tags: "list",
};
export const PROFILE_COLUMNS = Object.keys(PROFILE_KINDS) as ProfileColumn[];

/** Between the items of a list, such as "calm; playful". */
export const SEPARATOR = ";";
/** A list in JSON begins with it. */
const JSON_LIST = "[";

/** The cells of `PROFILE_COLUMNS`, and of the custom members. Cells without a value are empty. */
export function writeProfileCells(
  profile: Profile,
  customNames: readonly string[],
): Record<"cells" | "custom", string[]> {
  const { goodWith = {}, fee, custom: given = {}, ...others } = profile;
  const values: Partial<Record<ProfileColumn, unknown>> = {
    ...others,
    ...Object.fromEntries(COMPANIONS.map((each) => [`goodWith.${each}`, goodWith[each]])),
    "fee.amount": fee?.amount,
    "fee.currency": fee?.currency,
  };
  const cells = PROFILE_COLUMNS.map((column) => {
    const value = values[column];
    return PROFILE_KINDS[column] === "list" && value !== undefined
      ? writeList(value as string[])
      : String(value ?? "");
  });
  const custom = customNames.map((name) => (Object.hasOwn(given, name) ? (given[name] as string) : ""));
  return { cells, custom };
}

/** A list in a cell: as JSON if it is empty, or would be read in another way. */
export function writeList(items: string[]): string {
  const isPlain =
    items.length > 0 && !items[0]?.startsWith(JSON_LIST) && items.every((item) => !item.includes(SEPARATOR));
  return isPlain ? items.join(`${SEPARATOR} `) : JSON.stringify(items);
}

/** Text that is not a list stays text. */
export function readList(text: string, separators = SEPARATOR): unknown {
  if (text.startsWith(JSON_LIST)) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  let unified = text;
  for (const separator of separators) unified = unified.replaceAll(separator, SEPARATOR);
  return unified
    .split(SEPARATOR)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
