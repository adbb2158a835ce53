// The profile as text fields of a form, and the changes that a form makes to it.

import type { Profile, ProfilePatch } from "../../../../client/src/client.ts";
import { readList, writeList } from "../../../../src/transfer/formats/profile-cells.ts";

/**
 * The items of a list are separated by commas, or by semicolons if one contains a comma. The empty text stands for a member
 * that the profile does not have.
 */
export interface ProfileFields {
  species: string;
  breeds: string;
  mixed: string;
  sex: string;
  bornOn: string;
  bornIsEstimated: string;
  size: string;
  colors: string;
  coat: string;
  goodWithChildren: string;
  goodWithDogs: string;
  goodWithCats: string;
  neutered: string;
  vaccinated: string;
  houseTrained: string;
  specialNeeds: string;
  description: string;
  feeAmount: string;
  feeCurrency: string;
  arrivedOn: string;
  videoUrl: string;
  externalId: string;
  tags: string;
}

export type FieldName = keyof ProfileFields;

export function toFields(profile: Profile): ProfileFields {
  const { goodWith = {}, fee } = profile;
  return {
    species: profile.species ?? "",
    breeds: fromList(profile.breeds),
    mixed: profile.mixed === undefined ? "" : String(profile.mixed),
    sex: profile.sex ?? "",
    bornOn: profile.bornOn ?? "",
    bornIsEstimated: profile.bornIsEstimated === true ? "true" : "",
    size: profile.size ?? "",
    colors: fromList(profile.colors),
    coat: profile.coat ?? "",
    goodWithChildren: goodWith.children ?? "",
    goodWithDogs: goodWith.dogs ?? "",
    goodWithCats: goodWith.cats ?? "",
    neutered: profile.neutered ?? "",
    vaccinated: profile.vaccinated ?? "",
    houseTrained: profile.houseTrained ?? "",
    specialNeeds: profile.specialNeeds ?? "",
    description: profile.description ?? "",
    feeAmount: fee === undefined ? "" : toMajor(fee.amount, fee.currency),
    feeCurrency: fee?.currency ?? "",
    arrivedOn: profile.arrivedOn ?? "",
    videoUrl: profile.videoUrl ?? "",
    externalId: profile.externalId ?? "",
    tags: fromList(profile.tags),
  };
}

/** A member of the profile is called by its first field. */
export type MemberName = FieldName;
type ReadMember = (draft: ProfileFields) => ProfilePatch;

const LISTS: ReadonlySet<MemberName> = new Set(["breeds", "colors", "tags"]);

/** Members of the patch, each with the fields that it is made of. */
const MEMBERS: Array<[fields: [MemberName, ...FieldName[]], read: ReadMember]> = [
  [["species"], ({ species }) => ({ species: (species || null) as ProfilePatch["species"] })],
  [["breeds"], ({ breeds }) => ({ breeds: toList(breeds) })],
  [["mixed"], ({ mixed }) => ({ mixed: mixed === "" ? null : mixed === "true" })],
  [["sex"], ({ sex }) => ({ sex: (sex || null) as ProfilePatch["sex"] })],
  [["bornOn"], ({ bornOn }) => ({ bornOn: bornOn || null })],
  [["bornIsEstimated"], ({ bornIsEstimated }) => ({ bornIsEstimated: bornIsEstimated === "true" || null })],
  [["size"], ({ size }) => ({ size: (size || null) as ProfilePatch["size"] })],
  [["colors"], ({ colors }) => ({ colors: toList(colors) })],
  [["coat"], ({ coat }) => ({ coat: (coat || null) as ProfilePatch["coat"] })],
  [["goodWithChildren"], ({ goodWithChildren }) => ({ goodWith: { children: toYesNo(goodWithChildren) } })],
  [["goodWithDogs"], ({ goodWithDogs }) => ({ goodWith: { dogs: toYesNo(goodWithDogs) } })],
  [["goodWithCats"], ({ goodWithCats }) => ({ goodWith: { cats: toYesNo(goodWithCats) } })],
  [["neutered"], ({ neutered }) => ({ neutered: toYesNo(neutered) })],
  [["vaccinated"], ({ vaccinated }) => ({ vaccinated: toYesNo(vaccinated) })],
  [["houseTrained"], ({ houseTrained }) => ({ houseTrained: toYesNo(houseTrained) })],
  [["specialNeeds"], ({ specialNeeds }) => ({ specialNeeds: toYesNo(specialNeeds) })],
  [["description"], ({ description }) => ({ description: description || null })],
  [["feeAmount", "feeCurrency"], ({ feeAmount, feeCurrency }) => ({ fee: toFee(feeAmount, feeCurrency) })],
  [["arrivedOn"], ({ arrivedOn }) => ({ arrivedOn: arrivedOn || null })],
  [["videoUrl"], ({ videoUrl }) => ({ videoUrl: videoUrl || null })],
  [["externalId"], ({ externalId }) => ({ externalId: externalId || null })],
  [["tags"], ({ tags }) => ({ tags: toList(tags) })],
];

/** Only what was changed in the form: the changes of others in other members stay. */
export function toPatch(base: ProfileFields, draft: ProfileFields): ProfilePatch {
  const patch: ProfilePatch = {};
  for (const [fields, read] of MEMBERS) {
    if (fields.every((field) => draft[field] === base[field])) continue;
    const { goodWith, ...member } = read(draft);
    Object.assign(patch, member);
    if (goodWith) patch.goodWith = { ...patch.goodWith, ...goodWith };
  }
  return patch;
}

interface Merged {
  draft: ProfileFields;
  /** Members that both sides have changed, differently. The draft keeps the value of the form. */
  conflicts: MemberName[];
  /** Members that only the others have changed. The draft has their value. */
  taken: MemberName[];
}

/** Shows the values that others have stored, except where something else was typed. */
export function mergeFields(base: ProfileFields, draft: ProfileFields, fresh: ProfileFields): Merged {
  const merged: Merged = { draft: { ...draft }, conflicts: [], taken: [] };
  for (const [fields, read] of MEMBERS) {
    const [member] = fields;
    const isTyped = fields.some((field) => draft[field] !== base[field]);
    const isChanged = !isSameValue(read, fresh, base);
    if (isTyped && isChanged && !isSameValue(read, fresh, draft)) merged.conflicts.push(member);
    else if (!isTyped || isChanged) Object.assign(merged.draft, pickMember(member, fresh));
    if (isChanged && !isTyped) merged.taken.push(member);
  }
  return merged;
}

/** Two texts can have one value: `a,b` and `a, b`. */
function isSameValue(read: ReadMember, one: ProfileFields, other: ProfileFields): boolean {
  return JSON.stringify(read(one)) === JSON.stringify(read(other));
}

/** Members with different values, in the order of the form. */
export function changedMembers(before: ProfileFields, after: ProfileFields): MemberName[] {
  return MEMBERS.filter(([, read]) => !isSameValue(read, before, after)).map(([[member]]) => member);
}

/** The fields of one member. */
export function pickMember(member: MemberName, fields: ProfileFields): Partial<ProfileFields> {
  const names = MEMBERS.find(([[name]]) => name === member)?.[0] ?? [];
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** Both values one after another; undefined where that makes no sense. */
export function combineTexts(member: MemberName, mine: string, theirs: string): string | undefined {
  if (mine.trim() === "" || theirs.trim() === "") return undefined;
  if (member === "description") return `${mine}\n\n${theirs}`;
  if (!LISTS.has(member)) return undefined;
  return fromList([...new Set([...(toList(mine) ?? []), ...(toList(theirs) ?? [])])]);
}

/** `toList` reads the same items from it. JSON where an item contains a semicolon, or the first begins as JSON does. */
function fromList(items: string[] = []): string {
  if (items.length === 0) return "";
  const written = writeList(items);
  if (written.startsWith("[")) return written;
  if (items.every((item) => !item.includes(","))) return items.join(", ");
  return items.length === 1 ? `${written};` : written;
}

function toList(text: string): string[] | null {
  const bare = text.trim();
  const json = bare.startsWith("[") ? readList(bare) : undefined;
  const isList = Array.isArray(json) && json.every((item) => typeof item === "string");
  const items: string[] = isList ? json : bare.split(bare.includes(";") ? ";" : ",");
  const given = items.map((item) => item.trim()).filter((item) => item !== "");
  return given.length === 0 ? null : given;
}

function toYesNo(text: string): "yes" | "no" | "unknown" | null {
  return text === "" ? null : (text as "yes" | "no" | "unknown");
}

function toFee(amount: string, currency: string): ProfilePatch["fee"] {
  if (amount.trim() === "") return null;
  const code = currency.trim().toUpperCase();
  return { amount: toMinor(amount, code), currency: code };
}

/** 25000 is 250.00 in euros and 25000 in yen. */
function toMajor(amount: number, currency: string): string {
  const digits = digitsOf(currency);
  return (amount / 10 ** digits).toFixed(digits);
}

function toMinor(text: string, currency: string): number {
  return Math.round(Number(text.replace(",", ".")) * 10 ** digitsOf(currency));
}

/** Two for a code that does not exist; the service refuses it. */
function digitsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}
