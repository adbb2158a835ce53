// The names of the places in the language of the console.

import type { PlaceName } from "../shared/state/place.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";

export function nameOfPlace(place: PlaceName): string {
  return place === "shelters" && !hasSeveralShelters() ? t().shelters.ours : t().placeNames[place];
}
