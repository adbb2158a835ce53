// An animal with its profile as text fields of forms, and the changes that a form makes to it.

import type { Int64, PetPatch, Profile, ProfilePatch } from "../../../../client/src/client.ts";
import { readList, writeList } from "../../../../src/transfer/formats/profile-cells.ts";
import { findIdentifier } from "../../shared/state/identifier.ts";

/** No member of a profile has the name of one of the animal itself. */
export type AnimalPatch = Pick<PetPatch, "name" | "categoryId"> & ProfilePatch;

/** The empty text stands for a member that the profile does not have. */
interface Member {
  write: (profile: Profile, animal: Named) => string;
  /** The fee has a second field, its currency. */
  read: (text: string, currency: string) => AnimalPatch;
}

interface Named {
  name: string;
  categoryId: Int64;
}

type TextName = { [K in keyof Profile]-?: Profile[K] extends string | undefined ? K : never }[keyof Profile];

const text = (name: TextName): Member => ({
  write: (profile) => profile[name] ?? "",
  read: (text) => ({ [name]: text || null }) as ProfilePatch,
});
const list = (name: "breeds" | "colors" | "tags"): Member => ({
  write: (profile) => fromList(profile[name]),
  read: (text) => ({ [name]: toList(text) }),
});
const goodWith = (whom: "children" | "dogs" | "cats"): Member => ({
  write: (profile) => profile.goodWith?.[whom] ?? "",
  read: (text) => ({ goodWith: { [whom]: text || null } }),
});

/** In the order of the forms. */
const MEMBERS = {
  name: { write: (_profile, { name }) => name, read: (text) => ({ name: text.trim() }) },
  categoryId: {
    write: (_profile, { categoryId }) => String(categoryId),
    // Undefined while the number is being typed.
    read: (text) => ({ categoryId: findIdentifier(text) }),
  },
  species: text("species"),
  breeds: list("breeds"),
  mixed: {
    write: ({ mixed }) => String(mixed ?? ""),
    read: (text) => ({ mixed: text === "" ? null : text === "true" }),
  },
  sex: text("sex"),
  bornOn: text("bornOn"),
  bornIsEstimated: {
    write: ({ bornIsEstimated }) => String(bornIsEstimated || ""),
    read: (text) => ({ bornIsEstimated: text === "true" || null }),
  },
  size: text("size"),
  colors: list("colors"),
  coat: text("coat"),
  goodWithChildren: goodWith("children"),
  goodWithDogs: goodWith("dogs"),
  goodWithCats: goodWith("cats"),
  neutered: text("neutered"),
  vaccinated: text("vaccinated"),
  houseTrained: text("houseTrained"),
  specialNeeds: text("specialNeeds"),
  description: text("description"),
  feeAmount: {
    write: ({ fee }) => (fee === undefined ? "" : toMajor(fee.amount, fee.currency)),
    read: (amount, currency) => ({ fee: toFee(amount, currency) }),
  },
  arrivedOn: text("arrivedOn"),
  videoUrl: text("videoUrl"),
  externalId: text("externalId"),
  tags: list("tags"),
} satisfies Record<string, Member>;

export type MemberName = keyof typeof MEMBERS;
export type FieldName = MemberName | "feeCurrency";
export type ProfileFields = Record<FieldName, string>;

const NAMES = Object.keys(MEMBERS) as MemberName[];

const UNNAMED: Named = { name: "", categoryId: 0 };

export function toFields(profile: Profile, animal = UNNAMED): ProfileFields {
  const texts = NAMES.map((name) => [name, MEMBERS[name].write(profile, animal)]);
  return { ...Object.fromEntries(texts), feeCurrency: profile.fee?.currency ?? "" };
}

function readMember(name: MemberName, fields: ProfileFields): AnimalPatch {
  const member: Member = MEMBERS[name];
  return member.read(fields[name], fields.feeCurrency);
}

function isTyped(name: MemberName, base: ProfileFields, draft: ProfileFields): boolean {
  return fieldsOf(name).some((field) => draft[field] !== base[field]);
}

function fieldsOf(name: MemberName): FieldName[] {
  return name === "feeAmount" ? [name, "feeCurrency"] : [name];
}

/** Only what was changed in the form: the changes of others in other members stay. */
export function toPatch(base: ProfileFields, draft: ProfileFields): AnimalPatch {
  const patch: AnimalPatch = {};
  for (const name of NAMES) {
    if (!isTyped(name, base, draft)) continue;
    const { goodWith, ...member } = readMember(name, draft);
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
  for (const name of NAMES) {
    const isMine = isTyped(name, base, draft);
    const isTheirs = !isSameValue(name, fresh, base);
    if (isMine && isTheirs && !isSameValue(name, fresh, draft)) merged.conflicts.push(name);
    else if (!isMine || isTheirs) Object.assign(merged.draft, pickMember(name, fresh));
    if (isTheirs && !isMine) merged.taken.push(name);
  }
  return merged;
}

/** Two texts can have one value: `a,b` and `a, b`. */
function isSameValue(name: MemberName, one: ProfileFields, other: ProfileFields): boolean {
  return serialise(readMember(name, one)) === serialise(readMember(name, other));
}

function serialise(patch: AnimalPatch): string {
  return JSON.stringify(patch, (_name, value) => (typeof value === "bigint" ? String(value) : value));
}

/** Members with different values, in the order of the forms. */
export function changedMembers(before: ProfileFields, after: ProfileFields): MemberName[] {
  return NAMES.filter((name) => !isSameValue(name, before, after));
}

export function pickMember(name: MemberName, fields: ProfileFields): Partial<ProfileFields> {
  return Object.fromEntries(fieldsOf(name).map((field) => [field, fields[field]]));
}

/** Both values one after another; undefined where that makes no sense. */
export function combineTexts(member: MemberName, mine: string, theirs: string): string | undefined {
  if (mine.trim() === "" || theirs.trim() === "") return undefined;
  if (member === "description") return `${mine}\n\n${theirs}`;
  if (member !== "breeds" && member !== "colors" && member !== "tags") return undefined;
  return fromList([...new Set([...(toList(mine) ?? []), ...(toList(theirs) ?? [])])]);
}

/**
 * The items are separated by commas, or by semicolons if one contains a comma. `toList` reads the same items from it.
 * JSON where an item contains a semicolon, or the first begins as JSON does.
 */
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
