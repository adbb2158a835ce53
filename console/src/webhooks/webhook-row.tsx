// One webhook of the list. Its page has the rest.

import type { Webhook } from "../../../client/src/client.ts";
import { EntryLink } from "../shared/parts/entry-link.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { PhoneRow } from "../shared/parts/phone-row.tsx";
import { rowLink } from "../shared/parts/row-link.ts";
import { formatCount } from "../shared/state/format.ts";
import { later } from "../shared/texts/pages.ts";
import { describeTypes, stateOfWebhook } from "./webhook-words.ts";

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, description, pending, lastSuccessAt } = webhook;
  const texts = later().webhooks;
  return (
    <tr class="linked" {...rowLink}>
      <td class="number">{String(id)}</td>
      <th scope="row">
        <EntryLink place="webhooks" id={id} name={description || url} />
        {description && (
          <>
            <br />
            <span class="quiet">{url}</span>
          </>
        )}
      </th>
      <td data-label={texts.events} class="whole">
        {describeTypes(webhook)}
      </td>
      <td>
        <WebhookState webhook={webhook} />
      </td>
      <td data-label={texts.waiting}>{formatCount(pending)}</td>
      <td data-label={texts.lastSuccess}>
        <Moment at={lastSuccessAt} />
      </td>
    </tr>
  );
}

export function PhoneWebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, description, pending, lastSuccessAt } = webhook;
  const texts = later().webhooks;
  return (
    <PhoneRow
      name={<EntryLink place="webhooks" id={id} name={description || url} />}
      state={<WebhookState webhook={webhook} />}
      facts={[describeTypes(webhook)]}
      others={[
        `${texts.waiting}: ${formatCount(pending)}`,
        <>
          {texts.lastSuccess} <Moment at={lastSuccessAt} />
        </>,
        description && url,
      ]}
    />
  );
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const state = stateOfWebhook(webhook);
  return <span class={`status ${state}`}>{later().webhooks.states[state]}</span>;
}
