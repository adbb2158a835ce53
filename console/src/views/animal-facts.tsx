// What the profile of an animal says, as a list of facts; used on the page and on the kennel card.

import type { ComponentChildren } from "preact";
import type { Listing, Profile } from "../../../client/src/client.ts";
import { categoryName } from "../state/category-names.ts";
import { formatAge, formatDay, formatMoney } from "../state/format.ts";
import { t } from "../texts/language.ts";

export type Fact = [label: string, value: ComponentChildren];

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

export function FactList({ facts }: { facts: Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** In the order in which people ask. Members that are missing are left out. */
export function factsOf({ profile, categoryId, ageGroup }: Listing): Fact[] {
  const texts = t().profile;
  const { species, sex, size, coat, bornOn, fee, colors = [], tags = [] } = profile;
  const facts: Array<[string, ComponentChildren | undefined]> = [
    [t().animal.category, categoryName(categoryId) ?? String(categoryId)],
    [texts.species, species && t().species[species]],
    [texts.breeds, breedOf(profile)],
    [
      texts.age,
      bornOn && `${formatAge(bornOn, Date.now())}${profile.bornIsEstimated ? texts.estimated : ""}`,
    ],
    [texts.ageGroup, ageGroup && t().ageGroup[ageGroup]],
    [texts.sex, sex && t().sex[sex]],
    [texts.size, size && t().size[size]],
    [texts.colors, colors.length > 0 ? colors.join(", ") : undefined],
    [texts.coat, coat && t().coat[coat]],
    [texts.goodWith, goodWithOf(profile)],
    ...(["neutered", "vaccinated", "houseTrained", "specialNeeds"] as const).map(
      (member): Fact => [texts[member], profile[member] && t().yesNo[profile[member]]],
    ),
    [texts.feeAmount, fee && formatMoney(fee)],
    [texts.arrivedOn, profile.arrivedOn && formatDay(profile.arrivedOn)],
    [texts.tags, tags.length > 0 ? tags.join(", ") : undefined],
    [texts.externalId, profile.externalId],
  ];
  return facts.filter(([, value]) => value !== undefined && value !== "");
}

function breedOf({ breeds = [], mixed }: Profile): string | undefined {
  const named = breeds.join(" / ");
  if (mixed !== true) return named || undefined;
  return named === "" ? t().profile.mixedBreed : `${named} (${t().profile.mixedBreed})`;
}

/** "Children: yes, cats: no". */
function goodWithOf({ goodWith = {} }: Profile): string | undefined {
  const { children, dogs, cats } = goodWith;
  const stated = Object.entries({ children, dogs, cats }).flatMap(([whom, answer]) =>
    answer === undefined ? [] : [`${t().profile.whom[whom as "children"]}: ${t().yesNo[answer]}`],
  );
  return stated.length > 0 ? stated.join(", ") : undefined;
}
