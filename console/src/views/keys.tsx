// The list of keys, for admins.

import { useSignal } from "@preact/signals";
import type { ApiKey, Int64, IssuedKey } from "../../../client/src/client.ts";
import { List, Pager, usePaging } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { capitalise, formatCount, formatMoment } from "../state/format.ts";
import { useLoaded } from "../state/loading.ts";
import { ask, isOwnKey } from "../state/session.ts";
import { KeyDetails } from "./key-details.tsx";
import { NewKeyForm } from "./key-form.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

const COLUMNS = ["Id", "Name", "Plan", "Access", "Limits", "State", "Last used", "Actions"];

export function Keys() {
  const isCreating = useSignal(false);
  const opened = useSignal<Int64 | undefined>(undefined);
  const issued = useSignal<IssuedKey | undefined>(undefined);
  const paging = usePaging();
  const loaded = useLoaded(
    (signal) => ask((client) => client.listKeys({ cursor: paging.cursor }, { signal }).page()),
    [paging.cursor],
  );
  const { data, reload } = loaded;

  /** Closes other dialogs, and sends no request: the secret is in this response only and must not be lost. */
  function showSecret(key: IssuedKey): void {
    isCreating.value = false;
    opened.value = undefined;
    issued.value = key;
  }

  function hideSecret(): void {
    issued.value = undefined;
    void reload();
  }

  return (
    <>
      <div class="head">
        <h1>Keys</h1>
        <button type="button" class="primary" onClick={() => (isCreating.value = true)}>
          Create a key
        </button>
      </div>
      <List
        loaded={loaded}
        label="Keys"
        columns={COLUMNS}
        empty={
          <p>No key is stored yet: you are signed in with ADMIN_API_KEY. Create one for each application.</p>
        }
        row={(key) => <KeyRow key={String(key.id)} apiKey={key} onOpen={() => (opened.value = key.id)} />}
      />
      <Pager paging={paging} next={data.value?.next} isLoading={loaded.isLoading.value} />
      {isCreating.value && <NewKeyForm onClose={() => (isCreating.value = false)} onIssued={showSecret} />}
      {opened.value !== undefined && (
        <KeyDetails
          keyId={opened.value}
          onChanged={reload}
          onIssued={showSecret}
          onClose={() => (opened.value = undefined)}
        />
      )}
      {issued.value !== undefined && (
        <SecretDialog name={issued.value.name} secret={issued.value.key} onClose={hideSecret}>
          Store it now where its owner keeps secrets; the service stores only a hash.
          {issued.value.oldEndsAt !== undefined &&
            ` The old secret works until ${formatMoment(new Date(issued.value.oldEndsAt))}.`}
        </SecretDialog>
      )}
    </>
  );
}

function KeyRow({ apiKey, onOpen }: { apiKey: ApiKey; onOpen: () => void }) {
  const { id, name, hint, plan, access, perMinute, perDay, state, lastUsedAt } = apiKey;
  return (
    <tr>
      <td class="number">{String(id)}</td>
      <th scope="row">
        {name}
        <br />
        <code>{hint}…</code>
        {isOwnKey(hint) && <small> yours</small>}
      </th>
      <td data-label="Plan">{capitalise(plan)}</td>
      <td data-label="Access">{capitalise(access)}</td>
      <td data-label="Limits">
        {formatCount(perMinute)} a minute, {formatCount(perDay)} a day
      </td>
      <td>
        <span class={`status ${state}`}>{capitalise(state)}</span>
      </td>
      <td data-label="Last used">
        <Moment at={lastUsedAt} />
      </td>
      <td class="actions">
        <button type="button" aria-label={`Open ${name}`} onClick={onOpen}>
          Open
        </button>
      </td>
    </tr>
  );
}
