// One person of the list. Their page has the rest.

import type { Person } from "../../../client/src/client.ts";
import { EntryLink } from "../shared/parts/entry-link.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { PhoneRow } from "../shared/parts/phone-row.tsx";
import { formatCount, formatDate } from "../shared/state/format.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { accessWords, shelterWords } from "./people-words.ts";
import { isEnded, isOwnPerson } from "./read-people.ts";

export function PersonRow({ person }: { person: Person }) {
  const { access, devices, createdAt, lastUsedAt } = person;
  const texts = later().people;
  return (
    <tr>
      <th scope="row">
        <EntryLink place="people" id={person.id} name={person.name} />
        {isOwnPerson(person) && <small> {texts.you}</small>}
        {isEnded(person) && <small> {texts.states.ended}</small>}
      </th>
      <td data-label={t().keys.access}>{accessWords(access)}</td>
      {hasSeveralShelters() && (
        <td data-label={t().shelters.one}>
          <bdi>{shelterWords(person)}</bdi>
        </td>
      )}
      <td data-label={texts.devices}>{formatCount(devices)}</td>
      <td data-label={texts.lastSeen}>
        <Moment at={lastUsedAt} />
      </td>
      <td data-label={texts.since}>
        <time dateTime={createdAt}>{formatDate(createdAt)}</time>
      </td>
    </tr>
  );
}

export function PhonePersonRow({ person }: { person: Person }) {
  const { access, devices, createdAt, lastUsedAt } = person;
  const texts = later().people;
  return (
    <PhoneRow
      name={<EntryLink place="people" id={person.id} name={person.name} />}
      state={isEnded(person) && <span class="status revoked">{texts.states.ended}</span>}
      facts={[
        isOwnPerson(person) && texts.you,
        accessWords(access),
        hasSeveralShelters() && shelterWords(person),
        `${texts.devices}: ${formatCount(devices)}`,
      ]}
      // "Last seen" changes while the list is open, so it comes last and moves nothing.
      others={[
        <>
          {texts.since} <time dateTime={createdAt}>{formatDate(createdAt)}</time>
        </>,
        <>
          {texts.lastSeen} <Moment at={lastUsedAt} />
        </>,
      ]}
    />
  );
}
