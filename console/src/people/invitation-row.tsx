// One invitation of the list, with what can be done with it.

import type { Invitation } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import type { MenuItem } from "../shared/parts/menu.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { PhoneRow } from "../shared/parts/phone-row.tsx";
import { hrefOf } from "../shared/state/place.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { accessWords, shelterWords } from "./people-words.ts";

interface InvitationRowProps {
  invitation: Invitation;
  onRevoke: () => void;
  onRenew: () => void;
}

export function InvitationRow({ invitation, onRevoke, onRenew }: InvitationRowProps) {
  const { name, access, status, createdAt, expiresAt, acceptedAt } = invitation;
  const texts = later().people;
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
        {isOtherDevice(invitation) && <small> {texts.otherDeviceOf}</small>}
      </th>
      <td data-label={t().keys.access}>{accessWords(access)}</td>
      {hasSeveralShelters() && (
        <td data-label={t().shelters.one}>
          <bdi>{shelterWords(invitation)}</bdi>
        </td>
      )}
      <td data-label={texts.created}>
        <Moment at={createdAt} />
      </td>
      <td data-label={texts.ends[status]}>
        <Moment at={acceptedAt ?? expiresAt} isAhead={status === "open"} />
      </td>
      <td class="actions">
        {mayRenew(invitation) && <Button label={texts.renew} name={texts.renewOne(name)} onClick={onRenew} />}
        {status === "open" && (
          <Button label={texts.withdraw} name={texts.withdrawOne(name)} onClick={onRevoke} />
        )}
      </td>
    </tr>
  );
}

/** A touch opens the person who has accepted it, and otherwise a menu. */
export function PhoneInvitationRow({ invitation, onRevoke, onRenew }: InvitationRowProps) {
  const { name, access, status, personId, createdAt, expiresAt, acceptedAt } = invitation;
  const texts = later().people;
  const isAccepted = status === "accepted" && personId !== undefined;
  const items: MenuItem[] = [
    ...(mayRenew(invitation) ? [{ label: texts.renew, onChoose: onRenew }] : []),
    ...(status === "open" ? [{ label: texts.withdraw, kind: "danger", onChoose: onRevoke }] : []),
  ];
  return (
    <PhoneRow
      name={isAccepted ? <a href={hrefOf("people", String(personId))}>{name}</a> : <bdi>{name}</bdi>}
      facts={[
        accessWords(access),
        hasSeveralShelters() && shelterWords(invitation),
        isOtherDevice(invitation) && texts.otherDeviceOf,
      ]}
      others={[
        <>
          {texts.ends[status]} <Moment at={acceptedAt ?? expiresAt} isAhead={status === "open"} />
        </>,
        <>
          {texts.created} <Moment at={createdAt} />
        </>,
      ]}
      menu={{ name: t().animals.actionsFor(name), items }}
    />
  );
}

/** For another device of a person who already works here. */
function isOtherDevice({ personId, status }: Invitation): boolean {
  return personId !== undefined && status !== "accepted";
}

function mayRenew({ status }: Invitation): boolean {
  return status === "open" || status === "expired";
}
