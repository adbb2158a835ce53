// An animal as the public sees it, and its facts in words.

import type { ListedPhoto } from "../domain/animals/listed-photo.ts";
import { type Listing, listingJson } from "../domain/animals/listing.ts";
import type { PetStatus } from "../domain/animals/pet.ts";
import type { Profile } from "../domain/animals/profile.ts";
import { DAY_MS } from "../domain/basics/durations.ts";
import type { Texts } from "./texts.ts";

/** Without `externalId` and `custom`, which the public never sees. */
type PublicProfile = Omit<Profile, "externalId" | "custom">;

export interface Animal {
  id: number;
  name: string;
  status: PetStatus;
  profile: PublicProfile;
  /** Their addresses are paths. */
  photos: ListedPhoto[];
  shelter: { id: number; name: string; city?: string };
  createdAt: string;
  updatedAt: string;
}

type ListingJson = Omit<Animal, "profile"> & { profile: Profile };

/** From the JSON of listings. */
export function readAnimals(json: string): Animal[] {
  return (JSON.parse(json) as ListingJson[]).map(publish);
}

export function toAnimal(listing: Listing, view: { nowMs: number; publicUrl: string }): Animal {
  return publish(JSON.parse(listingJson(listing, view)));
}

function publish({ id, name, status, profile, photos, shelter, createdAt, updatedAt }: ListingJson): Animal {
  const { externalId, custom, ...shown } = profile;
  return { id, name, status, profile: shown, photos, shelter, createdAt, updatedAt };
}

/** "Beagle mix", "European Shorthair / Siamese", "mixed breed". Undefined if nothing is known. */
export function breedOf({ breeds = [], mixed }: PublicProfile, texts: Texts): string | undefined {
  const named = breeds.join(" / ");
  if (mixed) return texts.mix(named);
  return named === "" ? undefined : named;
}

/** "about 3 years", "5 months", "2 weeks". Undefined for an animal without a date of birth. */
export function ageOf(
  { bornOn, bornIsEstimated }: PublicProfile,
  texts: Texts,
  nowMs: number,
): string | undefined {
  if (bornOn === undefined) return undefined;
  const days = Math.max(0, Math.floor((nowMs - Date.parse(bornOn)) / DAY_MS));
  const age = ageInWords(days, texts);
  return bornIsEstimated ? texts.estimated(age) : age;
}

function ageInWords(days: number, { weeks, months, years }: Texts): string {
  if (days >= 730) return years(Math.floor(days / 365.25));
  return days >= 60 ? months(Math.floor(days / 30.44)) : weeks(Math.floor(days / 7));
}

/** The line of a card: breed or species, sex, age and size, as far as they are known. */
export function summarise({ profile }: Animal, texts: Texts, nowMs: number): string[] {
  const { species, sex, size } = profile;
  const kind = breedOf(profile, texts) ?? (species && texts.species[species]);
  return [
    kind,
    sex && sex !== "unknown" && texts.sex[sex],
    ageOf(profile, texts, nowMs),
    size && texts.size[size],
  ].filter((each) => typeof each === "string");
}

/** What families ask before they adopt, in their order of importance. */
export function listFacts(animal: Animal, texts: Texts, nowMs: number): Array<[label: string, fact: string]> {
  const { profile } = animal;
  const { species, sex, size, coat, goodWith = {}, colors = [], tags = [], fee, arrivedOn } = profile;
  const { labels, answers } = texts;
  const answer = (value: keyof typeof answers | undefined) => value && answers[value];
  const facts = [
    [labels.species, species && texts.species[species]],
    [labels.breed, breedOf(profile, texts)],
    [labels.sex, sex && texts.sex[sex]],
    [labels.age, ageOf(profile, texts, nowMs)],
    [labels.size, size && texts.size[size]],
    [labels.children, answer(goodWith.children)],
    [labels.dogs, answer(goodWith.dogs)],
    [labels.cats, answer(goodWith.cats)],
    [labels.neutered, answer(profile.neutered)],
    [labels.vaccinated, answer(profile.vaccinated)],
    [labels.houseTrained, answer(profile.houseTrained)],
    [labels.specialNeeds, answer(profile.specialNeeds)],
    [labels.fee, fee && formatMoney(fee, texts)],
    [labels.color, colors.join(", ")],
    [labels.coat, coat && texts.coat[coat]],
    [labels.arrived, arrivedOn && formatDay(arrivedOn, texts)],
    [labels.tags, tags.join(", ")],
    [labels.number, String(animal.id)],
  ] as Array<[string, string | undefined]>;
  return facts.filter((each): each is [string, string] => each[1] !== undefined && each[1] !== "");
}

function formatDay(day: string, { locale }: Texts): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(Date.parse(day));
}

/** `amount` is in minor units. */
function formatMoney({ amount, currency }: { amount: number; currency: string }, { locale }: Texts): string {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
