// One animal of the list: where it may go from its status, and what else can be done with it.

import type { Pet, PetStatus } from "../../../client/src/client.ts";
import { categoryName } from "../state/category-names.ts";
import { capitalise } from "../state/format.ts";
import { may } from "../state/session.ts";
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
        {may("updatePet") ? (
          <StatusSelect pet={pet} onMove={onMove} />
        ) : (
          <span class={`status ${pet.status}`}>{capitalise(pet.status)}</span>
        )}
      </td>
      <td class="actions">
        {may("createOrder") && pet.status === "available" && (
          <button type="button" aria-label={`Order ${pet.name}`} onClick={onOrder}>
            Order
          </button>
        )}
        {may("updatePet") && (
          <button type="button" aria-label={`Edit ${pet.name}`} onClick={onEdit}>
            Edit
          </button>
        )}
        {may("deletePet") && (
          <button type="button" aria-label={`Delete ${pet.name}`} onClick={onDelete}>
            Delete
          </button>
        )}
      </td>
    </tr>
  );
}
