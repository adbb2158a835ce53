// The profile of an animal as a list of facts, for the page and the kennel card.

import type { Listing, Profile } from "../../../../client/src/client.ts";
import { type Fact, FactList } from "../../shared/parts/fact-list.tsx";
import { categoryName } from "../../shared/state/category-names.ts";
import { capitalise, formatAge, formatDay, formatMoney } from "../../shared/state/format.ts";
import { t } from "../../shared/texts/language.ts";

export function AnimalFacts({ listing }: { listing: Listing }) {
  const { description } = listing.profile;
  return (
    <section aria-labelledby="profile">
      <h2 id="profile">{t().animal.profile}</h2>
      <FactList facts={factsOf(listing)} />
      {description !== undefined && (
        <p class="description" dir="auto">
          {description}
        </p>
      )}
    </section>
  );
}

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
