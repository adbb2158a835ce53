// How the file of an import is read: the settings of a request, from the choices on the page.

import {
  type ImportColumn,
  type ImportReport,
  type ImportSettings,
  stringifyJson,
} from "../../../client/src/client.ts";
import { PROFILE_COLUMNS } from "../../../src/transfer/formats/profile-cells.ts";
import { capitalise } from "../shared/state/format.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

/** The choices that the page offers after a check. */
export interface Reading {
  settings: ImportSettings;
  /** For each column: the member that it is read as. Null ignores the column. */
  members: Array<string | null>;
}

export function readingOf({ settings, columns }: ImportReport): Reading {
  return { settings, members: columns.map(({ member }) => member) };
}

const CUSTOM = "custom.";
const CUSTOM_LENGTH_MAX = 40;

/** The words for all members that a column can have. */
export function memberLabels(): Record<string, string> {
  const { profile, common, animals, animalForm } = t();
  const texts = later().import;
  const { name, category: categoryName } = common;
  const words = profile as unknown as Record<string, string>;
  // `goodWith.dogs` is `goodWithDogs` in the texts.
  const toTextName = (column: string) => column.replace(/\.(.)/, (_, first: string) => first.toUpperCase());
  return {
    name,
    categoryName,
    categoryId: animalForm.categoryNumber,
    status: animals.status,
    ...Object.fromEntries(PROFILE_COLUMNS.map((column) => [column, words[toTextName(column)] ?? column])),
    age: profile.age,
    fee: profile.feeAmount,
    "fee.amount": texts.minorFee,
    shelterId: texts.shelterId,
    shelterName: texts.shelterName,
  };
}

/** The choices for a column, with a field of one's own that is named after its heading. */
export function memberChoices({ heading, member }: ImportColumn, index: number): Array<[string, string]> {
  const texts = later().import;
  const own = member?.startsWith(CUSTOM) ? member : `${CUSTOM}${nameField(heading) || `column${index + 1}`}`;
  const isOffered = (each: string) => hasSeveralShelters() || !each.startsWith("shelter") || each === member;
  return [
    ["", texts.ignore],
    ...Object.entries(memberLabels()).filter(([each]) => isOffered(each)),
    [own, texts.ownField(own.slice(CUSTOM.length))],
  ];
}

/** "Chip-Nr." becomes `chipNr`. Empty for a heading without Latin letters. */
function nameField(heading: string): string {
  const plain = heading.replaceAll("ß", "ss").normalize("NFD").replaceAll(/\p{M}/gu, "");
  const words = plain.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const name = words.map(capitalise).join("").replace(/^\d+/, "").slice(0, CUSTOM_LENGTH_MAX);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** The settings for the next request. They name the members whose columns were changed. */
export function toSettings(columns: ImportColumn[], { settings, members }: Reading): ImportSettings {
  const before = columns.map(({ member }) => member);
  const headingsOf = (member: string, chosen: Array<string | null>) => [
    ...new Set(columns.flatMap(({ heading }, index) => (chosen[index] === member ? [heading] : []))),
  ];
  const map = { ...settings.map };
  for (const member of new Set([...before, ...members])) {
    if (member === null) continue;
    const headings = headingsOf(member, members);
    if (String(headings) === String(headingsOf(member, before))) continue;
    map[member] = headings.length > 1 ? headings : (headings[0] ?? null);
  }
  return { ...settings, map };
}

/** Whether the next check would read the file in another way. */
export function isChanged(report: ImportReport, reading: Reading): boolean {
  const write = (each: Reading) => stringifyJson(toSettings(report.columns, each));
  return write(reading) !== write(readingOf(report));
}
