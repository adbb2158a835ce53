// One animal of the list, with its status and its actions.

import type { Listing, PetStatus } from "../../../../client/src/client.ts";
import { Facts } from "../../shared/parts/facts.tsx";
import { Menu, type MenuItem } from "../../shared/parts/menu.tsx";
import { PetLink } from "../../shared/parts/pet-link.tsx";
import { rowLink } from "../../shared/parts/row-link.ts";
import { Thumbnail } from "../../shared/parts/thumbnail.tsx";
import { isOfOthers, mayChange } from "../../shared/state/own-shelter.ts";
import { isAllowed } from "../../shared/state/permissions.ts";
import { hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import { StatusSelect } from "../status-select.tsx";
import { ageOf, findFurtherCategory } from "./animal-words.ts";

interface AnimalRowProps {
  pet: Listing;
  isSelected: boolean;
  /** `isRange` with the shift key. */
  onSelect: (isOn: boolean, isRange: boolean) => void;
  onMove: (to: PetStatus) => void;
  onOrder: () => void;
  onDelete: (event: MouseEvent) => void;
}

export function AnimalRow(props: AnimalRowProps) {
  const { pet, isSelected, onSelect, onMove, onOrder, onDelete } = props;
  const texts = t().animals;
  const category = findFurtherCategory(pet);
  const actions: MenuItem[] = [
    ...(mayChange("createOrder", pet) && pet.status === "available"
      ? [{ label: t().orders.place, onChoose: onOrder }]
      : []),
    ...(mayChange("deletePet", pet)
      ? [{ label: t().common.delete, kind: "danger", onChoose: onDelete }]
      : []),
  ];
  return (
    <tr class={isSelected ? "selected" : undefined} {...rowLink}>
      {isAllowed("updatePet") && (
        <td class="select">
          {mayChange("updatePet", pet) && (
            <input
              type="checkbox"
              aria-label={t().bulk.select(pet.name)}
              checked={isSelected}
              onClick={({ currentTarget, shiftKey }) => onSelect(currentTarget.checked, shiftKey)}
            />
          )}
        </td>
      )}
      <td class="photo">
        <Thumbnail animal={pet} />
      </td>
      <th scope="row">
        <PetLink pet={pet} />
        <small class="number" title={category}>
          <Facts facts={[t().common.numbered(String(pet.id)), category]} />
        </small>
      </th>
      {hasSeveralShelters() && (
        <td class="shelter">
          <bdi title={pet.shelter.name}>{pet.shelter.name}</bdi>
        </td>
      )}
      <td class="kind">
        <Kind pet={pet} />
      </td>
      <td class="age">{ageOf(pet)}</td>
      <td class="state">
        <StatusSelect pet={pet} onMove={onMove} />
      </td>
      <td class="actions">
        {isOfOthers(pet.shelter) && <small>{t().shelters.readOnly}</small>}
        {actions.length > 0 && (
          <Menu name={texts.actionsFor(pet.name)} items={actions}>
            ⋯
          </Menu>
        )}
      </td>
    </tr>
  );
}

/** The breeds, or the species where they are unknown. */
function Kind({ pet: { profile } }: { pet: Listing }) {
  const { species, breeds = [], mixed } = profile;
  const kind = species && t().species[species];
  if (breeds.length === 0) return <>{kind}</>;
  const breed = breeds.join(" × ");
  return (
    <>
      {kind}{" "}
      <small title={breed}>
        <bdi>{breed}</bdi>
        {mixed && ` (${t().animals.mixed})`}
      </small>
    </>
  );
}
