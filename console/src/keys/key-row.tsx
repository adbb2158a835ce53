// One key of the list. Its page has the rest.

import type { ApiKey } from "../../../client/src/client.ts";
import { EntryLink } from "../shared/parts/entry-link.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { PhoneRow } from "../shared/parts/phone-row.tsx";
import { capitalise } from "../shared/state/format.ts";
import { describeKey } from "../shared/state/names.ts";
import { isOwnKey } from "../shared/state/session.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { accessOf, describeLimits, formatBanEnd, kindOf, shelterOf, stateOf } from "./key-words.ts";

export function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { id, kind, hint, plan, ban, lastUsedAt } = apiKey;
  const texts = t().keys;
  const state = stateOf(apiKey);
  return (
    <tr>
      <td class="number">{String(id)}</td>
      <th scope="row">
        <EntryLink place="keys" id={apiKey.id} name={describeKey(apiKey)} />
        <code>{hint}…</code>
        {isOwnKey(hint) && <small> · {texts.yours}</small>}
        {kind !== "secret" && <small> · {kindOf(apiKey)}</small>}
      </th>
      <td data-label={texts.plan}>{capitalise(plan)}</td>
      <td data-label={texts.access}>{accessOf(apiKey)}</td>
      {hasSeveralShelters() && (
        <td data-label={t().shelters.one}>
          <bdi>{shelterOf(apiKey)}</bdi>
        </td>
      )}
      <td data-label={texts.limits} class="whole">
        {describeLimits(apiKey)}
      </td>
      <td>
        <KeyState apiKey={apiKey} />
        {state === "banned" && ban !== undefined && (
          <small class="until">{texts.until(formatBanEnd(ban))}</small>
        )}
      </td>
      <td data-label={texts.lastUsed}>
        <Moment at={lastUsedAt} />
      </td>
    </tr>
  );
}

export function PhoneKeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { kind, hint, plan, ban, lastUsedAt } = apiKey;
  const texts = t().keys;
  return (
    <PhoneRow
      name={<EntryLink place="keys" id={apiKey.id} name={describeKey(apiKey)} />}
      state={<KeyState apiKey={apiKey} />}
      facts={[
        isOwnKey(hint) && texts.yours,
        kind !== "secret" && kindOf(apiKey),
        capitalise(plan),
        accessOf(apiKey),
        hasSeveralShelters() && shelterOf(apiKey),
      ]}
      others={[
        <code>{hint}…</code>,
        stateOf(apiKey) === "banned" && ban !== undefined && texts.until(formatBanEnd(ban)),
        <>
          {texts.lastUsed} <Moment at={lastUsedAt} />
        </>,
      ]}
    />
  );
}

function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const state = stateOf(apiKey);
  return <span class={`status ${state}`}>{t().keys.states[state]}</span>;
}
