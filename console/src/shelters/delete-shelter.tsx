// The question before a shelter is deleted.

import type { Shelter } from "../../../client/src/client.ts";
import { Confirm } from "../shared/parts/confirm.tsx";
import { leaveFor } from "../shared/state/leaving.ts";
import { notify } from "../shared/state/notices.ts";
import { reloadShelters } from "../shared/state/own-shelter.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { hrefOf } from "../shared/state/place.ts";
import { ask } from "../shared/state/session.ts";
import { FIRST_SHELTER } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

/** The first shelter stays: animals need one. */
export function mayDelete({ id }: Shelter): boolean {
  return isAllowed("deleteShelter") && String(id) !== String(FIRST_SHELTER.id);
}

interface DeleteShelterProps {
  shelter: Shelter;
  onClose: () => void;
}

export function DeleteShelter({ shelter, onClose }: DeleteShelterProps) {
  const texts = t().shelters;

  async function remove(signal: AbortSignal): Promise<void> {
    await ask((client) => client.deleteShelter(shelter.id, { signal }));
    notify(later().webhooks.deleted(shelter.name));
    // From its page, which is gone.
    leaveFor(hrefOf("shelters"));
    await reloadShelters();
  }

  return (
    <Confirm
      title={later().webhooks.deleteTitle(shelter.name)}
      action={later().webhooks.deletePermanently}
      onConfirm={remove}
      onClose={onClose}
    >
      {texts.deleteHint}
    </Confirm>
  );
}
