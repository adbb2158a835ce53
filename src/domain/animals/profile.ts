// The profile of an animal: what people want to know before they adopt it.

import { DAY_MS } from "../basics/durations.ts";
import { ServiceError } from "../basics/errors.ts";
import { dayOf, monthsBefore } from "../basics/time.ts";

export const SPECIES = [
  "dog",
  "cat",
  "rabbit",
  "bird",
  "horse",
  "reptile",
  "small_animal",
  "farm_animal",
  "other",
] as const;
export const SEXES = ["male", "female", "unknown"] as const;
export const SIZES = ["small", "medium", "large", "extra_large"] as const;
export const COATS = ["hairless", "short", "medium", "long", "wire", "curly"] as const;
/** `unknown` is not the same as absent: somebody has looked, and does not know. */
export const ANSWERS = ["yes", "no", "unknown"] as const;
export const COMPANIONS = ["children", "dogs", "cats"] as const;

export const BREEDS_MAX = 2;
export const BREED_LENGTH_MAX = 100;
export const COLORS_MAX = 3;
export const COLOR_LENGTH_MAX = 40;
export const TAGS_MAX = 10;
export const TAG_LENGTH_MAX = 40;
export const DESCRIPTION_MAX = 10_000;
export const EXTERNAL_ID_MAX = 64;
export const CUSTOM_MAX = 20;
/** Linear: a bounded length. */
export const CUSTOM_NAME = "^[a-z][A-Za-z0-9]{0,39}$";
export const CUSTOM_LENGTH_MAX = 500;
/** In minor units: ten million of most currencies. */
export const FEE_MAX = 1_000_000_000;

export type Answer = (typeof ANSWERS)[number];
export type Species = (typeof SPECIES)[number];
export type Sex = (typeof SEXES)[number];
export type Size = (typeof SIZES)[number];
export type Coat = (typeof COATS)[number];
export type Companion = (typeof COMPANIONS)[number];
type GoodWith = Partial<Record<Companion, Answer>>;
type Custom = Record<string, string>;

/** Every member is optional. */
export interface Profile {
  species?: Species;
  breeds?: string[];
  mixed?: boolean;
  sex?: Sex;
  /** A date, such as 2024-05-31. */
  bornOn?: string;
  bornIsEstimated?: boolean;
  size?: Size;
  colors?: string[];
  coat?: Coat;
  goodWith?: GoodWith;
  neutered?: Answer;
  vaccinated?: Answer;
  houseTrained?: Answer;
  specialNeeds?: Answer;
  description?: string;
  fee?: { amount: number; currency: string };
  arrivedOn?: string;
  videoUrl?: string;
  externalId?: string;
  tags?: string[];
  /** Members that the shelter has named itself. */
  custom?: Custom;
}

/** The order of the members in JSON. */
const MEMBERS = [
  "species",
  "breeds",
  "mixed",
  "sex",
  "bornOn",
  "bornIsEstimated",
  "size",
  "colors",
  "coat",
  "goodWith",
  "neutered",
  "vaccinated",
  "houseTrained",
  "specialNeeds",
  "description",
  "fee",
  "arrivedOn",
  "videoUrl",
  "externalId",
  "tags",
  "custom",
] as Array<keyof Profile>;

type Changes<T> = { [K in keyof T]?: T[K] | null | undefined };

/** Absent members stay unchanged; null removes one. `goodWith` and `custom` change member by member, others as a whole. */
export type ProfileChanges = Changes<Omit<Profile, "goodWith" | "custom">> & {
  goodWith?: Changes<GoodWith> | null | undefined;
  custom?: Changes<Custom> | null | undefined;
};

/** The profile after the changes. Its members have a fixed order: equal profiles have equal JSON. Throws `invalid_body`. */
export function reviseProfile(profile: Profile, changes: ProfileChanges): Profile {
  return collect<Profile>(MEMBERS, (member) => reviseMember(member, profile, changes));
}

/** Undefined or null if the profile has no such member any more. */
function reviseMember(member: keyof Profile, profile: Profile, changes: ProfileChanges): unknown {
  const change = changes[member];
  if (change === undefined) return profile[member];
  if (Array.isArray(change)) return change.map(trim);
  if (member === "externalId") return changes.externalId?.trim();
  if (member === "goodWith" && changes.goodWith) return reviseCompanions(profile.goodWith, changes.goodWith);
  if (member === "custom" && changes.custom) return reviseCustom(profile.custom, changes.custom);
  return change;
}

function reviseCompanions(current: GoodWith = {}, changes: Changes<GoodWith>): GoodWith | undefined {
  const revised = collect<GoodWith>(COMPANIONS, (companion) =>
    changes[companion] === undefined ? current[companion] : changes[companion],
  );
  return Object.keys(revised).length === 0 ? undefined : revised;
}

/** In the order of their names. Throws `invalid_body` for too many. */
function reviseCustom(current: Custom | undefined, changes: Changes<Custom>): Custom | undefined {
  const revised: Custom = { ...current };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete revised[name];
    else if (value !== undefined) revised[name] = value.trim();
  }
  const names = Object.keys(revised).sort();
  if (names.length > CUSTOM_MAX) {
    const message = `custom must have at most ${CUSTOM_MAX} members, and would have ${names.length}`;
    throw new ServiceError("invalid_body", { message });
  }
  return names.length === 0
    ? undefined
    : Object.fromEntries(names.map((name) => [name, revised[name] ?? ""]));
}

/** The members that have a value. */
function collect<T extends object>(members: ReadonlyArray<keyof T>, read: (member: keyof T) => unknown): T {
  const found: Partial<T> = {};
  for (const member of members) {
    const value = read(member);
    if (value !== undefined && value !== null) found[member] = value as T[keyof T];
  }
  return found as T;
}

export function isEmptyProfile(profile: Profile): boolean {
  return Object.keys(profile).length === 0;
}

function trim(text: string): string {
  return text.trim();
}

/** One bit for each companion that the answer is "yes" for. */
export function companionBits(companions: readonly Companion[]): number {
  return companions.reduce((bits, companion) => bits | (1 << COMPANIONS.indexOf(companion)), 0);
}

/** The companions that the animal is good with. */
export function companionsOf({ goodWith = {} }: Profile): Companion[] {
  return COMPANIONS.filter((companion) => goodWith[companion] === "yes");
}

/** From the youngest; an animal has the first group whose age it has not reached. */
const AGES = [
  { group: "baby", underMonths: 6 },
  { group: "young", underMonths: 24 },
  { group: "adult", underMonths: 108 },
] as const;
export const AGE_GROUPS = ["baby", "young", "adult", "senior"] as const;
export type AgeGroup = (typeof AGE_GROUPS)[number];

/** An animal that was born after the day of a group is in this group or a younger one. */
export type AgeBounds = [baby: string, young: string, adult: string];

/** The bounds of the last day: an import needs them for every animal. */
let remembered: { dayNumber: number; bounds: AgeBounds } | undefined;

/** On the UTC day of `nowMs`. Age is derived whenever a listing is read, and never stored. */
export function ageBoundsAt(nowMs: number): AgeBounds {
  const dayNumber = Math.floor(nowMs / DAY_MS);
  if (remembered?.dayNumber !== dayNumber) {
    const bounds = AGES.map(({ underMonths }) => monthsBefore(dayOf(nowMs), underMonths)) as AgeBounds;
    remembered = { dayNumber, bounds };
  }
  return remembered.bounds;
}

/** Dates of the same form compare as text. Undefined for an animal without a date of birth. */
export function ageGroupOf({ bornOn }: Profile, nowMs: number): AgeGroup | undefined {
  if (bornOn === undefined) return undefined;
  const index = ageBoundsAt(nowMs).findIndex((bound) => bornOn > bound);
  return AGE_GROUPS.at(index);
}

/** The externalId that a row of a file gives its animal. Undefined for an animal that is added in any case. */
export function externalIdOf({
  profile,
}: {
  profile?: { externalId?: string | null | undefined } | undefined;
}): string | undefined {
  return profile?.externalId?.trim();
}
