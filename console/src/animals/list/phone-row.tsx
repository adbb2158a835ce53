// One animal of the list on a phone: the whole row is one target, which opens its page, or selects it while animals are selected.

import type { Listing } from "../../../../client/src/client.ts";
import { Facts } from "../../shared/parts/facts.tsx";
import { PetLink } from "../../shared/parts/pet-link.tsx";
import { Thumbnail } from "../../shared/parts/thumbnail.tsx";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import { ageOf, describeKind, findFurtherCategory } from "./animal-words.ts";

interface PhoneRowProps {
  pet: Listing;
  /** Whether a touch selects the animal. */
  isSelecting: boolean;
  isSelected: boolean;
  onSelect: (isOn: boolean) => void;
}

export function PhoneRow({ pet, isSelecting, isSelected, onSelect }: PhoneRowProps) {
  const isOffered = isSelecting && mayChange("updatePet", pet);
  const known = [...describeKind(pet), ageOf(pet)].filter((fact) => fact !== undefined);
  const category = findFurtherCategory(pet);
  const shelter = hasSeveralShelters() ? pet.shelter.name : undefined;
  // Without a kind and an age, the category takes their line.
  const [kind, others] = known.length > 0 ? [known, [category]] : [[category], []];
  return (
    <tr class={isSelected ? "selected" : undefined}>
      {isSelecting && (
        <td class="select">
          {isOffered && (
            <label>
              <input
                type="checkbox"
                aria-label={t().bulk.select(pet.name)}
                checked={isSelected}
                onClick={({ currentTarget }) => onSelect(currentTarget.checked)}
              />
            </label>
          )}
        </td>
      )}
      <td class="photo">
        <Thumbnail animal={pet} />
      </td>
      <th scope="row">{isSelecting ? <bdi>{pet.name}</bdi> : <PetLink pet={pet} />}</th>
      <td class="state">
        <span class={`status ${pet.status}`}>{t().petStatus[pet.status]}</span>
      </td>
      <td class="kind">
        <Facts facts={kind} />
      </td>
      <td class="also">
        <Facts facts={[t().common.numbered(String(pet.id)), ...others, shelter]} />
      </td>
    </tr>
  );
}
