// One animal of the list on a phone: a touch opens its page, or selects it while animals are selected.

import type { Listing } from "../../../../client/src/client.ts";
import { PetLink } from "../../shared/parts/pet-link.tsx";
import { PhoneRow } from "../../shared/parts/phone-row.tsx";
import { Thumbnail } from "../../shared/parts/thumbnail.tsx";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import { ageOf, describeKind, findFurtherCategory } from "./animal-words.ts";

interface PhoneAnimalRowProps {
  pet: Listing;
  /** Whether a touch selects the animal. */
  isSelecting: boolean;
  isSelected: boolean;
  onSelect: (isOn: boolean) => void;
}

export function PhoneAnimalRow({ pet, isSelecting, isSelected, onSelect }: PhoneAnimalRowProps) {
  const known = [...describeKind(pet), ageOf(pet)].filter((fact) => fact !== undefined);
  const category = findFurtherCategory(pet);
  const shelter = hasSeveralShelters() ? pet.shelter.name : undefined;
  // Without a kind and an age, the category takes their line.
  const [facts, others] = known.length > 0 ? [known, [category]] : [[category], []];
  const box = isSelecting && mayChange("updatePet", pet) && (
    <label>
      <input
        type="checkbox"
        aria-label={t().bulk.select(pet.name)}
        checked={isSelected}
        onClick={({ currentTarget }) => onSelect(currentTarget.checked)}
      />
    </label>
  );
  return (
    <PhoneRow
      select={isSelecting ? box : undefined}
      isSelected={isSelected}
      photo={<Thumbnail animal={pet} />}
      name={isSelecting ? <bdi>{pet.name}</bdi> : <PetLink pet={pet} />}
      state={<span class={`status ${pet.status}`}>{t().petStatus[pet.status]}</span>}
      facts={facts}
      others={[t().common.numbered(String(pet.id)), ...others, shelter]}
    />
  );
}
