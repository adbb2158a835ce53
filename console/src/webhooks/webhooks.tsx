// The list of webhooks: of the key, and for admins of all keys.

import { useSignal } from "@preact/signals";
import type { Int64, IssuedWebhook, Webhook } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List, Pager, usePaging, useStepBack } from "../shared/parts/list.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { SecretDialog } from "../shared/parts/secret-dialog.tsx";
import { formatCount } from "../shared/state/format.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { WebhookDetails } from "./webhook-details.tsx";
import { NewWebhookForm } from "./webhook-form.tsx";
import { describeTypes, nameWebhook, stateOfWebhook } from "./webhook-words.ts";

export function Webhooks() {
  const isCreating = useSignal(false);
  const opened = useSignal<Int64 | undefined>(undefined);
  const issued = useSignal<IssuedWebhook | undefined>(undefined);
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

  useStepBack(loaded, paging);

  /** Closes other dialogs, and sends no request: the secret is in this response only and must not be lost. */
  function showSecret(webhook: IssuedWebhook): void {
    isCreating.value = false;
    opened.value = undefined;
    issued.value = webhook;
  }

  function hideSecret(): void {
    issued.value = undefined;
    void reload();
  }

  return (
    <>
      <Head title={t().placeNames.webhooks}>
        <Button kind="primary" label={texts.add} onClick={() => (isCreating.value = true)} />
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
          t().common.actions,
        ]}
        empty={<p>{texts.empty}</p>}
        row={(webhook) => (
          <WebhookRow key={String(webhook.id)} webhook={webhook} onOpen={() => (opened.value = webhook.id)} />
        )}
      />
      <Pager paging={paging} next={data.value?.next} isLoading={loaded.isLoading.value} />
      {isCreating.value && (
        <NewWebhookForm onClose={() => (isCreating.value = false)} onIssued={showSecret} />
      )}
      {opened.value !== undefined && (
        <WebhookDetails
          webhookId={opened.value}
          onChanged={reload}
          onIssued={showSecret}
          onClose={() => (opened.value = undefined)}
        />
      )}
      {issued.value !== undefined && (
        <SecretDialog name={nameWebhook(issued.value)} secret={issued.value.secret} onClose={hideSecret}>
          {texts.storeSecret}
        </SecretDialog>
      )}
    </>
  );
}

function WebhookRow({ webhook, onOpen }: { webhook: Webhook; onOpen: () => void }) {
  const { id, url, description, pending, lastSuccessAt } = webhook;
  const state = stateOfWebhook(webhook);
  const texts = t().webhooks;
  return (
    <tr>
      <td class="number">{String(id)}</td>
      <th scope="row">
        <bdi>{description || url}</bdi>
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
      <td class="actions">
        <Button label={texts.open} name={texts.openOne(nameWebhook(webhook))} onClick={onOpen} />
      </td>
    </tr>
  );
}
