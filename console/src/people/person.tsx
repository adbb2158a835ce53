// The page of one person, for admins: their devices, their name, access and shelter, and the end of their access.

import { useSignal } from "@preact/signals";
import type { Access, Person as PersonData } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { FactList } from "../shared/parts/fact-list.tsx";
import { Form } from "../shared/parts/form.tsx";
import { MissingPage, PageHead } from "../shared/parts/head.tsx";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { formatMoment } from "../shared/state/format.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { ensureShelters } from "../shared/state/own-shelter.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { hrefOf } from "../shared/state/place.ts";
import { ask, askUsage } from "../shared/state/session.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { Devices } from "./devices.tsx";
import { EndAccess } from "./end-access.tsx";
import { Invite } from "./invite.tsx";
import { accessWords, shelterWords } from "./people-words.ts";
import { findChanges, PersonFields } from "./person-fields.tsx";
import { isEnded, isOwnPerson, type PersonInUse, readPerson } from "./read-people.ts";
import { useRefreshes } from "./use-refreshes.ts";

export function Person({ id }: { id: string }) {
  const loaded = useLoaded(
    (signal) => {
      void ensureShelters().catch(() => {});
      return readPerson(id, signal);
    },
    [id],
  );
  useRefreshes(loaded);
  const texts = later().people;
  const found = loaded.data.value;
  if (found === null)
    return (
      <MissingPage place="people" back={texts.all}>
        {texts.missing(id)}
      </MissingPage>
    );
  if (found === undefined || loaded.isForOthers.value) {
    if (loaded.failure.value !== undefined) return <LoadFailure loaded={loaded} />;
    return <p class="quiet">{t().common.loading}</p>;
  }
  return <Shown key={id} {...found} failure={<LoadFailure loaded={loaded} />} onChanged={loaded.reload} />;
}

interface ShownProps extends PersonInUse {
  failure: preact.ComponentChildren;
  onChanged: () => Promise<void>;
}

function Shown({ person, devices, failure, onChanged }: ShownProps) {
  const opened = useSignal<"device" | "end" | undefined>(undefined);
  const texts = later().people;
  const close = () => (opened.value = undefined);
  return (
    <>
      <PageHead place="people" back={texts.all} name={person.name}>
        {!isEnded(person) && (
          <div class="buttons">
            <Button label={texts.anotherDevice} onClick={() => (opened.value = "device")} />
            <Button kind="danger" label={texts.endAsk} onClick={() => (opened.value = "end")} />
          </div>
        )}
      </PageHead>
      {failure}
      {isEnded(person) && <p>{texts.endedHint}</p>}
      <div class="columns">
        <div>
          <Devices devices={devices} onChanged={onChanged} />
          {!isEnded(person) && (
            <section aria-labelledby="settings">
              <h2 id="settings">{texts.settings}</h2>
              <PersonSettings person={person} onSaved={onChanged} />
            </section>
          )}
        </div>
        <section aria-labelledby="facts">
          <h2 id="facts">{texts.facts}</h2>
          <PersonFacts person={person} />
          <p>
            <a href={hrefOf("audit", undefined, { by: `person-${person.id}` })}>{later().audit.ofPerson}</a>
          </p>
        </section>
      </div>
      {opened.value === "device" && <Invite person={person} onClose={close} />}
      {opened.value === "end" && <EndAccess person={person} onEnded={onChanged} onClose={close} />}
    </>
  );
}

function PersonFacts({ person }: { person: PersonData }) {
  const texts = later().people;
  const { access, createdAt, lastUsedAt } = person;
  return (
    <FactList
      facts={[
        [t().keys.access, `${accessWords(access)} – ${texts.levels[access]}`],
        ...(hasSeveralShelters() ? [[t().shelters.one, shelterWords(person)] as [string, string]] : []),
        [texts.since, formatMoment(createdAt)],
        [texts.lastSeen, <Moment key="seen" at={lastUsedAt} />],
      ]}
    />
  );
}

interface PersonSettingsProps {
  person: PersonData;
  onSaved: () => Promise<void>;
}

function PersonSettings({ person, onSaved }: PersonSettingsProps) {
  // The values of the fields: the person is loaded again while the form is open, and only changes made here are sent.
  const before = useSignal(person);
  const access = useSignal<Access>(person.access);

  async function submit(fields: FormData, signal: AbortSignal) {
    const changes = findChanges(before.value, fields);
    if (Object.keys(changes).length === 0) return t().form.nothingChanged;
    before.value = await ask((client) => client.updatePerson(person.id, changes, { signal }));
    // What the console offers depends on one's own access.
    if (isOwnPerson(person)) await askUsage();
    if (isAllowed("listPeople")) await onSaved();
    return later().people.changed(before.value.name);
  }

  return (
    <Form action={t().form.save} onSubmit={submit}>
      <PersonFields person={before.value} access={access} />
    </Form>
  );
}
