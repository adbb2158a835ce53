// The list of webhooks: of the key, and for admins of all keys.

import { useSignal } from "@preact/signals";
import type { Int64, IssuedWebhook, Webhook } from "../../../client/src/client.ts";
import { List, Pager, usePaging, useStepBack } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { capitalise, formatCount } from "../state/format.ts";
import { useLoaded } from "../state/loading.ts";
import { ask } from "../state/session.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { WebhookDetails } from "./webhook-details.tsx";
import { NewWebhookForm } from "./webhook-form.tsx";
import { describeTypes, nameWebhook } from "./webhook-words.ts";

const COLUMNS = ["Id", "Address", "Events", "Status", "Waiting", "Last success", "Actions"];

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
      <div class="head">
        <h1>Webhooks</h1>
        <button type="button" class="primary" onClick={() => (isCreating.value = true)}>
          Add a webhook
        </button>
      </div>
      <p class="quiet">A webhook sends each change to a program of yours, such as a website.</p>
      <List
        loaded={loaded}
        label="Webhooks"
        columns={COLUMNS}
        empty={<p>There are no webhooks yet. Add one to send changes to another program.</p>}
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
          Store it now in the program that receives the changes: it checks with it that they come from here.
          After a rotation, the old secret works for another 24 hours.
        </SecretDialog>
      )}
    </>
  );
}

function WebhookRow({ webhook, onOpen }: { webhook: Webhook; onOpen: () => void }) {
  const { id, url, description, status, failingSince, pending, lastSuccessAt } = webhook;
  const isFailing = status === "enabled" && failingSince !== undefined;
  return (
    <tr>
      <td class="number">{String(id)}</td>
      <th scope="row">
        {description || url}
        {description && (
          <>
            <br />
            <span class="quiet">{url}</span>
          </>
        )}
      </th>
      <td data-label="Events">{describeTypes(webhook)}</td>
      <td>
        <span class={`status ${isFailing ? "failing" : status}`}>
          {isFailing ? "Failing" : capitalise(status)}
        </span>
      </td>
      <td data-label="Waiting">{formatCount(pending)}</td>
      <td data-label="Last success">
        <Moment at={lastSuccessAt} />
      </td>
      <td class="actions">
        <button type="button" aria-label={`Open ${nameWebhook(webhook)}`} onClick={onOpen}>
          Open
        </button>
      </td>
    </tr>
  );
}
