// The page of one webhook: its state, a test, its deliveries and settings, rotation and deletion.

import { useSignal } from "@preact/signals";
import type { IssuedWebhook, Webhook as WebhookData } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { MissingPage, PageHead } from "../shared/parts/head.tsx";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { findOne } from "../shared/state/find-one.ts";
import { formatCount } from "../shared/state/format.ts";
import { useLoaded, useReloads } from "../shared/state/loading.ts";
import { hrefOf } from "../shared/state/place.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { Deliveries, type DeliveryList, useDeliveries } from "./deliveries.tsx";
import { DeleteWebhook, RotateWebhook, TestForm, WebhookSwitch } from "./webhook-actions.tsx";
import { WebhookSettings } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";
import { nameWebhook } from "./webhook-words.ts";

/** Not shorter: each read is charged to the signed-in key. */
const READ_EVERY_MS = 10_000;

export function Webhook({ id }: { id: string }) {
  // The page of another webhook starts anew.
  return <LoadedWebhook key={id} id={id} />;
}

function LoadedWebhook({ id }: { id: string }) {
  // No retries: without its key of the secrets, the service answers 503 until an operator has set it.
  const loaded = useLoaded(
    (signal) => findOne(id, (client, webhookId) => client.getWebhook(webhookId, { signal, retries: 0 })),
    [id],
  );
  const deliveries = useDeliveries(id);
  const isHeld = useSignal(false);
  useReloads(loaded, READ_EVERY_MS, () => isHeld.value);
  const webhook = loaded.data.value;
  const texts = later().webhook;
  if (webhook === null)
    return (
      <MissingPage place="webhooks" back={texts.all}>
        {texts.missing(id)}
      </MissingPage>
    );
  // All at once: rows that appear later would move a button away from the pointer.
  const { data: rows, failure: noRows } = deliveries.loaded;
  const isComplete = rows.value !== undefined || noRows.value !== undefined;
  if (webhook === undefined || !isComplete) {
    if (loaded.failure.value !== undefined) return <LoadFailure loaded={loaded} />;
    return <p class="quiet">{t().common.loading}</p>;
  }
  return (
    <Shown
      webhook={webhook}
      deliveries={deliveries}
      failure={<LoadFailure loaded={loaded} />}
      onChanged={loaded.reload}
      onHeld={(held) => (isHeld.value = held)}
    />
  );
}

interface ShownProps {
  webhook: WebhookData;
  deliveries: DeliveryList;
  failure: preact.ComponentChildren;
  onChanged: () => Promise<void>;
  /** While true, nothing is read in the background. */
  onHeld: (isHeld: boolean) => void;
}

function Shown({ webhook, deliveries, failure, onChanged, onHeld }: ShownProps) {
  const opened = useSignal<"rotate" | "delete" | IssuedWebhook | undefined>(undefined);
  const texts = later().webhooks;
  const open = (dialog: typeof opened.value) => {
    opened.value = dialog;
    onHeld(dialog !== undefined);
  };
  const close = () => open(undefined);
  return (
    <>
      <PageHead place="webhooks" back={later().webhook.all} name={nameWebhook(webhook)}>
        <div class="buttons">
          <Button label={t().common.rotateAsk} onClick={() => open("rotate")} />
          <Button kind="danger" label={texts.deleteAsk} onClick={() => open("delete")} />
        </div>
      </PageHead>
      {failure}
      <WebhookState webhook={webhook} />
      <section aria-labelledby="deliveries">
        <h2 id="deliveries">{later().deliveries.title}</h2>
        <Deliveries webhookId={webhook.id} list={deliveries} onChanged={onChanged} />
      </section>
      <div class="columns webhook">
        <section aria-labelledby="settings">
          <h2 id="settings">{t().common.settings}</h2>
          <WebhookSettings webhook={webhook} onSaved={onChanged} />
        </section>
        <div>
          <section aria-labelledby="test">
            <h2 id="test">{texts.test}</h2>
            <TestForm webhook={webhook} />
          </section>
          <WebhookSwitch webhook={webhook} onSaved={onChanged} />
        </div>
      </div>
      {opened.value === "rotate" && <RotateWebhook webhook={webhook} onIssued={open} onClose={close} />}
      {opened.value === "delete" && (
        <DeleteWebhook
          webhook={webhook}
          onClose={close}
          onDeleted={() => {
            location.hash = hrefOf("webhooks");
          }}
        />
      )}
      {typeof opened.value === "object" && (
        <WebhookSecret
          issued={opened.value}
          onClose={() => {
            close();
            void onChanged();
          }}
        />
      )}
    </>
  );
}

function WebhookState({ webhook }: { webhook: WebhookData }) {
  const { url, status, disabledReason, failingSince, pending, lastSuccessAt } = webhook;
  const texts = later().webhooks;
  return (
    <>
      <p>
        <code>{url}</code> <span class={`status ${status}`}>{texts.states[status]}</span>
      </p>
      {disabledReason !== undefined && <p>{texts.offBecause[disabledReason] ?? disabledReason}</p>}
      {status === "enabled" && failingSince !== undefined && (
        <p class="countdown">{texts.failingSince(<Moment at={failingSince} />)}</p>
      )}
      <p>
        {texts.lastSuccessAt(<Moment at={lastSuccessAt} />)} {texts.waitingToBeSent(formatCount(pending))}
      </p>
    </>
  );
}
