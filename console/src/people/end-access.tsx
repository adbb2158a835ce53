// Ends the access of a person, after a confirmation that says what happens.

import type { Person } from "../../../client/src/client.ts";
import { Confirm } from "../shared/parts/confirm.tsx";
import { notify } from "../shared/state/notices.ts";
import { ask, dropSession } from "../shared/state/session.ts";
import { later } from "../shared/texts/pages.ts";
import { isOwnPerson } from "./read-people.ts";

interface EndAccessProps {
  person: Person;
  onEnded: () => Promise<void>;
  onClose: () => void;
}

export function EndAccess({ person, onEnded, onClose }: EndAccessProps) {
  const texts = later().people;
  const isOwn = isOwnPerson(person);

  async function end(signal: AbortSignal): Promise<void> {
    await ask((client) => client.endPerson(person.id, { signal }));
    if (isOwn) return dropSession(texts.ownEnded);
    notify(texts.ended(person.name));
    await onEnded();
  }

  return (
    <Confirm
      title={texts.endTitle(person.name)}
      action={texts.endAction}
      keepLabel={texts.keepAccess}
      phrase={isOwn ? person.name : undefined}
      onConfirm={end}
      onClose={onClose}
    >
      {texts.endHint(person.name)}
      {isOwn && <strong> {texts.endOwnHint}</strong>}
    </Confirm>
  );
}
