// One webhook of the list. Its page has the rest.

import type { Webhook } from "../../../client/src/client.ts";
import { Moment } from "../shared/parts/moment.tsx";
import { PhoneRow } from "../shared/parts/phone-row.tsx";
import { rowLink } from "../shared/parts/row-link.ts";
import { formatCount } from "../shared/state/format.ts";
import { hrefOf } from "../shared/state/place.ts";
import { later } from "../shared/texts/lazy.ts";
import { describeTypes, stateOfWebhook } from "./webhook-words.ts";

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, description, pending, lastSuccessAt } = webhook;
  const texts = later().webhooks;
  return (
    <tr class="linked" {...rowLink}>
      <td class="number">{String(id)}</td>
      <th scope="row">
        <WebhookLink webhook={webhook} />
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
  const { url, description, pending, lastSuccessAt } = webhook;
  const texts = later().webhooks;
  return (
    <PhoneRow
      name={<WebhookLink webhook={webhook} />}
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

function WebhookLink({ webhook: { id, url, description } }: { webhook: Webhook }) {
  return (
    <a href={hrefOf("webhooks", String(id))}>
      <bdi>{description || url}</bdi>
    </a>
  );
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const state = stateOfWebhook(webhook);
  return <span class={`status ${state}`}>{later().webhooks.states[state]}</span>;
}
