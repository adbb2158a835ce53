// An animal as the public sees it, and its facts in words.

import type { ListedPhoto } from "../domain/animals/listed-photo.ts";
import { type Listing, listingJson } from "../domain/animals/listing.ts";
import type { PetStatus } from "../domain/animals/pet.ts";
import type { Answer, Profile } from "../domain/animals/profile.ts";
import { describeAge } from "../domain/animals/words.ts";
import { isVisible } from "../domain/basics/text.ts";
import { html, isolate, type Markup } from "./html.ts";
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
export function readAnimals(json: string, texts: Texts): Animal[] {
  return (JSON.parse(json) as ListingJson[]).map((each) => publish(each, texts));
}

export function toAnimal(
  listing: Listing,
  { texts, ...view }: { texts: Texts; nowMs: number; publicUrl: string },
): Animal {
  return publish(JSON.parse(listingJson(listing, view)), texts);
}

function publish(listing: ListingJson, texts: Texts): Animal {
  const { id, status, profile, photos, shelter, createdAt, updatedAt } = listing;
  const { externalId, custom, ...shown } = profile;
  const name = nameOf(listing, texts);
  return { id, name, status, profile: shown, photos, shelter, createdAt, updatedAt };
}

/** The number of an animal whose name nobody can see. */
export function nameOf({ name, id }: { name: string; id: number | bigint }, texts: Texts): string {
  return isVisible(name) ? name : texts.numbered(id);
}

/** Our words, and texts of staff, whose direction must not change the words beside them. */
export type Fact = ReadonlyArray<string | { own: string }>;

export function factText(fact: Fact): string {
  return fact.map((part) => (typeof part === "string" ? part : part.own)).join("");
}

export function factMarkup(fact: Fact): Markup {
  return html`${fact.map((part) => (typeof part === "string" ? part : isolate(part.own)))}`;
}

function listOwn(texts: string[], separator: string): Fact {
  return texts.flatMap((own, index) => (index === 0 ? [{ own }] : [separator, { own }]));
}

/** "Beagle mix", "European Shorthair / Siamese", "mixed breed". Empty if nothing is known. */
export function breedOf({ breeds = [], mixed }: PublicProfile, texts: Texts): Fact {
  if (breeds.length === 0) return mixed ? [texts.mixed] : [];
  return [...listOwn(breeds, " / "), mixed ? texts.mix : ""];
}

/** "about 3 years", "5 months", "2 weeks". Undefined for an animal without a date of birth. */
export function ageOf(
  { bornOn, bornIsEstimated }: PublicProfile,
  texts: Texts,
  nowMs: number,
): string | undefined {
  if (bornOn === undefined) return undefined;
  const age = describeAge(bornOn, nowMs, texts);
  return bornIsEstimated ? `${texts.about} ${age}` : age;
}

/** The line of a card: breed or species, sex, age and size, as far as they are known. */
export function summarise({ profile }: Animal, texts: Texts, nowMs: number): Fact[] {
  const { species, sex, size } = profile;
  const breed = breedOf(profile, texts);
  const others = [
    breed.length === 0 && species && texts.species[species],
    sex && sex !== "unknown" && texts.sex[sex],
    ageOf(profile, texts, nowMs),
    size && texts.size[size],
  ].filter((each) => typeof each === "string");
  return [breed, ...others.map((each) => [each])].filter((fact) => fact.length > 0);
}

/** `answer` is given where yes is the better one. */
type LabelledFact = [label: string, fact: Fact, answer?: Answer | undefined];

/** What families ask before they adopt, in their order of importance. */
export function listFacts(animal: Animal, texts: Texts, nowMs: number): LabelledFact[] {
  const { profile } = animal;
  const {
    species,
    sex,
    size,
    coat,
    goodWith = {},
    colors = [],
    tags = [],
    fee,
    arrivedOn,
    specialNeeds,
  } = profile;
  const { labels, answers } = texts;
  const answered = (label: string, answer?: Answer) => [label, answer && answers[answer], answer];
  const facts = [
    [labels.species, species && texts.species[species]],
    [labels.breeds, breedOf(profile, texts)],
    [labels.sex, sex && texts.sex[sex]],
    [labels.age, ageOf(profile, texts, nowMs)],
    [labels.size, size && texts.size[size]],
    answered(labels.goodWithChildren, goodWith.children),
    answered(labels.goodWithDogs, goodWith.dogs),
    answered(labels.goodWithCats, goodWith.cats),
    answered(labels.neutered, profile.neutered),
    answered(labels.vaccinated, profile.vaccinated),
    answered(labels.houseTrained, profile.houseTrained),
    [labels.specialNeeds, specialNeeds && answers[specialNeeds]],
    [labels.fee, fee && formatMoney(fee, texts)],
    [labels.color, listOwn(colors, ", ")],
    [labels.coat, coat && texts.coat[coat]],
    [labels.arrived, arrivedOn && formatDay(arrivedOn, texts)],
    [labels.tags, listOwn(tags, ", ")],
    [labels.number, String(animal.id)],
  ] as Array<[string, string | Fact | undefined, Answer?]>;
  return facts
    .map(
      ([label, fact = [], answer]): LabelledFact => [label, typeof fact === "string" ? [fact] : fact, answer],
    )
    .filter(([, fact]) => fact.length > 0);
}

function formatDay(day: string, { locale }: Texts): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(Date.parse(day));
}

/** `amount` is in minor units. */
function formatMoney({ amount, currency }: { amount: number; currency: string }, { locale }: Texts): string {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
