// The words of an animal's row: kind, age, and the category if it says more than the kind.

import type { Listing } from "../../../../client/src/client.ts";
import { formatAge } from "../../shared/state/format.ts";
import { serviceNowMs } from "../../shared/state/server-clock.ts";
import { t } from "../../shared/texts/language.ts";

/** Endings of plurals, in English and German. */
const PLURALS = ["", "s", "es", "e", "n", "en", "er", "ien"];

export function ageOf({ profile: { bornOn, bornIsEstimated } }: Listing): string | undefined {
  if (bornOn === undefined) return undefined;
  const age = formatAge(bornOn, serviceNowMs());
  return bornIsEstimated ? t().animals.about(age) : age;
}

/** Species and breeds, as far as they are known. */
export function describeKind({ profile }: Listing): string[] {
  const { species, breeds = [], mixed } = profile;
  const breed = breeds.join(" × ");
  return [
    ...(species === undefined ? [] : [t().species[species]]),
    ...(breed === "" ? [] : [mixed ? `${breed} (${t().animals.mixed})` : breed]),
  ];
}

/** Undefined if the category only repeats the species or the breed, such as "Dogs" for a dog. */
export function findFurtherCategory({ categoryId, categoryName, profile }: Listing): string | undefined {
  if (categoryName === undefined) return t().animals.categoryNumbered(String(categoryId));
  const { species, breeds = [] } = profile;
  const kinds = species === undefined ? breeds : [species.replace("_", " "), t().species[species], ...breeds];
  return kinds.some((kind) => isPluralOf(categoryName, kind)) ? undefined : categoryName;
}

/** The same word, or its plural. Umlauts are ignored: "Vögel" is the plural of "Vogel". */
function isPluralOf(plural: string, word: string): boolean {
  const [one, other] = [fold(plural), fold(word)];
  return PLURALS.some((ending) => one === other + ending) || one === other.replace(/y$/, "ies");
}

function fold(text: string): string {
  return text.trim().normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
