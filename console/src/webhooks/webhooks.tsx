// The list of webhooks: of the key, and for admins of all keys.

import { useSignal } from "@preact/signals";
import type { IssuedWebhook, Webhook } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List, Pager, usePaging, useStepBack } from "../shared/parts/list.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { rowLink } from "../shared/parts/row-link.ts";
import { formatCount } from "../shared/state/format.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { hrefOf } from "../shared/state/place.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { NewWebhookForm } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";
import { describeTypes, stateOfWebhook } from "./webhook-words.ts";

export function Webhooks() {
  const opened = useSignal<"form" | IssuedWebhook | undefined>(undefined);
  const paging = usePaging();
  const loaded = useLoaded(
    (signal) => {
      const query = { cursor: paging.cursor };
      // No retries: without its key of the secrets, the service answers 503 until an operator has set it.
      return ask((client) => client.listWebhooks(query, { signal, retries: 0 }).page());
    },
    [paging.cursor],
  );
  const { data, reload } = loaded;
  const texts = t().webhooks;
  const close = () => (opened.value = undefined);

  useStepBack(loaded, paging);

  return (
    <>
      <Head title={t().placeNames.webhooks}>
        <Button kind="primary" label={texts.add} onClick={() => (opened.value = "form")} />
      </Head>
      <p class="quiet">{texts.about}</p>
      <List
        loaded={loaded}
        label={t().placeNames.webhooks}
        className="webhooks"
        columns={[
          t().common.number,
          texts.address,
          texts.events,
          texts.status,
          texts.waiting,
          texts.lastSuccess,
        ]}
        empty={<p>{texts.empty}</p>}
        row={(webhook) => <WebhookRow key={String(webhook.id)} webhook={webhook} />}
      />
      <Pager paging={paging} next={data.value?.next} isLoading={loaded.isLoading.value} />
      {opened.value === "form" && (
        <NewWebhookForm onClose={close} onIssued={(webhook) => (opened.value = webhook)} />
      )}
      {typeof opened.value === "object" && (
        <WebhookSecret
          issued={opened.value}
          onClose={() => {
            close();
            void reload();
          }}
        />
      )}
    </>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, description, pending, lastSuccessAt } = webhook;
  const state = stateOfWebhook(webhook);
  const texts = t().webhooks;
  return (
    <tr class="linked" {...rowLink}>
      <td class="number">{String(id)}</td>
      <th scope="row">
        <a href={hrefOf("webhooks", String(id))}>
          <bdi>{description || url}</bdi>
        </a>
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
        <span class={`status ${state}`}>{texts.states[state]}</span>
      </td>
      <td data-label={texts.waiting}>{formatCount(pending)}</td>
      <td data-label={texts.lastSuccess}>
        <Moment at={lastSuccessAt} />
      </td>
    </tr>
  );
}
