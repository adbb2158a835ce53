// The list of shelters. Where there is only one, its page.

import { useSignal } from "@preact/signals";
import type { Shelter as ShelterData } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { EntryLink } from "../shared/parts/entry-link.tsx";
import { Form } from "../shared/parts/form.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List } from "../shared/parts/list.tsx";
import { useLiveList } from "../shared/parts/live-list.ts";
import { PhoneRow, phoneColumns } from "../shared/parts/phone-row.tsx";
import { changes } from "../shared/state/changes.ts";
import { notify } from "../shared/state/notices.ts";
import { ensureShelters, isOwnShelter, mayEditShelter, reloadShelters } from "../shared/state/own-shelter.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { hrefOf } from "../shared/state/place.ts";
import { ask } from "../shared/state/session.ts";
import { FIRST_SHELTER, hasSeveralShelters, shelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { DeleteShelter, mayDelete } from "./delete-shelter.tsx";
import { Shelter } from "./shelter.tsx";
import { ShelterName } from "./shelter-form.tsx";

const FIRST_ID = String(FIRST_SHELTER.id);

export function Shelters() {
  const isAdding = useSignal(false);
  const onAdd = isAllowed("createShelter") ? () => (isAdding.value = true) : undefined;
  return (
    <>
      {hasSeveralShelters() ? <ShelterList onAdd={onAdd} /> : <Shelter id={FIRST_ID} onAdd={onAdd} />}
      {isAdding.value && <NewShelter onClose={() => (isAdding.value = false)} />}
    </>
  );
}

function ShelterList({ onAdd }: { onAdd: (() => void) | undefined }) {
  const texts = t().shelters;
  const deleted = useSignal<ShelterData | undefined>(undefined);
  const live = useLiveList((signal, retries) => ensureShelters({ signal, retries }), [changes.value], {
    kinds: ["shelter"],
  });
  const loaded = { ...live, data: shelters };
  return (
    <>
      <Head title={t().placeNames.shelters}>
        {onAdd && <Button kind="primary" label={texts.add} onClick={onAdd} />}
      </Head>
      <p class="quiet">{texts.about}</p>
      <List
        loaded={loaded}
        label={t().placeNames.shelters}
        className="shelters"
        columns={[t().common.number, t().common.name, texts.fields.city, texts.contact, t().common.actions]}
        empty={null}
        row={(shelter) => (
          <ShelterRow key={String(shelter.id)} shelter={shelter} onDelete={() => (deleted.value = shelter)} />
        )}
        phone={{
          columns: phoneColumns({
            name: t().common.name,
            state: t().keys.state,
            kind: t().common.number,
            also: texts.contact,
          }),
          row: (shelter) => <PhoneShelterRow key={String(shelter.id)} shelter={shelter} />,
        }}
      />
      {deleted.value && <DeleteShelter shelter={deleted.value} onClose={() => (deleted.value = undefined)} />}
    </>
  );
}

function ShelterRow({ shelter, onDelete }: { shelter: ShelterData; onDelete: () => void }) {
  const texts = t().shelters;
  const { id, name, address, phone, email, website } = shelter;
  const href = hrefOf("shelters", String(id));
  return (
    <tr>
      <td class="number">{String(id)}</td>
      <th scope="row">
        <EntryLink place="shelters" id={shelter.id} name={shelter.name} />
        {isOwnShelter(shelter) && <small> {t().keys.yours}</small>}
      </th>
      <td data-label={texts.fields.city}>
        <bdi>{address?.city ?? "–"}</bdi>
      </td>
      <td data-label={texts.contact}>
        <bdi>{phone ?? email ?? website ?? "–"}</bdi>
      </td>
      <td class="actions">
        {mayEditShelter(shelter) && (
          <Button
            label={t().animals.edit}
            name={t().animals.editOne(name)}
            onClick={() => (location.hash = href)}
          />
        )}
        {mayDelete(shelter) && (
          <Button label={t().common.delete} name={t().common.deleteOne(name)} onClick={onDelete} />
        )}
      </td>
    </tr>
  );
}

function PhoneShelterRow({ shelter }: { shelter: ShelterData }) {
  const { id, address, phone, email, website } = shelter;
  return (
    <PhoneRow
      name={<EntryLink place="shelters" id={shelter.id} name={shelter.name} />}
      facts={[t().common.numbered(String(id)), isOwnShelter(shelter) && t().keys.yours]}
      others={[address?.city, phone ?? email ?? website ?? t().shelters.unfinished]}
    />
  );
}

/** Only its name: its page has the rest. */
function NewShelter({ onClose }: { onClose: () => void }) {
  const texts = t().shelters;
  const name = useSignal("");

  async function submit(_fields: FormData, signal: AbortSignal): Promise<void> {
    const { id } = await ask((client) => client.createShelter({ name: name.value }, { signal }));
    notify(texts.added(name.value.trim()));
    await reloadShelters();
    onClose();
    location.hash = hrefOf("shelters", String(id));
  }

  return (
    <Dialog title={texts.add} onClose={onClose}>
      <Form action={t().animalForm.add} onSubmit={submit} onCancel={onClose}>
        <p>{texts.about}</p>
        <ShelterName value={name.value} onInput={(typed) => (name.value = typed)} />
      </Form>
    </Dialog>
  );
}
