// The people who work with the store, and their invitations, for admins.

import { useSignal } from "@preact/signals";
import type { Person } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List } from "../shared/parts/list.tsx";
import { phoneColumns } from "../shared/parts/phone-row.tsx";
import { SearchBox } from "../shared/parts/search-box.tsx";
import { formatCount } from "../shared/state/format.ts";
import { type Loaded, useLoaded } from "../shared/state/loading.ts";
import { ensureShelters } from "../shared/state/own-shelter.ts";
import { queryValue, setFilter } from "../shared/state/place.ts";
import { READ_MAX } from "../shared/state/read-all.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { Invitations } from "./invitations.tsx";
import { Invite } from "./invite.tsx";
import { NameYourself } from "./name-yourself.tsx";
import { PersonRow, PhonePersonRow } from "./person-row.tsx";
import { isEnded, type ReadPeople, readPeople } from "./read-people.ts";
import { Unnamed } from "./unnamed.tsx";
import { useRefreshes } from "./use-refreshes.ts";

export function People() {
  const isInviting = useSignal(false);
  const loaded = useLoaded((signal) => {
    void ensureShelters().catch(() => {});
    return readPeople(signal);
  }, []);
  useRefreshes(loaded);
  /** Another value after each change of an invitation. */
  const changed = useSignal(0);
  const texts = later().people;
  return (
    <>
      <Head title={t().placeNames.people}>
        <Button kind="primary" label={texts.invite} onClick={() => (isInviting.value = true)} />
      </Head>
      <Unnamed Dialog={NameYourself} />
      <PeopleList loaded={loaded} onInvite={() => (isInviting.value = true)} />
      {/* After the list above it, which would move it. */}
      {(loaded.data.value ?? loaded.failure.value) !== undefined && <Invitations changed={changed.value} />}
      {isInviting.value && (
        <Invite
          onClose={() => {
            isInviting.value = false;
            changed.value += 1;
          }}
        />
      )}
    </>
  );
}

interface PeopleListProps {
  loaded: Loaded<ReadPeople>;
  onInvite: () => void;
}

function PeopleList({ loaded, onInvite }: PeopleListProps) {
  const showsEnded = useSignal(false);
  const q = queryValue("q") ?? "";
  const texts = later().people;
  const { items = [], isCut = false } = loaded.data.value ?? {};
  const found = items.filter(({ name }) => name.toLocaleLowerCase().includes(q.toLocaleLowerCase()));
  const ended = found.filter(isEnded).length;
  const isHidden = (person: Person) => !found.includes(person) || (isEnded(person) && !showsEnded.value);
  return (
    <>
      <search class="filters">
        <SearchBox
          label={texts.search}
          value={q}
          onSearch={(text) => setFilter({ q: text }, { isReplacing: true })}
        />
      </search>
      {isCut && <p class="quiet">{texts.isCut(formatCount(READ_MAX))}</p>}
      <List
        loaded={loaded}
        label={t().placeNames.people}
        className="people-list"
        columns={[
          t().common.name,
          t().keys.access,
          ...(hasSeveralShelters() ? [t().shelters.one] : []),
          texts.devices,
          texts.lastSeen,
          texts.since,
        ]}
        empty={q === "" ? <Nobody onInvite={onInvite} /> : <NothingFound q={q} />}
        filter={(person) => !isHidden(person)}
        row={(person) => <PersonRow key={String(person.id)} person={person} />}
        phone={{
          columns: phoneColumns({
            name: t().common.name,
            state: t().keys.state,
            kind: t().keys.access,
            also: texts.lastSeen,
          }),
          row: (person) => <PhonePersonRow key={String(person.id)} person={person} />,
        }}
      />
      {ended > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={showsEnded.value}
            onChange={({ currentTarget }) => (showsEnded.value = currentTarget.checked)}
          />
          {texts.showEnded(formatCount(ended))}
        </label>
      )}
    </>
  );
}

function Nobody({ onInvite }: { onInvite: () => void }) {
  const texts = later().people;
  return (
    <>
      <p>
        <strong>{texts.nobody}</strong>
        <br />
        {texts.about}
      </p>
      <Button kind="primary" label={texts.invite} onClick={onInvite} />
    </>
  );
}

function NothingFound({ q }: { q: string }) {
  const texts = later().people;
  return (
    <>
      <p>{texts.nothingFound(q)}</p>
      <Button label={texts.showAll} onClick={() => setFilter({ q: undefined })} />
    </>
  );
}
