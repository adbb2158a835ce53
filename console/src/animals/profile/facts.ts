// What is known about an animal, in words: as a list of facts, a line, or chips.

import type { Listing, Profile } from "../../../../client/src/client.ts";
import type { Fact } from "../../shared/parts/fact-list.tsx";
import { categoryName } from "../../shared/state/category-names.ts";
import { capitalise, formatAge, formatDay, formatMoney } from "../../shared/state/format.ts";
import { serviceNowMs } from "../../shared/state/server-clock.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import { toFields } from "./profile-fields.ts";
import { ANSWERS } from "./sections.ts";

export function factsOf(listing: Listing): Fact[] {
  const texts = t().profile;
  const { profile, ageGroup } = listing;
  return [
    ...factsForVisitors(listing),
    ...stated([
      [texts.ageGroup, ageGroup && t().ageGroup[ageGroup]],
      [texts.tags, profile.tags?.join(", ")],
      [texts.externalId, profile.externalId],
      ...Object.entries(profile.custom ?? {}),
    ]),
  ];
}

/** In the order in which people ask. */
export function factsForVisitors({ profile, categoryId, ...listing }: Listing): Fact[] {
  const texts = t().profile;
  const { species, sex, size, coat, bornOn, fee, colors, arrivedOn } = profile;
  const estimated = profile.bornIsEstimated ? texts.estimated : "";
  return stated([
    [t().common.category, categoryName(categoryId) ?? listing.categoryName ?? String(categoryId)],
    [texts.species, species && t().species[species]],
    [texts.breeds, breedOf(profile)],
    [texts.age, bornOn && `${formatAge(bornOn, Date.now())}${estimated}`],
    [texts.bornOn, bornOn && `${formatDay(bornOn)}${estimated}`],
    [texts.sex, sex && t().sex[sex]],
    [texts.size, size && t().size[size]],
    [texts.colors, colors?.join(", ")],
    [texts.coat, coat && t().coat[coat]],
    [texts.goodWith, goodWithOf(profile)],
    ...(["neutered", "vaccinated", "houseTrained", "specialNeeds"] as const).map(
      (member): Fact => [texts[member], profile[member] && t().yesNo[profile[member]]],
    ),
    [texts.feeAmount, fee && formatMoney(fee)],
    [texts.arrivedOn, arrivedOn && formatDay(arrivedOn)],
  ]);
}

function stated(facts: Fact[]): Fact[] {
  return facts.filter(([, value]) => value !== undefined && value !== "");
}

/** The line of a card: breed or species, sex, age and size, as far as they are known. */
export function summarise({ profile }: Listing): string {
  const { species, sex, size, bornOn } = profile;
  const facts = [
    breedOf(profile) ?? (species && t().species[species]),
    sex && sex !== "unknown" && t().sex[sex],
    bornOn && formatAge(bornOn, Date.now()),
    size && t().size[size],
  ];
  return facts.filter(Boolean).join(" · ");
}

/** The line below the name: age, sex, and breed or species. */
export function identityOf({ profile }: Listing): string[] {
  const { species, sex, bornOn, bornIsEstimated } = profile;
  const age = bornOn && formatAge(bornOn, serviceNowMs());
  return [
    age && bornIsEstimated ? t().animals.about(age) : age,
    sex && sex !== "unknown" && t().sex[sex],
    breedOf(profile) ?? (species && t().species[species]),
  ].filter((fact) => typeof fact === "string");
}

export interface Chip {
  text: string;
  /** Its class: missing where it is neither good nor bad. */
  kind?: "yes" | "no" | "unknown" | "note";
}

/** What visitors ask first: its looks, whom it gets along with, its health, and its tags. */
export function chipsOf({ profile }: Listing): Chip[] {
  const { size, coat, colors = [], tags = [] } = profile;
  const looks = [
    size && t().size[size],
    coat && `${t().profile.coat}: ${t().coat[coat].toLowerCase()}`,
    colors.join(", "),
  ];
  const fields = toFields(profile);
  const answers = ANSWERS.flatMap((member): Chip[] => {
    const answer = fields[member] as "yes" | "no" | "unknown" | "";
    if (answer === "") return [];
    const text = {
      yes: t().profile[member],
      no: later().notSo[member],
      unknown: `${t().profile[member]}: ${t().yesNo.unknown.toLowerCase()}`,
    }[answer];
    if (member !== "specialNeeds") return [{ text, kind: answer }];
    return [answer === "yes" ? { text, kind: "note" } : { text }];
  });
  const plain = (texts: Array<string | undefined>) =>
    texts.filter((text) => text !== undefined && text !== "").map((text): Chip => ({ text: text as string }));
  return [...plain(looks), ...answers, ...plain([...new Set(tags)])];
}

/** What the shelter keeps for itself, and the fee. */
export function recordsOf({ profile }: Listing): Fact[] {
  const texts = t().profile;
  const { arrivedOn, bornOn, fee, externalId, custom = {} } = profile;
  return stated([
    [texts.arrivedOn, arrivedOn && formatDay(arrivedOn)],
    [texts.bornOn, bornOn && `${formatDay(bornOn)}${profile.bornIsEstimated ? texts.estimated : ""}`],
    [texts.feeAmount, fee && formatMoney(fee)],
    [texts.externalId, externalId],
    ...Object.entries(custom),
  ]);
}

function breedOf({ breeds = [], mixed }: Profile): string | undefined {
  const named = breeds.join(" / ");
  if (mixed !== true) return named || undefined;
  return named === "" ? t().profile.mixedBreed : `${named} (${t().profile.mixedBreed})`;
}

/** "Children: yes, cats: no". */
function goodWithOf({ goodWith = {} }: Profile): string | undefined {
  const { children, dogs, cats } = goodWith;
  const answers = Object.entries({ children, dogs, cats }).flatMap(([whom, answer]) =>
    answer === undefined
      ? []
      : [`${t().profile.whom[whom as "children"]}: ${t().yesNo[answer].toLowerCase()}`],
  );
  return answers.length > 0 ? capitalise(answers.join(", ")) : undefined;
}
