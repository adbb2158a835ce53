// One animal of the list, with its status and its actions.

import type { Pet, PetStatus } from "../../../client/src/client.ts";
import { categoryName } from "../state/category-names.ts";
import { capitalise } from "../state/format.ts";
import { isAllowed } from "../state/session.ts";
import { StatusSelect } from "./status-select.tsx";

interface AnimalRowProps {
  pet: Pet;
  onMove: (to: PetStatus) => void;
  onEdit: () => void;
  onOrder: () => void;
  onDelete: (event: MouseEvent) => void;
}

export function AnimalRow({ pet, onMove, onEdit, onOrder, onDelete }: AnimalRowProps) {
  const category = categoryName(pet.categoryId);
  return (
    <tr>
      <td class="number">{String(pet.id)}</td>
      <th scope="row">{pet.name}</th>
      <td class="beside">{category ?? <span class="quiet">No. {String(pet.categoryId)}</span>}</td>
      <td>
        {isAllowed("updatePet") ? (
          <StatusSelect pet={pet} onMove={onMove} />
        ) : (
          <span class={`status ${pet.status}`}>{capitalise(pet.status)}</span>
        )}
      </td>
      <td class="actions">
        {isAllowed("createOrder") && pet.status === "available" && (
          <button type="button" aria-label={`Order ${pet.name}`} onClick={onOrder}>
            Order
          </button>
        )}
        {isAllowed("updatePet") && (
          <button type="button" aria-label={`Edit ${pet.name}`} onClick={onEdit}>
            Edit
          </button>
        )}
        {isAllowed("deletePet") && (
          <button type="button" aria-label={`Delete ${pet.name}`} onClick={onDelete}>
            Delete
          </button>
        )}
      </td>
    </tr>
  );
}
